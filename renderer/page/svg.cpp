#include "renderer/page/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

constexpr double kWidth = 240, kHeight = 18;
constexpr int kShades = 8;

std::string pointerOf(const PageFigure& figure) {
    return fmt::format(" data-p=\"{}\"", escaped(figure.pointer));
}

}  // namespace

double Scale::at(double value) const {
    if (!(high > low)) return 0;
    const double share = logarithmic ? std::log(std::max(value, low) / low) / std::log(high / low)
                                     : (value - low) / (high - low);
    return std::clamp(share, 0., 1.);
}

std::string svgOf(const Marks& marks, const Scale& scale) {
    const char* colour = marks.good ? " good" : marks.bad ? " bad" : "";
    const auto x = [&](double value) { return kWidth * scale.at(value); };
    std::string svg = fmt::format(
        "<svg class=row viewBox=\"0 0 {:g} {:g}\" preserveAspectRatio=none role=img "
        "aria-label=\"{}\" data-low={:.6g} data-high={:.6g}{}>",
        kWidth, kHeight, escaped(marks.label), scale.low, scale.high,
        scale.logarithmic ? " data-log=1" : "");
    if (marks.reference)
        svg += fmt::format("<line class=reference x1={0:.2f} x2={0:.2f} y1=0 y2={1:g} />",
                           x(*marks.reference), kHeight);
    if (marks.bar) {
        const double end = x(marks.bar->value), begin = marks.from ? x(marks.from->value) : 0;
        svg += fmt::format("<rect class=\"bar{}\"{} x={:.2f} y=3 width={:.2f} height=12 />", colour,
                           pointerOf(*marks.bar), std::min(begin, end), std::abs(end - begin));
    }
    if (marks.lower && marks.upper)
        svg += fmt::format(
            "<line class=\"interval{}\"{} data-q=\"{}\" x1={:.2f} x2={:.2f} y1=9 y2=9 />", colour,
            pointerOf(*marks.lower), escaped(marks.upper->pointer), x(marks.lower->value),
            x(marks.upper->value));
    if (marks.point)
        svg += fmt::format("<rect class=\"point{}\"{} x={:.2f} y=4 width=3 height=10 />", colour,
                           pointerOf(*marks.point), x(marks.point->value) - 1.5);
    return svg + "</svg>";
}

std::string heatClass(double value, double lowest, double highest) {
    if (!(highest > lowest)) return "h0";
    const double share = (value - lowest) / (highest - lowest);
    return fmt::format("h{}", std::clamp(static_cast<int>(share * kShades), 0, kShades - 1));
}

}  // namespace rayscope
