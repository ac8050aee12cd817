#pragma once

#include "renderer/core/path.h"
#include "renderer/core/real.h"

// What all kernels of a CPU have in common. They are compiled at run time, each for one Variant.

namespace rayscope {

/// Adds a kernel's counts to those of its launch.
template <Variant V>
RAYSCOPE_FN void addCounts(const CountsOf<V>& counts, const LaunchParams<Real<V>>& launch) {
    if constexpr (!V.countRays) return;
    launch.counters[0] += counts.camera;
    launch.counters[1] += counts.closest;
    launch.counters[2] += counts.shadow;
    if constexpr (V.countDepths) {
        for (int d = 0; d < kMaxDepth; ++d) launch.counters[3 + d] += counts.depth[d];
    }
}

}  // namespace rayscope
