#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace rayscope {

/// In window coordinates (screen units), from the top left.
struct Rect {
    float x = 0, y = 0, width = 0, height = 0;
    bool contains(double px, double py) const {
        return px >= x && px < x + width && py >= y && py < y + height;
    }
    ImVec2 low() const { return {x, y}; }
    ImVec2 high() const { return {x + width, y + height}; }
    bool operator==(const Rect&) const = default;
};

/// Where things stand in a window of this size. Panels may be lower than their rectangle, never
/// higher: they scroll.
struct Layout {
    float scale = 1;                  ///< of all sizes; 1 is made for a window 1000 units high
    bool panels = false;              ///< shown
    bool folded = false;              ///< room for one panel, which has the tabs of both
    bool strip = false;               ///< room for the status strip
    Rect kernel, throughput, status;  ///< folded: the first two are one
    Rect timeline, pane;  ///< below the panels, as wide as the window; empty: none, or no room
    Rect free;            ///< the picture between them, for toasts and overlays
};

inline constexpr float kBodyFont = 15;  ///< pixels at scale 1

/// What a window is to be laid out for.
struct LayoutWish {
    int width = 0, height = 0;  ///< screen units
    float contentScale = 1;     ///< the monitor's, 1 where it is ordinary
    bool hidden = false;        ///< the user hid the panels
    bool timeline = false;      ///< the user wants to see it
    bool pane = false;          ///< a feature has a text to show
    float text = 1;             ///< its size, as the user wants it, times the usual
    /// Widths of the panels that the user has dragged, in sizes of the body font; 0: as narrow as
    /// their contents allow.
    float left = 0, right = 0;
};

/// The window has room for one panel only. `panelEms`: its width in sizes of the body font.
bool folds(const LayoutWish& wish, float panelEms);

/// The scale of all sizes.
float scaleFor(const LayoutWish& wish, float panelEms);

/// `panelWidth`: what the texts of a side panel need at this scale.
Layout layoutFor(const LayoutWish& wish, float scale, float panelWidth);

enum class Look { dark, light };

/// The colours of the window's present look: one accent, everything else grey. updateTheme() sets
/// them.
namespace colors {
inline ImVec4 accent, text, dim, faint, warning, panel, popup;
}  // namespace colors

/// The packed colour with its opacity multiplied.
ImU32 packed(const ImVec4& color, float opacity = 1);

/// A font and the size it was made for, in screen units.
struct Face {
    ImFont* font = nullptr;
    float size = 0;
};

/// Fonts, sizes and ImGui's style, made for one scale.
struct Theme {
    Look look = Look::dark;
    float scale = 0;       ///< 0: nothing made yet
    float pixelRatio = 0;  ///< pixels a screen unit
    Face body, strong, small, large;
    Face mono;             ///< for code; all letters as wide as another
    std::string fontPath;  ///< empty: ImGui's own
    std::string fontWish;  ///< RAYSCOPE_FONT: a TrueType file, or "none" for ImGui's own

    /// Lengths are given for scale 1.
    float units(float length) const { return length * scale; }
    float em() const { return body.size; }
};

/// Makes fonts and style anew where scale, pixel ratio or look changed; between frames only. The
/// font is fontWish where that can be read, else the first common sans-serif font found, else
/// ImGui's own.
void updateTheme(Theme& theme, Look look, float scale, float pixelRatio);

void pushFace(const Face& face);
void popFace();

inline constexpr float kBaseline = .8f;  ///< of a line of text, from its top
/// Width and height of a text in screen units.
ImVec2 textSize(const Face& face, const std::string& text);
void drawText(ImDrawList& list, const Face& face, ImVec2 at, ImU32 color, const std::string& text);

/// The text cut with an ellipsis to fit into a width.
std::string fitted(const Face& face, const std::string& text, float width);

/// A TrueType or OpenType font (or the first of a collection) whose tables are there and lie in the
/// file. ImGui's reader believes every offset, and ends the program where there is no font.
/// Source: the OpenType specification, "Font file".
bool isFont(std::string_view bytes);

}  // namespace rayscope
