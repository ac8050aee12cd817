#include "ui/format.h"

#include <fmt/format.h>

#include <cmath>

#include "renderer/scene/scene.h"

namespace rayscope {

namespace {

/// Four significant digits from 1 to 9999, so that the last one still says something.
std::string fourDigits(double value) {
    if (value >= 999.5) return fmt::format("{:.0f}", value);
    if (value >= 99.95) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

}  // namespace

Prefix prefixOf(double value) {
    for (const Prefix prefix : {Prefix{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
        if (value >= .9995 * prefix.size) return prefix;
    }
    return {1, ""};
}

Quantity formatQuantity(double value, const std::string& unit) {
    if (!std::isfinite(value) || value < 0) return {"\u2014", unit};
    const auto [size, letter] = prefixOf(value);
    const char* gap = size > 1 && !unit.empty() ? " " : "";
    return {fourDigits(value / size), letter + (gap + unit)};
}

std::string shortRate(std::optional<double> raysPerSecond) {
    const Quantity q = formatQuantity(raysPerSecond.value_or(-1), "");
    return q.unit.empty() ? q.number : q.number + " " + q.unit;
}

std::string formatRate(double raysPerSecond) {
    const Quantity q = formatQuantity(raysPerSecond, "rays/s");
    return q.number + " " + q.unit;
}

std::string formatNumber(double value) {
    if (!std::isfinite(value)) return "\u2014";
    const double size = std::fabs(value);
    if (size >= 99.95) return fmt::format("{:.0f}", value);
    if (size >= 9.995) return fmt::format("{:.1f}", value);
    if (size >= .0995 || size == 0) return fmt::format("{:.2f}", value);
    return fmt::format("{:.3f}", value);
}

std::string formatCount(unsigned long long value) {
    std::string digits = std::to_string(value);
    for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
        digits.insert(static_cast<size_t>(i), 1, ' ');
    return digits;
}

std::string shapesText(const Scene& scene) {
    const auto counted = [](std::size_t count, const char* one) {
        return fmt::format("{} {}{}", formatCount(count), one, count == 1 ? "" : "s");
    };
    const std::string spheres = counted(scene.spheres.size(), "sphere");
    if (scene.meshes.empty()) return spheres;
    const auto triangles = static_cast<std::size_t>(triangleCount(scene));
    const std::string text = counted(triangles, "triangle");
    return scene.spheres.empty() ? text : spheres + " and " + text;
}

std::string shorten(const std::string& text, size_t bytes) {
    if (text.size() <= bytes) return text;
    size_t end = bytes > 3 ? bytes - 3 : 0;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

}  // namespace rayscope
