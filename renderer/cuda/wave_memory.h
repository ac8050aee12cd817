#pragma once

#include "renderer/base/result.h"
#include "renderer/cuda/path_buffers.h"
#include "renderer/film/film.h"

namespace rayscope {

/// The paths of a wave in device memory: allocated once, kept until released, and laid out anew for
/// every variant.
class WaveMemory {
public:
    /// Room for this many paths or, where that is too much, for as many as the device gives.
    /// Returns false where it has none.
    bool prepare(const Variant& variant, long long paths);
    void release();

    int capacity() const { return paths.capacity; }

    PathMemory paths{};
    int* lists[2] = {};      ///< indices of paths; the second for Compaction::device
    int* lengths = nullptr;  ///< Compaction::device: of the list of each depth, kMaxDepth + 1
    Pixel* sums = nullptr;   ///< of the wave's pixels, where the host makes them

private:
    DeviceBuffer block_;
    size_t limit_ = 0;  ///< bytes; 0: not looked up
};

/// Takes memory for a pass of so many samples, for a pixel of it at least.
Result<void> reserveWaves(WaveMemory& memory, const Variant& variant, const Film& film,
                          int samples);

/// The host has something to do in every wave, so a band is done when its launch returns.
bool hostWorks(const Variant& variant);

/// The host sums the samples of each pixel.
bool sumsOnHost(const Variant& variant);

/// Threads of the host that work along, as Settings::threads.
int hostThreads(const Variant& variant, const Settings& settings);

/// Most paths of a wave. Where the host works, it gets to do so often enough for a window.
int mostPaths(const Variant& variant);

}  // namespace rayscope
