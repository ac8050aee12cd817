#include <algorithm>
#include <cmath>

#include "ui/panels.h"
#include "ui/scene_panel.h"

namespace rayscope {

namespace {

/// Panels that are narrower than this look like slips of paper; plots need the room.
constexpr float kLeastEms = 18;

}  // namespace

PanelSizes measurePanels(const Theme& theme) {
    const ImGuiStyle& style = ImGui::GetStyle();
    PanelSizes sizes;
    sizes.labels = std::ceil(kernelLabelsWidth(theme)) + theme.units(10);
    const float kernel = sizes.labels + std::ceil(kernelControlsWidth(theme)) + 1;  // whole pixels
    // Where the window is low, the Kernel panel gets a scrollbar.
    const float around = 2 * style.WindowPadding.x + style.ScrollbarSize;
    const float needed = std::max({kernel, throughputWidth(theme), ladderWidth(theme),
                                   versusWidth(theme), sideTabsWidth(theme), sceneWidth(theme)}) +
                         around;
    sizes.width = std::ceil(std::max(needed, kLeastEms * theme.em()));
    return sizes;
}

}  // namespace rayscope
