#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// HTML in which every figure says where in its report it stands.

namespace rayscope {

/// The text with the characters replaced that mean something in HTML, and those that are not
/// printable.
std::string escaped(std::string_view text);

/// A number of a report, the index of which is the first part of its JSON pointer (RFC 6901):
/// "/0/rates/1/median".
struct PageFigure {
    double value = 0;
    std::string pointer;
};

/// The figure there, if it is a number.
std::optional<PageFigure> figureAt(const nlohmann::json& reports, const std::string& pointer);

/// How figures of a column are written: divided by `scale`, with `digits` behind the point.
struct Format {
    double scale = 1;
    int digits = 2;
    std::string unit{};
};

/// Three digits of the largest of the values, in a unit with a prefix from none to T: "M rays/s".
Format formatFor(double largest, std::string_view unit);

/// <span class=f data-p=POINTER data-s=SCALE>44.6</span>
std::string htmlOf(const PageFigure& figure, const Format& format);
/// The quotient of two figures with three digits, and data-q for the second.
std::string quotientOf(const PageFigure& figure, const PageFigure& divisor);

/// <p class=CLASS>, with the text escaped.
std::string paragraph(std::string_view text, std::string_view cls = {});
/// A heading of level 2 or 3, with the text escaped.
std::string heading(int level, std::string_view text);
/// A table of rows of cells, which are HTML. Cells from the second column on are numbers.
std::string tableOf(const std::vector<std::string>& head,
                    const std::vector<std::vector<std::string>>& rows);

}  // namespace rayscope
