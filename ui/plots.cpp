#include "ui/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/format.h"

namespace rayscope {

namespace {

constexpr double kPlotSeconds = 60;
/// Of the histogram, the first that has all but one frame of fifty; longer ones are in the last
/// bar.
constexpr std::array kHistogramMs{60., 120., 300., 600., 1200., 3000., 6000.};
constexpr double kInHistogram = .98;
constexpr int kBars = 30;

/// The area inside the axes, in screen units, and the range of each axis.
struct Axes {
    ImVec2 low, high;
    double xMinimum, xMaximum, yMaximum;

    float x(double value) const {
        const double share = (value - xMinimum) / (xMaximum - xMinimum);
        return low.x + static_cast<float>(share) * (high.x - low.x);
    }
    float y(double value) const {
        return high.y - static_cast<float>(value / yMaximum) * (high.y - low.y);
    }
};

/// Reserves the space of a plot and draws background, grid lines and labels of the y axis.
Axes beginPlot(const Theme& theme, float height, const std::vector<double>& yTicks,
               const std::vector<std::string>& yLabels, const std::string& title) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::Dummy({width, height});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    float labelWidth = 0;
    for (const std::string& label : yLabels) {
        labelWidth = std::max(labelWidth, textSize(theme.small, label).x);
    }
    const float gap = theme.units(5), line = theme.small.size;
    Axes axes{};
    axes.low = {std::floor(at.x + labelWidth + gap), std::floor(at.y + line + 1.6f * gap)};
    axes.high = {std::floor(at.x + width - gap), std::floor(at.y + height - line - gap)};
    axes.yMaximum = yTicks.back();
    drawText(list, theme.small, at, packed(colors::dim), title);
    list.AddRectFilled(axes.low, axes.high, packed(colors::faint, .3f));
    for (size_t i = 0; i < yTicks.size(); ++i) {
        const float y = std::floor(axes.y(yTicks[i])) + .5f;
        list.AddLine({axes.low.x, y}, {axes.high.x, y}, packed(colors::faint, i == 0 ? 2.f : .7f));
        const ImVec2 size = textSize(theme.small, yLabels[i]);
        drawText(list, theme.small, {axes.low.x - gap - size.x, y - size.y / 2},
                 packed(colors::dim), yLabels[i]);
    }
    return axes;
}

std::vector<std::string> labelsOf(const std::vector<double>& ticks, double unit) {
    std::vector<std::string> labels;
    for (double tick : ticks) labels.push_back(fmt::format("{:g}", tick / unit));
    return labels;
}

void drawXTick(const Theme& theme, const Axes& axes, double value, const std::string& label) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float x = std::floor(axes.x(value)) + .5f;
    list.AddLine({x, axes.low.y}, {x, axes.high.y}, packed(colors::faint, .5f));
    const ImVec2 size = textSize(theme.small, label);
    // The outermost labels stay above the plot's own width.
    const float left = std::min(x - size.x / 2, axes.high.x + theme.units(4) - size.x);
    drawText(list, theme.small, {left, axes.high.y + theme.units(3)}, packed(colors::dim), label);
}

void drawLine(const std::vector<ImVec2>& points, const ImVec4& color, float thickness) {
    ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()),
                                            packed(color), 0, thickness);
}

void drawMarks(const Theme& theme, const Axes& axes, const Rates& rates, double now) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float row = theme.small.size + theme.units(1);
    const float gap = theme.units(3);
    // Labels that would run into their neighbours go into the next row, newest first.
    constexpr int kRows = 3;
    std::array<float, kRows> taken;
    taken.fill(axes.high.x + 1);
    for (auto mark = rates.marks().rbegin(); mark != rates.marks().rend(); ++mark) {
        const float x = std::floor(axes.x(mark->time - now)) + .5f;
        if (x < axes.low.x) break;
        list.AddLine({x, axes.low.y}, {x, axes.high.y}, packed(colors::text, .55f));
        const float most = (axes.high.x - axes.low.x) * .6f;
        const std::string label = fitted(theme.small, mark->label, most);
        const float width = textSize(theme.small, label).x;
        for (int i = 0; i < kRows; ++i) {
            // Right of the line where there is room, else left of it.
            float left = x + gap;
            if (left + width > taken[i]) left = x - gap - width;
            if (left < axes.low.x || left + width > taken[i]) continue;
            const float top = axes.low.y + row * static_cast<float>(i);
            // Lines of other switches do not run through the text.
            list.AddRectFilled({left - 1, top}, {left + width + 1, top + row},
                               packed(colors::popup, .9f));
            drawText(list, theme.small, {left, top}, packed(colors::text, .9f), label);
            taken[i] = left - gap;
            break;
        }
    }
}

