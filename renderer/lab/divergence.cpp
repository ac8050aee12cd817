#include "renderer/lab/divergence.h"

#include <algorithm>

#include "renderer/cuda/kernels/footprint.h"

namespace rayscope {

namespace {

/// How many paths have each length, and of how many warps it is the shortest and the longest.
struct Histogram {
    std::vector<double> paths, shortest, longest;
    explicit Histogram(int maxDepth)
        : paths(maxDepth + 1), shortest(maxDepth + 1), longest(maxDepth + 1) {}

    void add(const std::vector<int>& warp) {
        if (warp.empty()) return;
        for (int length : warp) ++paths[length];
        const auto [least, most] = std::minmax_element(warp.begin(), warp.end());
        ++shortest[*least];
        ++longest[*most];
    }
};

int lengthOf(const PathLengths& p, int x, int y, int sample) {
    return p.rays[(static_cast<size_t>(y) * p.width + x) * p.samples + sample];
}

/// SamplesAs::threads: the samples of a row of pixels one after the other, 32 a warp.
void addSampleWarps(const PathLengths& p, Histogram& histogram) {
    const int perRow = p.width * p.samples;
    std::vector<int> warp;
    for (int y = 0; y < p.height; ++y) {
        for (int first = 0; first < perRow; first += kWarp) {
            warp.clear();
            for (int i = first; i < std::min(first + kWarp, perRow); ++i)
                warp.push_back(lengthOf(p, i / p.samples, y, i % p.samples));
            histogram.add(warp);
        }
    }
}

/// SamplesAs::loop: warp number `w` of the block at (x0, y0), sample after sample.
void addPixelWarps(const PathLengths& p, const Variant& v, int x0, int y0, int w,
                   Histogram& histogram) {
    std::vector<int> warp;
    for (int sample = 0; sample < p.samples; ++sample) {
        warp.clear();
        for (int thread = w * kWarp; thread < (w + 1) * kWarp; ++thread) {
            const Place place = placeOf(v, thread % v.blockX, thread / v.blockX);
            const int x = x0 + place.x;
            const int y = y0 + place.y;
            if (x < p.width && y < p.height) warp.push_back(lengthOf(p, x, y, sample));
        }
        histogram.add(warp);
    }
}

void addPixelWarps(const PathLengths& p, const Variant& v, Histogram& histogram) {
    const Footprint block = footprint(v);
    for (int y = 0; y < p.height; y += block.height) {
        for (int x = 0; x < p.width; x += block.width) {
            for (int w = 0; w < v.blockX * v.blockY / kWarp; ++w)
                addPixelWarps(p, v, x, y, w, histogram);
        }
    }
}

/// The share of `counts` at more than `depth`, in percent.
double shareBeyond(const std::vector<double>& counts, int depth) {
    double all = 0, beyond = 0;
    for (size_t length = 0; length < counts.size(); ++length) {
        all += counts[length];
        if (static_cast<int>(length) > depth) beyond += counts[length];
    }
    return all > 0 ? 100 * beyond / all : 0;
}

}  // namespace

Divergence divergenceOf(const PathLengths& paths, const Variant& variant, int maxDepth) {
    Histogram histogram(maxDepth);
    if (variant.samplesAs == SamplesAs::threads)
        addSampleWarps(paths, histogram);
    else
        addPixelWarps(paths, variant, histogram);
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

}  // namespace rayscope
