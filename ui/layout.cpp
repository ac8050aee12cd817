#include "ui/layout.h"

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

// Below this the picture is worth more than the figures.
constexpr int kPanelsMinWidth = 700, kPanelsMinHeight = 400;
constexpr int kStripMinWidth = 360, kStripMinHeight = 160;

constexpr float kMargin = 12, kPanelWidth = 312, kStripHeight = 30;

/// Grows with the window, follows the monitor where the window is small on a dense one, and gives
/// way where two panels would leave less than a third of the width. Whole font pixels only.
float scaleFor(int width, int height, float contentScale) {
    const float wish = std::max({height / 1000.0f, .9f, .9f * contentScale});
    const float room = width / (3 * kPanelWidth);
    const float scale = std::clamp(std::min(wish, room), .8f, 6.0f);
    return std::round(kBodyFont * scale) / kBodyFont;
}

}  // namespace

Layout layoutFor(int width, int height, float contentScale, bool hidden) {
    Layout layout;
    layout.scale = scaleFor(width, height, contentScale);
    layout.panels = !hidden && width >= kPanelsMinWidth && height >= kPanelsMinHeight;
    layout.strip = !hidden && width >= kStripMinWidth && height >= kStripMinHeight;
    const float w = static_cast<float>(width), h = static_cast<float>(height);
    const float strip = layout.strip ? std::round(kStripHeight * layout.scale) : 0;
    const float margin = std::round(kMargin * layout.scale);
    const float panel = layout.panels ? std::round(kPanelWidth * layout.scale) : 0;
    const float side = std::max(h - strip - 2 * margin, 1.0f);
    layout.status = {0, h - strip, w, strip};
    layout.kernel = {margin, margin, panel, side};
    layout.throughput = {w - margin - panel, margin, panel, side};
    const float inset = margin + (layout.panels ? panel + margin : 0);
    layout.free = {inset, margin, std::max(w - 2 * inset, 1.0f), side};
    return layout;
}

}  // namespace rayscope