void drawCurve(const Axes& axes, const Rates& rates, double now, float thickness) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    std::vector<ImVec2> line;
    for (const RatePoint& point : rates.history()) {
        if (point.time < now - kPlotSeconds) continue;
        line.push_back({axes.x(point.time - now), axes.y(point.raysPerSecond)});
    }
    // Neighbouring quads would show their smoothed edges.
    const ImDrawListFlags flags = list.Flags;
    list.Flags &= ~ImDrawListFlags_AntiAliasedFill;
    for (size_t i = 1; i < line.size(); ++i) {
        list.AddQuadFilled({line[i - 1].x, axes.high.y}, line[i - 1], line[i],
                           {line[i].x, axes.high.y}, packed(colors::accent, .14f));
    }
    list.Flags = flags;
    drawLine(line, colors::accent, thickness);
}

/// Powers of ten, from the last below a range to the first above it.
struct Decades {
    int low, high;
};

Decades decadesOf(const std::vector<ErrorCurve>& curves, double ErrorPoint::*value,
                  Decades unknown) {
    double least = INFINITY, most = 0;
    for (const ErrorCurve& curve : curves) {
        for (const ErrorPoint& point : curve.points) {
            least = std::min(least, point.*value);
            most = std::max(most, point.*value);
        }
    }
    if (!(most > 0)) return unknown;
    const int low = static_cast<int>(std::floor(std::log10(least)));
    return {low, std::max(static_cast<int>(std::ceil(std::log10(most))), low + 1)};
}

void drawLayers(const Theme& theme, const Axes& axes, const std::vector<StackLayer>& layers) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float gap = std::max(1.0f, std::floor(theme.units(2)));
    for (size_t i = 0; i < layers.front().percent.size(); ++i) {
        const double x = axes.xMinimum + static_cast<double>(i);
        const float left = std::floor(axes.x(x)), right = std::floor(axes.x(x + 1)) - gap;
        double sum = 0;
        for (const StackLayer& layer : layers) {
            const float bottom = axes.y(sum);
            sum += layer.percent[i];
            list.AddRectFilled({left, axes.y(sum)}, {std::max(right, left + 1), bottom},
                               packed(layer.color));
        }
    }
}

/// Boxes and names, in as many rows as they need.
void drawLegend(const Theme& theme, const std::vector<StackLayer>& entries) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float right = at.x + ImGui::GetContentRegionAvail().x;
    const float box = theme.units(8), gap = theme.units(4), row = theme.small.size + gap;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    ImVec2 place = at;
    for (const StackLayer& entry : entries) {
        const float width = box + gap + textSize(theme.small, entry.name).x;
        if (place.x > at.x && place.x + width > right) place = {at.x, place.y + row};
        const float top = std::floor(place.y + (theme.small.size - box) / 2);
        list.AddRectFilled({place.x, top}, {place.x + box, top + box}, packed(entry.color));
        drawText(list, theme.small, {place.x + box + gap, place.y}, packed(colors::dim),
                 entry.name);
        place.x += width + theme.units(10);
    }
    ImGui::Dummy({right - at.x, place.y + row - at.y});
}

}  // namespace

std::vector<double> axisTicks(double maximum, int count) {
    if (!(maximum > 0)) maximum = 1;
    const double rough = maximum / std::max(count, 1);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const auto wide = [&](double factor) { return factor * power >= rough * .999999; };
    const double step = power * (wide(1) ? 1 : wide(2) ? 2 : wide(5) ? 5 : 10);
    std::vector<double> ticks{0};
    while (ticks.back() < maximum * .999999)
        ticks.push_back(step * static_cast<double>(ticks.size()));
    return ticks;
}

