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
    int features;       ///< index into kCpuFeatures
    bool sharedRandom;  ///< Random::shared; with all features only
};

inline constexpr int kPlainVariants = 3 * 2 * kCpuFeatureSets;
inline constexpr int kSharedSets = kCpuFeatureSets - 1;
inline constexpr int kCpuVariants = kPlainVariants + 3 * 2 * kSharedSets;

constexpr int index(CpuVariant v) {
    const int row = static_cast<int>(v.path) * 2 + static_cast<int>(v.layout);
    if (!v.sharedRandom) return row * kCpuFeatureSets + v.features;
    return kPlainVariants + row * kSharedSets + (v.features > 0 ? v.features - 1 : 0);
}

constexpr CpuVariant cpuVariant(int i) {
    const bool shared = i >= kPlainVariants;
    const int sets = shared ? kSharedSets : kCpuFeatureSets;
    const int j = shared ? i - kPlainVariants : i;
    return {static_cast<Path>(j / (2 * sets)), static_cast<SceneLayout>(j / sets % 2),
            j % sets + (shared ? 1 : 0), shared};
}

/// The kernels of one build, by index().
template <class Real>
struct CpuKernels {
    CpuKernel<Real> kernels[kCpuVariants];
};

}  // namespace rayscope
