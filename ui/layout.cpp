#include "ui/layout.h"

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

// Below this the picture is worth more than the figures.
constexpr int kPanelsMinWidth = 700, kPanelsMinHeight = 400;
constexpr float kLeastPicture = .2f;  ///< of the width, between the panels
constexpr int kStripMinWidth = 360, kStripMinHeight = 160;

constexpr float kTimelineHeight = 178;
constexpr float kTimelineShare = .5f;  ///< of the picture's height, at most

constexpr float kFreeMargin = 12, kStripHeight = 30;
constexpr float kSmallest = .8f, kLargest = 6;

}  // namespace

/// Grows with the window, follows the monitor where the window is small on a dense one, and gives
/// way where two panels would leave less than a third of the width. Whole font pixels only.
float scaleFor(const LayoutWish& wish, float panelEms) {
    const float height = static_cast<float>(wish.height), width = static_cast<float>(wish.width);
    const float wanted = std::max({height / 1000, .9f, .9f * wish.contentScale});
    const float room = width / (3 * panelEms * kBodyFont);
    const float scale = std::clamp(std::min(wanted, room), kSmallest, kLargest);
    return std::round(kBodyFont * scale) / kBodyFont;
}

Layout layoutFor(const LayoutWish& wish, float scale, float panelWidth) {
    Layout layout;
    layout.scale = scale;
    const float w = static_cast<float>(wish.width), h = static_cast<float>(wish.height);
    const float margin = std::round(kFreeMargin * scale);
    const float room = w - 2 * panelWidth - 4 * margin;
    layout.panels = !wish.hidden && wish.width >= kPanelsMinWidth &&
                    wish.height >= kPanelsMinHeight && room >= kLeastPicture * w;
    layout.strip = !wish.hidden && wish.width >= kStripMinWidth && wish.height >= kStripMinHeight;
    const float strip = layout.strip ? std::round(kStripHeight * scale) : 0;
    const float panel = layout.panels ? std::ceil(panelWidth) : 0;
    const float side = std::max(h - strip - 2 * margin, 1.0f);
    layout.status = {0, h - strip, w, strip};
    layout.kernel = {margin, margin, panel, side};
    layout.throughput = {w - margin - panel, margin, panel, side};
    const float inset = margin + (layout.panels ? panel + margin : 0);
    layout.free = {inset, margin, std::max(w - 2 * inset, 1.0f), side};
    const float height = std::round(kTimelineHeight * scale);
    if (wish.timeline && height <= kTimelineShare * side) {
        layout.timeline = {inset, margin + side - height, layout.free.width, height};
        layout.free.height -= height + margin;
    }
    return layout;
}

}  // namespace rayscope
