#pragma once

#include "renderer/core/stages.h"
#include "renderer/cpu/kernel_table.h"

// Engine::wavefront on one thread: stage after stage over its own paths. Included by kernels.cpp.

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

template <class Real, Variant V>
RAYSCOPE_CALL void extendOne(const Wave<Real>& wave, int path, CountsOf<V>& counts) {
    extend<V>(wave, path, true, counts);
}
template <class Real, Variant V>
RAYSCOPE_CALL bool shadeOne(const Wave<Real>& wave, int path, CountsOf<V>& counts) {
    return shadePath<V>(wave, path, path, counts);
}

/// Traces all paths of a wave to their ends. Fused, each path goes through both stages before the
/// next, while its ray and hit are in the first-level cache.
template <class Real, Variant V>
RAYSCOPE_FN void traceWave(Wave<Real>& wave, const CpuWaveMemory& memory, CountsOf<V>& counts) {
    int* const list = memory.list;
    int count = wave.pixels * wave.launch.samples;
    for (int path = 0; path < count; ++path) generate<V>(wave, path, counts);
    for (wave.depth = 0; wave.depth < wave.launch.maxDepth && count > 0; ++wave.depth) {
        const bool listed = list != nullptr && wave.depth > 0;
        for (int slot = 0; slot < count && !memory.fused; ++slot) {
            extendOne<Real, V>(wave, listed ? list[slot] : slot, counts);
        }
        int next = 0;
        for (int slot = 0; slot < count; ++slot) {
            const int path = listed ? list[slot] : slot;
            if (memory.fused) extendOne<Real, V>(wave, path, counts);
            const bool alive = shadeOne<Real, V>(wave, path, counts);
            if (list != nullptr && alive) list[next++] = path;
        }
        if (list != nullptr) count = next;
    }
}

/// Renders the launch's rectangle.
template <class Real, Variant V>
RAYSCOPE_FN void renderWaves(const LaunchParams<Real>& launch, const CpuWaveMemory& memory,
                             CountsOf<V>& counts) {
    Wave<Real> wave{launch, memory.paths, 0, 0, 0};
    const int pixels = (launch.x1 - launch.x0) * (launch.y1 - launch.y0);
    const int most = memory.paths.capacity / launch.samples;
    for (int first = 0; first < pixels; first += most) {
        wave.firstPixel = first;
        wave.pixels = minimum(most, pixels - first);
        traceWave<Real, V>(wave, memory, counts);
        for (int pixel = 0; pixel < wave.pixels; ++pixel) accumulate<V>(wave, pixel);
    }
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
