#pragma once

#include "renderer/core/types.h"

// The kernels compiled ahead of time. kernels.cpp is built once for each optimisation level and
// instruction set, each time in an inline namespace of its own (RAYSCOPE_BUILD).

namespace rayscope {

/// Renders the launch's rectangle on the calling thread and adds to the launch's counters.
template <class Real>
using CpuKernel = void (*)(const LaunchParams<Real>&);

/// The scenes that CPU kernels are compiled for: the common materials under a gradient, all there
/// is, and all there is with walls (Feature).
inline constexpr unsigned kCpuFeatures[] = {kLambert | kMetal | kDielectric | kGradientSky,
                                            kAllFeatures & ~kWalls, kAllFeatures};
inline constexpr int kCpuFeatureSets = 3;

/// What a CPU kernel is compiled for; the rest of a Variant means nothing there.
struct CpuVariant {
    Path path;
    SceneLayout layout;
    int features;  ///< index into kCpuFeatures
};

inline constexpr int kCpuVariants = 3 * 2 * kCpuFeatureSets;

constexpr int index(CpuVariant v) {
    return (static_cast<int>(v.path) * 2 + static_cast<int>(v.layout)) * kCpuFeatureSets +
           v.features;
}

constexpr CpuVariant cpuVariant(int i) {
    return {static_cast<Path>(i / (2 * kCpuFeatureSets)),
            static_cast<SceneLayout>(i / kCpuFeatureSets % 2), i % kCpuFeatureSets};
}

/// The kernels of one build, by index().
template <class Real>
struct CpuKernels {
    CpuKernel<Real> kernels[kCpuVariants];
};

}  // namespace rayscope
