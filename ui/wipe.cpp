#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/ramp_legend.h"
#include "ui/versus_panel.h"

// The line between A and B, to drag, and what is written over their pictures.

namespace rayscope {

namespace {

constexpr float kReach = 8;  ///< of the line, to both sides of it
constexpr float kHandle = 15, kArrow = 4.5f;
constexpr float kLabelGap = 8;

/// Says so where the picture is not by the side's own kernel.
std::string labelOf(const Versus& versus, Side side) {
    const char* name = side == Side::a ? "A" : "B";
    const SideRecord& record = versus.record(side);
    if (!record.foreign) return name;
    return fmt::format("{}: {}, another kernel goes on", name,
                       record.kernel.compileLog.empty() ? "compiling" : "does not compile");
}

void drawHandle(const Theme& theme, ImVec2 middle, bool lit) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const float radius = theme.units(kHandle), arrow = theme.units(kArrow);
    list.AddCircleFilled(middle, radius, packed(colors::panel));
    list.AddCircle(middle, radius, packed(lit ? colors::accent : colors::text), 0,
                   theme.units(1.6f));
    for (float side : {-1.f, 1.f}) {
        const float x = middle.x + side * arrow;
        list.AddTriangleFilled({x, middle.y - arrow}, {x, middle.y + arrow},
                               {x + side * arrow * 1.3f, middle.y},
                               packed(lit ? colors::accent : colors::text));
    }
}

/// A window of its own, so that the mouse over it belongs to it and not to the camera. It lies
/// behind the panels.
void dragLine(const Ui& ui, Size window, Pinned& pinned) {
    const float reach = ui.theme.units(kReach);
    const float x = wipePlace(ui.layout, window, pinned.wipe);
    const float bottom = ui.layout.strip ? ui.layout.status.y : static_cast<float>(window.height);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    beginPane("Wipe", {x - reach, 0, 2 * reach, bottom},
              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground |
                  ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::InvisibleButton("line", {2 * reach, bottom});
    const bool active = ImGui::IsItemActive(), lit = active || ImGui::IsItemHovered();
    if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (active) pinned.wipe = std::clamp(ImGui::GetIO().MousePos.x / window.width, 0.f, 1.f);
    ImGui::End();
    ImGui::PopStyleVar(2);
    const float now = wipePlace(ui.layout, window, pinned.wipe);
    const float radius = ui.theme.units(kHandle), middle = bottom / 2;
    drawHandle(ui.theme, {now, middle}, lit);
    ui.drawn["wipe"] = {{now - radius, middle - radius, 2 * radius, 2 * radius}};
}

/// The colours of the difference, and what their ends mean.
void drawLegend(const Ui& ui, const Pinned& pinned) {
    const State& state = ui.frame.state;
    const std::string full =
        fmt::format("{:.3g}", fullScaleOf(pinned, state.scene->display, state.view));
    const std::string low = pinned.withSign ? "A brighter by " + full : "|A - B|   0";
    const std::string high = pinned.withSign ? "B by " + full : full;
    drawRampLegend(ui, "legend.difference", low, high, pinned.withSign ? kSigned : kMagnitude);
}

}  // namespace

float wipePlace(const Layout& layout, Size window, double wipe) {
    const Rect& free = layout.free;
    const float x = static_cast<float>(wipe * window.width);
    const float place = std::round(std::clamp(x, free.x, free.x + free.width));
    return std::min(place, static_cast<float>(window.width));  // narrower than its margins
}

int wipePixel(const Layout& layout, Size window, Size framebuffer, double wipe) {
    const double ratio = static_cast<double>(framebuffer.width) / window.width;
    return static_cast<int>(std::lround(wipePlace(layout, window, wipe) * ratio));
}

void VersusTab::draw(const Ui& ui) {
    if (!ui.frame.state.pinned) return;
    Pinned& pinned = *ui.frame.state.pinned;
    const std::string a = labelOf(versus_, Side::a), b = labelOf(versus_, Side::b);
    const Rect& free = ui.layout.free;
    const float middle = free.x + free.width / 2, gap = ui.theme.units(kLabelGap);
    switch (pinned.showing) {
        case Showing::split: {
            dragLine(ui, ui.frame.window, pinned);
            const float x = wipePlace(ui.layout, ui.frame.window, pinned.wipe);
            drawLabel(ui, a, x - gap, 1);
            drawLabel(ui, b, x + gap, 0);
            break;
        }
        case Showing::difference:
            drawLegend(ui, pinned);
            break;
        case Showing::a:
            drawLabel(ui, a, middle, .5f);
            break;
        case Showing::b:
            drawLabel(ui, b, middle, .5f);
            break;
    }
}

}  // namespace rayscope