void drawRatePlot(const Theme& theme, const Rates& rates, double now, float height) {
    double highest = 0;
    for (const RatePoint& point : rates.history()) highest = std::max(highest, point.raysPerSecond);
    // Room above the curve for the labels of the switches.
    const std::vector<double> ticks = axisTicks(highest * 1.25, 4);
    const auto [unit, letter] = prefixOf(ticks.back());
    Axes axes = beginPlot(theme, height, ticks, labelsOf(ticks, unit),
                          fmt::format("{}{}rays/s, last minute", letter, unit > 1 ? " " : ""));
    axes.xMinimum = -kPlotSeconds;
    axes.xMaximum = 0;
    for (int s = -60; s <= 0; s += 20) {
        drawXTick(theme, axes, s, s == 0 ? "now" : fmt::format("{} s", s));
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(axes.low, axes.high, true);
    drawCurve(axes, rates, now, theme.units(1.6f));
    drawMarks(theme, axes, rates, now);
    list.PopClipRect();
}

void drawShare(const Theme& theme, const std::string& name, double share, const ImVec4& text,
               const ImVec4& bar) {
    constexpr float kBarHeight = 5, kGap = 5;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string figure = fmt::format("{:.1f} %", 100 * share);
    drawText(list, theme.small, at, packed(text), name);
    drawText(list, theme.small, {at.x + width - textSize(theme.small, figure).x, at.y},
             packed(text), figure);
    const float top = std::floor(at.y + theme.small.size + theme.units(2));
    const float bottom = top + theme.units(kBarHeight);
    list.AddRectFilled({at.x, top}, {at.x + width, bottom}, packed(colors::faint, .6f));
    list.AddRectFilled({at.x, top}, {at.x + static_cast<float>(share) * width, bottom},
                       packed(bar, .85f));
    ImGui::Dummy({width, bottom - at.y + theme.units(kGap)});
}

void drawTrend(const Ui& ui, const std::string& title, const std::vector<TrendPoint>& points,
               float height) {
    const Theme& theme = ui.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const std::string& last = points.back().text;
    drawText(list, theme.small, at, packed(colors::dim), title);
    drawText(list, theme.small, {at.x + width - textSize(theme.small, last).x, at.y},
             packed(colors::text), last);
    const float top = at.y + theme.small.size + theme.units(3), bottom = top + height;
    list.AddRectFilled({at.x, top}, {at.x + width, bottom}, packed(colors::faint, .3f));
    double most = 0;
    for (const TrendPoint& p : points) most = std::max(most, p.value);
    const float radius = theme.units(2), inset = 2 * radius;
    const auto place = [&](size_t i) {
        const float x = static_cast<float>(i) / static_cast<float>(points.size() - 1);
        const double y = most > 0 ? points[i].value / most : 0;
        return ImVec2{at.x + inset + x * (width - 2 * inset),
                      bottom - inset - static_cast<float>(y) * (height - 2 * inset)};
    };
    ImGui::Dummy({width, bottom - at.y + theme.units(4)});
    size_t nearest = 0;
    for (size_t i = 0; i < points.size(); ++i) {
        const ImVec2 p = place(i);
        if (i > 0) list.AddLine(place(i - 1), p, packed(colors::accent, .8f), theme.units(1.4f));
        list.AddCircleFilled(p, radius, packed(colors::accent));
        const float mouse = ImGui::GetIO().MousePos.x;
        if (std::abs(p.x - mouse) < std::abs(place(nearest).x - mouse)) nearest = i;
    }
    const TrendPoint& p = points[nearest];
    hint(ui, p.change.empty() ? p.text : p.text + "\n" + p.change);
}

double histogramMs(const std::deque<double>& frameMs) {
    for (const double most : kHistogramMs) {
        const auto within = std::ranges::count_if(frameMs, [&](double ms) { return ms <= most; });
        if (static_cast<double>(within) >= kInHistogram * static_cast<double>(frameMs.size()))
            return most;
    }
    return kHistogramMs.back();
}

void drawFrameHistogram(const Theme& theme, const std::deque<double>& frameMs, float height) {
    std::array<int, kBars> counts{};
    const double range = histogramMs(frameMs);
    for (double ms : frameMs) {
        const int bar = static_cast<int>(std::min(ms / range, 1.) * kBars);
        ++counts[std::clamp(bar, 0, kBars - 1)];
    }
    const int most = *std::max_element(counts.begin(), counts.end());
    const std::vector<double> ticks = axisTicks(std::max(most, 4), 3);
    Axes axes = beginPlot(theme, height, ticks, labelsOf(ticks, 1),
                          fmt::format("frames by their time in ms, last {}", frameMs.size()));
    axes.xMinimum = 0;
    axes.xMaximum = range;
    constexpr int kTicks = 6;
    for (int i = 0; i <= kTicks; ++i) {
        const double ms = range * i / kTicks;
        drawXTick(theme, axes, ms, fmt::format("{:g}{}", ms, i == kTicks ? "+" : ""));
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float gap = std::max(1.0f, std::floor(theme.units(1)));
    for (int i = 0; i < kBars; ++i) {
        if (counts[i] == 0) continue;
        const float left = axes.x(range * i / kBars);
        const float right = axes.x(range * (i + 1) / kBars) - gap;
        const float top = std::min(axes.y(counts[i]), axes.high.y - 1);
        list.AddRectFilled({left, top}, {right, axes.high.y}, packed(colors::accent, .85f));
    }
}

void drawErrorPlot(const Theme& theme, const std::vector<ErrorCurve>& curves, float height) {
    const Decades errors = decadesOf(curves, &ErrorPoint::error, {-2, 0});
    const Decades times = decadesOf(curves, &ErrorPoint::kernelMs, {2, 4});
    std::vector<double> ticks;
    std::vector<std::string> labels;
    for (int d = errors.low; d <= errors.high; ++d) {
        ticks.push_back(d - errors.low);
        labels.push_back(fmt::format("{:g} %", std::pow(10, d + 2)));
    }
    Axes axes = beginPlot(theme, height, ticks, labels, "error over kernel time");
    axes.xMinimum = times.low;
    axes.xMaximum = times.high;
    for (int d = times.low; d <= times.high; ++d) {
        drawXTick(theme, axes, d,
                  d < 3 ? fmt::format("{:g} ms", std::pow(10, d))
                        : fmt::format("{:g} s", std::pow(10, d - 3)));
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const ErrorCurve& curve : curves) {
        std::vector<ImVec2> line;
        for (const ErrorPoint& point : curve.points) {
            line.push_back(
                {axes.x(std::log10(point.kernelMs)), axes.y(std::log10(point.error) - errors.low)});
            list.AddCircleFilled(line.back(), theme.units(2.2f), packed(curve.color));
        }
        drawLine(line, curve.color, theme.units(1.6f));
    }
}

void drawStack(const Theme& theme, const std::string& title, const std::vector<StackLayer>& layers,
               const StackLayer& line, float height) {
    const size_t steps = layers.empty() ? 0 : layers.front().percent.size();
    Axes axes = beginPlot(theme, height, {0, 50, 100}, {"0", "50", "100 %"}, title);
    axes.xMinimum = .5;
    axes.xMaximum = static_cast<double>(std::max<size_t>(steps, 1)) + .5;
    if (steps > 0) drawLayers(theme, axes, layers);
    const size_t every = steps / 12 + 1;
    for (size_t i = 0; i < steps; i += every)
        drawXTick(theme, axes, static_cast<double>(i) + 1, std::to_string(i + 1));
    std::vector<StackLayer> legend = layers;
    if (line.name != nullptr) {
        std::vector<ImVec2> points;
        for (size_t i = 0; i < line.percent.size(); ++i)
            points.push_back({axes.x(static_cast<double>(i) + 1), axes.y(line.percent[i])});
        drawLine(points, line.color, theme.units(2));
        legend.push_back(line);
    }
    drawLegend(theme, legend);
}

}  // namespace rayscope
