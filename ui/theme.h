#pragma once

#include <imgui.h>

#include <string>

#include "ui/layout.h"

namespace rayscope {

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

}  // namespace rayscope
