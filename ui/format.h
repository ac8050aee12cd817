#pragma once

#include <optional>
#include <string>

namespace rayscope {

/// A figure of three to four significant digits and its prefixed unit.
struct Quantity {
    std::string number;  ///< "45.31"
    std::string unit;    ///< "G rays/s"
};

/// The power of a thousand that figures are given in.
struct Prefix {
    double size;
    const char* letter;  ///< "G", "M", "k" or ""
};
Prefix prefixOf(double value);

/// `value` in `unit`, with k, M or G before it: formatQuantity(4.531e10, "rays/s").
Quantity formatQuantity(double value, const std::string& unit);

/// "46.29 G", of rays a second; a dash where it is not known.
std::string shortRate(std::optional<double> raysPerSecond);

/// "45.31 G rays/s", or a dash where the value is not known (below zero or not finite).
std::string formatRate(double raysPerSecond);

/// Three significant digits, never an exponent: "0.04", "3.21", "12.3", "123", "4567".
std::string formatNumber(double value);

/// "1 234 567"
std::string formatCount(unsigned long long value);

struct Scene;
/// "9 spheres", "1 024 triangles", or both.
std::string shapesText(const Scene& scene);

/// The text cut to at most `bytes`, an ellipsis in place of what is missing; UTF-8 stays whole.
std::string shorten(const std::string& text, size_t bytes);

}  // namespace rayscope
