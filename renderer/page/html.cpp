#include "renderer/page/html.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "renderer/base/text.h"

namespace rayscope {

using nlohmann::json;

std::string escaped(std::string_view text) {
    std::string html;
    for (const char c : printable(text, "\n")) {
        switch (c) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            case '\'':
                html += "&#39;";
                break;
            default:
                html += c;
        }
    }
    return html;
}

std::optional<PageFigure> figureAt(const json& reports, const std::string& pointer) {
    const json::json_pointer at(pointer);
    if (!reports.contains(at) || !reports.at(at).is_number()) return {};
    return PageFigure{reports.at(at).get<double>(), pointer};
}

Format formatFor(double largest, std::string_view unit) {
    static constexpr std::array<const char*, 5> kPrefixes{"", "k ", "M ", "G ", "T "};
    std::size_t prefix = 0;
    double scale = 1;
    while (prefix + 1 < kPrefixes.size() && std::abs(largest) / scale >= 1000) {
        scale *= 1000;
        ++prefix;
    }
    const double shown = std::abs(largest) / scale;
    const int digits = shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
    return {scale, digits, fmt::format("{}{}", kPrefixes[prefix], unit)};
}

std::string htmlOf(const PageFigure& figure, const Format& format) {
    return fmt::format("<span class=f data-p=\"{}\" data-s=\"{}\">{:.{}f}</span>",
                       escaped(figure.pointer), format.scale, figure.value / format.scale,
                       format.digits);
}

std::string quotientOf(const PageFigure& figure, const PageFigure& divisor) {
    return fmt::format("<span class=f data-p=\"{}\" data-q=\"{}\">{:.3f}</span>",
                       escaped(figure.pointer), escaped(divisor.pointer),
                       figure.value / divisor.value);
}

std::string paragraph(std::string_view text, std::string_view cls) {
    if (text.empty()) return {};
    return cls.empty() ? fmt::format("<p>{}</p>\n", escaped(text))
                       : fmt::format("<p class={}>{}</p>\n", cls, escaped(text));
}

std::string heading(int level, std::string_view text) {
    return fmt::format("<h{0}>{1}</h{0}>\n", level, escaped(text));
}

std::string tableOf(const std::vector<std::string>& head,
                    const std::vector<std::vector<std::string>>& rows) {
    std::string html = "<table>";
    const auto line = [&](const std::vector<std::string>& cells, const char* tag) {
        html += "<tr>";
        for (std::size_t i = 0; i < cells.size(); ++i)
            html += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : tag, cells[i]);
        html += "</tr>\n";
    };
    if (!head.empty()) {
        html += "<thead>";
        line(head, "th");
        html += "</thead>";
    }
    html += "<tbody>\n";
    for (const std::vector<std::string>& row : rows) line(row, "td");
    return html + "</tbody></table>\n";
}

}  // namespace rayscope
