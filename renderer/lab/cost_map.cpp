#include "renderer/lab/cost_map.h"

#include <algorithm>
#include <numeric>

#include "renderer/film/false_color.h"

namespace rayscope {

namespace {

/// A few pixels cost far more than all others: those that the operating system has interrupted.
constexpr double kBelowFullScale = .999;

void findFullScale(CostMap& map) {
    if (map.values.empty()) return;
    std::vector<float> sorted = map.values;
    const auto rank =
        static_cast<std::ptrdiff_t>(kBelowFullScale * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
    const double value = sorted[static_cast<size_t>(rank)];
    if (value > 0) map.fullScale = value;
}

}  // namespace

CostMap costMap(const PathLengths& paths) {
    CostMap map{paths.width, paths.height, {}, 1, "rays a sample"};
    for (size_t first = 0; first < paths.rays.size(); first += paths.samples) {
        const auto begin = paths.rays.begin() + static_cast<std::ptrdiff_t>(first);
        const int rays = std::accumulate(begin, begin + paths.samples, 0);
        map.values.push_back(static_cast<float>(rays) / static_cast<float>(paths.samples));
    }
    findFullScale(map);
    return map;
}

CostMap costMap(const PixelTimes& times) {
    CostMap map{times.width, times.height, {}, 1, times.unit + " a sample"};
    for (const unsigned ticks : times.ticks)
        map.values.push_back(static_cast<float>(ticks) / static_cast<float>(times.samples));
    findFullScale(map);
    return map;
}

Picture falseColors(const CostMap& map) {
    Picture picture{map.width, map.height, {}};
    picture.rgb.reserve(3 * map.values.size());
    for (const float value : map.values) {
        for (const float channel : colorAt(kMagnitude, value / map.fullScale))
            picture.rgb.push_back(static_cast<std::uint8_t>(255 * channel + .5f));
    }
    return picture;
}

}  // namespace rayscope
