#pragma once

#include "ui/rates.h"
#include "ui/theme.h"
#include "ui/versus.h"
#include "ui/widgets.h"

namespace rayscope {

/// Round numbers from 0 up to at least `maximum`: steps of 1, 2 or 5 times a power of ten, about
/// `count` of them. The last one is the end of the axis.
std::vector<double> axisTicks(double maximum, int count);

/// rays/s over the last minute, with a line and a label at each switch. Fills the panel's width.
void drawRatePlot(const Theme& theme, const Rates& rates, double now, float height);

/// A line of the plot below: errors over kernel milliseconds, both above zero.
struct ErrorCurve {
    std::vector<ErrorPoint> points;
    ImVec4 color;
};

/// Error over kernel time, both on logarithmic scales.
void drawErrorPlot(const Theme& theme, const std::vector<ErrorCurve>& curves, float height);

/// A part of the whole at each step.
struct StackLayer {
    const char* name;
    ImVec4 color;
    std::vector<double> percent;
};

/// Bars of layers on each other, for steps 1, 2, ...; a legend below. `line`: a number at each step
/// that is no part of the whole; without a name there is none.
void drawStack(const Theme& theme, const std::string& title, const std::vector<StackLayer>& layers,
               const StackLayer& line, float height);

/// A name, a part of the whole in percent, and its bar below.
void drawShare(const Theme& theme, const std::string& name, double share, const ImVec4& text,
               const ImVec4& bar);

struct TrendPoint {
    double value;
    std::string text;    ///< the value as it is written
    std::string change;  ///< what had been changed before
};

/// A line through values, from zero up, with its name and the last value above; a tooltip for each
/// point.
void drawTrend(const Ui& ui, const std::string& title, const std::vector<TrendPoint>& points,
               float height);

/// Where the axis of the frames' times ends: it grows with them.
double histogramMs(const std::deque<double>& frameMs);
/// How many of the last frames took how long.
void drawFrameHistogram(const Theme& theme, const std::deque<double>& frameMs, float height);

}  // namespace rayscope
