#pragma once

namespace rayscope {

/// In window coordinates (screen units), from the top left.
struct Rect {
    float x = 0, y = 0, width = 0, height = 0;
    bool contains(double px, double py) const {
        return px >= x && px < x + width && py >= y && py < y + height;
    }
    bool operator==(const Rect&) const = default;
};

/// Where things stand in a window of this size. Panels may be lower than their rectangle, never
/// higher: they scroll.
struct Layout {
    float scale = 1;      ///< of all sizes; 1 is made for a window 1000 units high
    bool panels = false;  ///< shown, with room for both
    bool strip = false;   ///< room for the status strip
    Rect kernel, throughput, status;
    Rect timeline;  ///< over the bottom of the picture; empty: none, or no room
    Rect free;      ///< the picture between them, for toasts and overlays
};

inline constexpr float kBodyFont = 15;  ///< pixels at scale 1

/// What a window is to be laid out for.
struct LayoutWish {
    int width = 0, height = 0;  ///< screen units
    float contentScale = 1;     ///< the monitor's, 1 where it is ordinary
    bool hidden = false;        ///< the user hid the panels
    bool timeline = false;      ///< the user wants to see it
};

/// The scale of all sizes. `panelEms`: the width of a side panel in sizes of the body font.
float scaleFor(const LayoutWish& wish, float panelEms);

/// `panelWidth`: what the texts of a side panel need at this scale.
Layout layoutFor(const LayoutWish& wish, float scale, float panelWidth);

}  // namespace rayscope
