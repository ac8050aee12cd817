#include "ui/feature.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "renderer/base/free_memory.h"

namespace rayscope {

namespace {

constexpr float kHeadingGap = 10;
/// Panels that are narrower than this look like slips of paper; plots need the room.
constexpr float kLeastEms = 18;

float headingsWidth(const Theme& theme, const Tabs& tabs) {
    float width = 0;
    for (const Tab* tab : tabs)
        width +=
            textSize(theme.strong, tab->label()).x + (width > 0 ? theme.units(kHeadingGap) : 0);
    return width;
}

/// At the panel's top however far its contents are scrolled.
void drawHeadings(const Ui& ui, const Tabs& tabs, const Tab& open) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetScrollY());
    for (const Tab* tab : tabs) {
        if (tab != tabs.front()) ImGui::SameLine(0, ui.theme.units(kHeadingGap));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 size = textSize(ui.theme.strong, tab->label());
        if (ImGui::InvisibleButton(tab->label().c_str(), {size.x, ui.theme.strong.size}))
            ui.frame.then([&host = ui.frame.host, id = tab->id()] { host.showTab(id); });
        note(ui, "tab." + tab->id());
        const ImVec4& color = tab == &open             ? colors::accent
                              : ImGui::IsItemHovered() ? colors::text
                                                       : colors::dim;
        drawText(*ImGui::GetWindowDrawList(), ui.theme.strong, at, packed(color), tab->label());
    }
}

}  // namespace

void Errands::send(Work work) {
    running_.push_back(std::async(std::launch::async, [work = std::move(work)] {
        Then then = work();
        trimHeap();
        return then;
    }));
}

void Errands::afterwards(Then then) {
    if (running_.empty()) return then();
    std::promise<Then> done;
    done.set_value(std::move(then));
    running_.push_back(done.get_future());
}

void Errands::finish() {
    while (!running_.empty() &&
           running_.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        const Then then = running_.front().get();
        running_.pop_front();
        then();
    }
}

void drawSidePanel(const Ui& ui, const Tabs& tabs, Tab& open) {
    const bool visible = beginPanel(("side." + open.id()).c_str(), ui.layout.throughput);
    drawHeadings(ui, tabs, open);
    // What is scrolled beneath the headings is neither seen nor clicked.
    const Rect panel = windowRect();
    ImGui::PushClipRect({panel.x, ImGui::GetCursorScreenPos().y},
                        {panel.x + panel.width, panel.y + panel.height}, true);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetScrollY());
    if (visible) open.drawPanel(ui);
    ImGui::PopClipRect();
    endPanel(ui, "panel." + open.id());
}

float panelWidth(const Theme& theme, const Tabs& tabs, float contents) {
    const ImGuiStyle& style = ImGui::GetStyle();
    float needed = std::max(contents, headingsWidth(theme, tabs));
    for (const Tab* tab : tabs) needed = std::max(needed, tab->width(theme));
    // Where the window is low, the Kernel panel gets a scrollbar.
    needed += 2 * style.WindowPadding.x + style.ScrollbarSize;
    return std::ceil(std::max(needed, kLeastEms * theme.em()));
}

bool usesCuda(const State& state) {
    return state.settings.backend == Backend::cuda ||
           (state.pinned && state.pinned->settings.backend == Backend::cuda);
}

Backend WindowFeature::processor(const Frame& frame) const {
    return usesCuda(frame.state) ? Backend::cuda : Backend::cpu;
}

}  // namespace rayscope
