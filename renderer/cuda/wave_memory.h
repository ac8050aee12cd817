#pragma once

#include "renderer/base/result.h"
#include "renderer/cuda/kernels/stage.h"
#include "renderer/cuda/path_buffers.h"
#include "renderer/film/film.h"

namespace rayscope {

/// Device memory for the paths of a wave. It is kept until released, and laid out for each variant.
class WaveMemory {
public:
    /// Makes room for this many paths, or for as many as the device has room for. Returns false if
    /// it has none.
    bool prepare(const Variant& variant, long long paths);
    void release();

    int capacity() const { return paths.capacity; }

    PathMemory paths{};
    int* lists[2] = {};      ///< indices of paths; the second for Compaction::device
    int* lengths = nullptr;  ///< Compaction::device: length of the list per depth, kMaxDepth + 1
    Pixel* sums = nullptr;   ///< of the wave's pixels, if the host computes them
    SortMemory sorted{};     ///< of a variant that sortsPaths()

private:
    DeviceBuffer block_;
    size_t limit_ = 0;  ///< bytes; 0: not looked up
};

/// Makes room for a pass of so many samples, or for as much of it as possible. Fails if not even
/// one pixel's samples fit.
Result<void> reserveWaves(WaveMemory& memory, const Variant& variant, const Film& film,
                          int samples);

/// True if the host does part of every wave, so that a band is done when its launch returns.
bool hostWorks(const Variant& variant);

/// True if the host sums the samples of each pixel.
bool sumsOnHost(const Variant& variant);

/// Host threads that take part, as Settings::threads.
int hostThreads(const Variant& variant, const Settings& settings);

/// Most paths of a wave; fewer if the host works, so that a window gets its frames often enough.
int mostPaths(const Variant& variant);

}  // namespace rayscope
