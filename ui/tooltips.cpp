#include <algorithm>

#include "ui/feature.h"
#include "ui/widgets.h"

namespace rayscope {

namespace {

constexpr float kTooltipWidth = 380, kLeastTooltip = 120, kTooltipGap = 8;

}  // namespace

bool explained(const Ui& ui) {
    const ImGuiIO& io = ImGui::GetIO();
    const Rect item = itemRect();
    std::optional<ImVec2>& click = ui.frame.click;
    if (io.MouseDown[0] || io.MouseDown[1]) click = io.MousePos;
    if (click && item.contains(click->x, click->y)) {
        if (item.contains(io.MousePos.x, io.MousePos.y)) return false;
        click.reset();
    }
    return ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
}

void beginTooltip(const Ui& ui, const Rect& item) {
    const Rect &free = ui.layout.free, window = windowRect();
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float height = item.y + item.height / 2, right = free.x + free.width;
    const float gap = ui.theme.units(kTooltipGap), side = window.x + window.width / 2;
    const bool pane = window.y >= free.y + free.height || (side >= free.x && side <= right);
    ImVec2 at{0, height}, pivot{0, height / screen.y};  // it leaves neither above nor below
    float room = free.width;
    if (pane) {
        const float middle = item.x + item.width / 2;
        const bool below = 2 * window.y + window.height < screen.y;
        at = {middle, below ? window.y + window.height + gap : window.y - gap};
        pivot = {middle / screen.x, below ? 0.f : 1.f};
    } else if (side < free.x) {
        at.x = std::max(free.x, window.x + window.width + gap);
        room = right - at.x;
    } else {
        at.x = std::min(right, window.x - gap);
        pivot.x = 1;
        room = at.x - free.x;
    }
    ImGui::SetNextWindowPos(at, ImGuiCond_Always, pivot);
    ImGui::BeginTooltip();
    const float wrap =
        std::min(ui.theme.units(kTooltipWidth), room - 2 * ImGui::GetStyle().WindowPadding.x);
    ImGui::PushTextWrapPos(std::max(wrap, ui.theme.units(kLeastTooltip)));
}

void endTooltip(const Ui& ui) {
    ImGui::PopTextWrapPos();
    noteWindow(ui, "tooltip");
    ImGui::EndTooltip();
}

void hint(const Ui& ui, const std::string& text) {
    if (!explained(ui) || text.empty()) return;
    beginTooltip(ui, itemRect());
    ImGui::TextUnformatted(text.c_str());
    endTooltip(ui);
}

}  // namespace rayscope
