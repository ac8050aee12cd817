#pragma once

#include "renderer/core/types.h"

// The kernels compiled ahead of time. kernels.cpp is built once for each optimisation level and
// instruction set, each time in an inline namespace of its own (RAYSCOPE_BUILD).

namespace rayscope {

/// Renders the launch's rectangle on the calling thread and adds to the launch's counters.
template <class Real>
using CpuKernel = void (*)(const LaunchParams<Real>&);

/// What a CPU kernel is compiled for; the rest of a Variant means nothing there.
struct CpuVariant {
    Path path;
    SceneLayout layout;
    bool walls;
};

inline constexpr int kCpuVariants = 3 * 2 * 2;

constexpr int index(CpuVariant v) {
    return (static_cast<int>(v.path) * 2 + static_cast<int>(v.layout)) * 2 + (v.walls ? 1 : 0);
}

constexpr CpuVariant cpuVariant(int i) {
    return {static_cast<Path>(i / 4), static_cast<SceneLayout>(i / 2 % 2), i % 2 == 1};
}

/// The kernels of one build, by index().
template <class Real>
struct CpuKernels {
    CpuKernel<Real> kernels[kCpuVariants];
};

}  // namespace rayscope
