#pragma once

#include <string>
#include <vector>

#include "renderer/page/html.h"

// Marks of a row's figure, drawn as SVG. Colours are classes of the page's style.

namespace rayscope {

/// A scale from values to the width of a drawing: linear from `low` to `high`, or logarithmic.
struct Scale {
    double low = 0, high = 1;
    bool logarithmic = false;
    /// From 0 to 1, cut off at both ends.
    double at(double value) const;
};

/// What a row draws: a bar from the scale's low end, a line from `lower` to `upper`, and a point.
struct Marks {
    std::optional<PageFigure> bar{}, lower{}, upper{}, point{};
    std::optional<PageFigure> from{};   ///< where the bar begins, in place of the low end
    std::optional<double> reference{};  ///< a line through all rows: 1 of a ratio
    bool good = false, bad = false;     ///< colours the marks
    std::string label{};                ///< for those who cannot see it
};

/// <svg class=row>: 240 wide and 18 high, in units that are scaled to its column.
std::string svgOf(const Marks& marks, const Scale& scale);

/// A cell of a map, from the lowest to the highest value, as a CSS class: "h0" to "h7".
std::string heatClass(double value, double lowest, double highest);

}  // namespace rayscope
