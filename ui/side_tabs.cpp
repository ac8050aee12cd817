#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "ui/panels.h"

namespace rayscope {

namespace {

struct Tab {
    SideTab tab;
    const char* label;
    const char* name;
};
constexpr Tab kTabs[] = {{SideTab::throughput, "Throughput", "tab.throughput"},
                         {SideTab::ladder, "Ladder", "tab.ladder"},
                         {SideTab::versus, "A | B", "tab.versus"},
                         {SideTab::lab, "Lab", "tab.lab"},
                         {SideTab::why, "Why", "tab.why"},
                         {SideTab::code, "Code", "tab.code"},
                         {SideTab::scene, "Scene", "tab.scene"}};

constexpr float kGap = 10;

}  // namespace

const char* idOf(SideTab tab) {
    const auto* const found = std::find_if(std::begin(kTabs), std::end(kTabs),
                                           [&](const Tab& t) { return t.tab == tab; });
    return found->name + std::strlen("tab.");
}

SideTab sideTabFrom(std::string_view id) {
    for (const Tab& tab : kTabs) {
        if (idOf(tab.tab) == id) return tab.tab;
    }
    return SideTab::throughput;
}

float sideTabsWidth(const Theme& theme) {
    float width = 0;
    for (const Tab& tab : kTabs)
        width += textSize(theme.strong, tab.label).x + (width > 0 ? theme.units(kGap) : 0);
    return width;
}

/// The headings, at the panel's top however far its contents are scrolled.
static void drawTabs(const Ui& ui, SideTab open) {
    const float gap = ui.theme.units(kGap);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ImGui::GetScrollY());
    for (const Tab& tab : kTabs) {
        if (tab.tab != kTabs[0].tab) ImGui::SameLine(0, gap);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 size = textSize(ui.theme.strong, tab.label);
        if (ImGui::InvisibleButton(tab.label, {size.x, ui.theme.strong.size}))
            ui.requests.tab = tab.tab;
        ui.drawn[tab.name] = {itemRect()};
        const bool lit = tab.tab == open || ImGui::IsItemHovered();
        drawText(*ImGui::GetWindowDrawList(), ui.theme.strong, at,
                 packed(tab.tab == open ? colors::accent
                        : lit           ? colors::text
                                        : colors::dim),
                 tab.label);
    }
}

bool beginSidePanel(const Ui& ui, SideTab open) {
    const bool visible =
        beginPanel(fmt::format("side.{}", idOf(open)).c_str(), ui.layout.throughput);
    drawTabs(ui, open);
    // What is scrolled beneath the headings is neither seen nor clicked.
    const Rect panel = windowRect();
    ImGui::PushClipRect({panel.x, ImGui::GetCursorScreenPos().y},
                        {panel.x + panel.width, panel.y + panel.height}, true);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetScrollY());
    return visible;
}

void endSidePanel(const Ui& ui, SideTab open) {
    ImGui::PopClipRect();
    ui.drawn[fmt::format("panel.{}", idOf(open))] = {windowRect()};
    ImGui::End();
}

}  // namespace rayscope
