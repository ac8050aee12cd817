#include "renderer/cuda/row_times.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace rayscope {

namespace {

/// What is unknown may take longer than all that is known.
constexpr double kCaution = 4;

}  // namespace

void RowTimes::learn(int first, int rows, int height, double ms, bool fills) {
    if (!fills && ms >= mean(first, rows, height)) return;
    const int begin = first * kStrips / height;
    const int end = std::max(((first + rows) * kStrips + height - 1) / height, begin + 1);
    const std::span strips(&ms_[begin], static_cast<size_t>(end - begin));
    const bool known = std::ranges::find(strips, 0.) == strips.end();
    const double before = std::accumulate(strips.begin(), strips.end(), 0.) / strips.size();
    for (double& strip : strips) strip = known ? strip * ms / before : ms;
    most_ = *std::ranges::max_element(ms_);
}

double RowTimes::of(int row, int height) const {
    const double ms = ms_[row * kStrips / height];
    return ms > 0 ? ms : kCaution * most_;
}

double RowTimes::mean(int first, int rows, int height) const {
    double sum = 0;
    for (int row = first; row < first + rows; ++row) sum += of(row, height);
    return sum / rows;
}

double RowTimes::meanWithin(double ms, int first, int height, int granule) const {
    double sum = 0;
    int row = first;
    while (row < height && (sum < ms || row < first + granule)) sum += of(row++, height);
    return sum / (row - first);
}

}  // namespace rayscope
