#include "renderer/lab/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "renderer/backend/path_memory.h"
#include "renderer/core/footprint.h"
#include "renderer/film/false_color.h"

namespace rayscope {

namespace {

/// How many paths have each length, and of how many warps it is the shortest and the longest.
struct Histogram {
    std::vector<double> paths, shortest, longest;
    explicit Histogram(int maxDepth)
        : paths(maxDepth + 1), shortest(maxDepth + 1), longest(maxDepth + 1) {}

    void add(const std::vector<int>& warp) {
        for (int length : warp) ++paths[length];
        const auto [least, most] = std::minmax_element(warp.begin(), warp.end());
        ++shortest[*least];
        ++longest[*most];
    }
};

/// The samples of the pixel of each lane inside the picture.
using PixelLanes = std::vector<const unsigned char*>;

/// Lanes of warp number `w` of the block at (x0, y0).
void findLanes(const PathLengths& p, const Variant& v, int x0, int y0, int w, PixelLanes& lanes) {
    lanes.clear();
    for (int thread = w * kWarp; thread < (w + 1) * kWarp; ++thread) {
        const Place place = placeOf(v, thread % v.blockX, thread / v.blockX);
        const int x = x0 + place.x;
        const int y = y0 + place.y;
        if (x >= p.width || y >= p.height) continue;
        lanes.push_back(p.rays.data() + (static_cast<size_t>(y) * p.width + x) * p.samples);
    }
}

/// SamplesAs::loop
template <class Take>
void eachPixelWarp(const PathLengths& p, const Variant& v, Take take) {
    const Footprint block = footprint(v);
    PixelLanes lanes;
    for (int y = 0; y < p.height; y += block.height) {
        for (int x = 0; x < p.width; x += block.width) {
            for (int w = 0; w < v.blockX * v.blockY / kWarp; ++w) {
                findLanes(p, v, x, y, w, lanes);
                if (!lanes.empty()) take(lanes);
            }
        }
    }
}

/// Warps whose lanes trace one path each: of SamplesAs::threads the samples of a row of pixels one
/// after the other, 32 a warp.
template <class Take>
void eachWarp(const PathLengths& p, const Variant& v, Take take) {
    std::vector<int> warp;
    if (v.samplesAs == SamplesAs::threads) {
        const std::ptrdiff_t perRow = std::ptrdiff_t{1} * p.width * p.samples;
        for (auto row = p.rays.begin(); row != p.rays.end(); row += perRow) {
            for (std::ptrdiff_t first = 0; first < perRow; first += kWarp) {
                warp.assign(row + first, row + std::min(first + kWarp, perRow));
                take(warp);
            }
        }
        return;
    }
    eachPixelWarp(p, v, [&](const PixelLanes& lanes) {
        for (int sample = 0; sample < p.samples; ++sample) {
            warp.clear();
            for (const unsigned char* lane : lanes) warp.push_back(lane[sample]);
            take(warp);
        }
    });
}

Lanes megakernelLanes(const PathLengths& p, const Variant& v) {
    Lanes result;
    eachWarp(p, v, [&](const std::vector<int>& warp) {
        result.rays += std::accumulate(warp.begin(), warp.end(), 0);
        result.slots += kWarp * *std::max_element(warp.begin(), warp.end());
    });
    return result;
}

Lanes regenerationLanes(const PathLengths& p, const Variant& v, int maxDepth) {
    Lanes result;
    eachPixelWarp(p, v, [&](const PixelLanes& lanes) {
        double most = 0;
        for (const unsigned char* lane : lanes) {
            const bool budget = v.regeneration == Regeneration::budget;
            const double rays =
                budget ? p.samples * maxDepth : std::accumulate(lane, lane + p.samples, 0);
            result.rays += rays;
            most = std::max(most, rays);
        }
        result.slots += kWarp * most;
    });
    return result;
}

/// SamplesFrom::warp: each sample goes to the lane that is free first.
Lanes sharedLanes(const PathLengths& p, const Variant& v) {
    Lanes result;
    eachPixelWarp(p, v, [&](const PixelLanes& lanes) {
        std::array<int, kWarp> busy{};  // until so many steps
        for (int sample = 0; sample < p.samples; ++sample) {
            for (const unsigned char* lane : lanes) {
                *std::min_element(busy.begin(), busy.end()) += lane[sample];
                result.rays += lane[sample];
            }
        }
        result.slots += kWarp * *std::max_element(busy.begin(), busy.end());
    });
    return result;
}

/// SamplesFrom::queue: lanes wait only when nothing is left.
Lanes queuedLanes(const PathLengths& p) {
    const double rays = std::accumulate(p.rays.begin(), p.rays.end(), 0.);
    return {rays, kWarp * std::ceil(rays / kWarp)};
}

/// One queue of all paths that go on, for each depth.
Lanes denseLanes(const PathLengths& p, int maxDepth) {
    std::vector<double> live(maxDepth + 1);
    for (const unsigned char length : p.rays) ++live[length];
    Lanes result;
    double paths = 0;
    for (int depth = maxDepth; depth > 0; --depth) {
        paths += live[depth];
        result.rays += paths;
        result.slots += kWarp * std::ceil(paths / kWarp);
    }
    return result;
}

/// Paths keep their lanes: the samples of all pixels one after the other.
Lanes sparseLanes(const PathLengths& p) {
    Lanes result;
    for (size_t first = 0; first < p.rays.size(); first += kWarp) {
        const auto begin = p.rays.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = first + kWarp < p.rays.size() ? begin + kWarp : p.rays.end();
        result.rays += std::accumulate(begin, end, 0);
        result.slots += kWarp * *std::max_element(begin, end);
    }
    return result;
}

Lanes lanesOf(unsigned long long rays, unsigned long long steps, const PacketUse& packets) {
    return {static_cast<double>(rays), static_cast<double>(steps) * packets.lanes};
}

/// The share of `counts` at more than `depth`, in percent.
double shareBeyond(const std::vector<double>& counts, int depth) {
    const double all = std::accumulate(counts.begin(), counts.end(), 0.);
    const double beyond = std::accumulate(counts.begin() + depth + 1, counts.end(), 0.);
    return all > 0 ? 100 * beyond / all : 0;
}

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

Divergence divergenceOf(const PathLengths& paths, const Variant& variant, int maxDepth) {
    Histogram histogram(maxDepth);
    eachWarp(paths, variant, [&](const std::vector<int>& warp) { histogram.add(warp); });
    Divergence result;
    for (int depth = 0; depth < maxDepth; ++depth)
        result.raysPerPath += shareBeyond(histogram.paths, depth) / 100;
    for (int depth = 1; depth <= maxDepth; ++depth) {
        DivergenceRow row;
        row.active = shareBeyond(histogram.paths, depth);
        row.done = 100 - shareBeyond(histogram.longest, depth);
        row.full = shareBeyond(histogram.shortest, depth);
        row.divergent = 100 - row.done - row.full;
        result.rows.push_back(row);
    }
    return result;
}

Lanes lanesOf(const PathLengths& paths, const Variant& variant, int maxDepth) {
    if (variant.engine == Engine::packets)
        return lanesOf(paths.packets.rays, paths.packets.steps, paths.packets);
    if (storesPaths(variant)) {
        return variant.compaction == Compaction::off ? sparseLanes(paths)
                                                     : denseLanes(paths, maxDepth);
    }
    if (pools(variant)) {
        return variant.samplesFrom == SamplesFrom::queue ? queuedLanes(paths)
                                                         : sharedLanes(paths, variant);
    }
    if (variant.engine == Engine::regeneration && variant.samplesAs == SamplesAs::loop)
        return regenerationLanes(paths, variant, maxDepth);
    return megakernelLanes(paths, variant);
}

std::string reasonFor(const Variant& v) {
    if (v.engine == Engine::packets)
        return "at the end of a piece there are no samples left for them; with lanes_take=hits a "
               "lane whose path ends on a surface is idle for one search, and with "
               "lane_refill=off a packet waits for its longest path";
    if (storesPaths(v)) {
        return v.compaction == Compaction::off ? "paths that have ended keep their lanes"
                                               : "queues of live paths fill all warps but the last";
    }
    if (v.samplesAs == SamplesAs::threads) return "a warp waits for the longest of its 32 paths";
    if (v.engine == Engine::megakernel)
        return "a warp waits for the longest of its 32 paths, sample after sample";
    if (v.samplesFrom == SamplesFrom::queue)
        return "lanes take sample after sample, and warps piece after piece of a queue";
    if (v.samplesFrom == SamplesFrom::warp)
        return "a warp waits when its 32 pixels have no samples left";
    return v.regeneration == Regeneration::budget
               ? "all lanes trace on until their budget is spent"
               : "a warp waits for the lane whose samples trace most rays";
}

std::vector<EngineLanes> lanesOfEngines(const PathLengths& paths, const Variant& variant,
                                        int maxDepth) {
    struct Model {
        const char* name;
        Engine engine;
        SamplesAs samplesAs;
        Compaction compaction;
    };
    constexpr Model kModels[] = {
        {"megakernel, loop", Engine::megakernel, SamplesAs::loop, Compaction::off},
        {"megakernel, threads", Engine::megakernel, SamplesAs::threads, Compaction::off},
        {"regeneration", Engine::regeneration, SamplesAs::loop, Compaction::off},
        {"waves, all paths", Engine::wavefront, SamplesAs::loop, Compaction::off},
        {"waves, live paths", Engine::wavefront, SamplesAs::loop, Compaction::device}};
    std::vector<EngineLanes> result;
    if (const PacketUse& p = paths.packets; p.lanes > 0) {
        const bool running = variant.engine == Engine::packets;
        result.push_back(
            {fmt::format("packets of {}", p.lanes), running, lanesOf(p.rays, p.steps, p), true});
        if (p.shadowSteps > 0)
            result.push_back(
                {"their shadow rays", false, lanesOf(p.shadowRays, p.shadowSteps, p), true});
    }
    for (const Model& model : kModels) {
        Variant v = variant;
        v.engine = model.engine;
        v.samplesAs = model.samplesAs;
        v.compaction = model.compaction;
        const bool running =
            storesPaths(v) ? storesPaths(variant) && (v.compaction == Compaction::off) ==
                                                         (variant.compaction == Compaction::off)
                           : v.engine == variant.engine && v.samplesAs == variant.samplesAs;
        result.push_back({model.name, running, lanesOf(paths, v, maxDepth)});
    }
    return result;
}

const char* nameOf(HitKind kind) {
    constexpr const char* kNames[kHitKinds] = {"sky",   "light",  "lambert", "metal",
                                               "glass", "glossy", "floor"};
    return kNames[static_cast<int>(kind)];
}

unsigned long long raysAt(const PathLengths& paths, int depth) {
    const auto& row = paths.hits[depth];
    return std::accumulate(row.begin(), row.end(), 0ULL);
}

double hitShare(const PathLengths& paths, int depth, HitKind kind) {
    const auto rays = static_cast<double>(raysAt(paths, depth));
    const auto hits = static_cast<double>(paths.hits[depth][static_cast<int>(kind)]);
    return rays > 0 ? 100 * hits / rays : 0;
}

std::string subnormalWarning(const PathLengths& paths) {
    constexpr double kFew = .1;  // some hundred cycles of thousands
    const double all = 1. * paths.width * paths.height * paths.samples;
    const double share = all > 0 ? static_cast<double>(paths.subnormalPaths) / all : 0;
    if (share <= kFew) return {};
    return fmt::format(
        "{:.0f} % of the paths meet subnormal numbers. The CPU's workers take them for zero; where "
        "they count, each takes many cores over a hundred cycles.",
        100 * share);
}

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
