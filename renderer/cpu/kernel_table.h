#pragma once

#include "renderer/core/path_store.h"
#include "renderer/core/types.h"

// The kernels compiled ahead of time. kernels.cpp is built once for each optimisation level and
// instruction set, each time in an inline namespace of its own (RAYSCOPE_BUILD).

namespace rayscope {

/// Renders the launch's rectangle on the calling thread and adds to the launch's counters.
template <class Real>
using CpuKernel = void (*)(const LaunchParams<Real>&);

/// The features that CPU kernels are compiled for: the common materials under a gradient sky, all
/// but walls, and all.
inline constexpr unsigned kCpuFeatures[] = {
    kLambert | kMetal | kRough | kDielectric | kGlows | kGradientSky, kAllFeatures & ~kWalls,
    kAllFeatures};
inline constexpr int kCpuFeatureSets = 3;

/// What a CPU kernel is compiled for; the rest of a Variant has no effect.
struct CpuVariant {
    Path path;
    SceneLayout layout;
    int features;       ///< index into kCpuFeatures
    bool sharedRandom;  ///< Random::shared; with all features only
};

/// What a kernel of Engine::regeneration is compiled for, with all features only.
struct CpuRegenerationVariant {
    SceneLayout layout;
    int features;  ///< index into kCpuFeatures
};

inline constexpr int kCpuRegenerationVariants = 2 * (kCpuFeatureSets - 1);

constexpr int index(CpuRegenerationVariant v) {
    return static_cast<int>(v.layout) * (kCpuFeatureSets - 1) + (v.features == 2 ? 1 : 0);
}

constexpr CpuRegenerationVariant cpuRegenerationVariant(int i) {
    return {static_cast<SceneLayout>(i / (kCpuFeatureSets - 1)), i % (kCpuFeatureSets - 1) + 1};
}

/// What a kernel of Engine::megakernel with Path::loop is compiled for in scenes with triangles.
struct CpuMeshVariant {
    SceneLayout layout;  ///< of the spheres
    bool walls;
    bool pictures;  ///< as textures or as the sky
    bool places;    ///< with walls only
};

inline constexpr int kCpuMeshVariants = 2 * 3 * 2;

constexpr int index(CpuMeshVariant v) {
    const int set = v.places ? 2 : v.walls ? 1 : 0;
    return (static_cast<int>(v.layout) * 3 + set) * 2 + (v.pictures ? 1 : 0);
}

constexpr CpuMeshVariant cpuMeshVariant(int i) {
    const int set = i / 2 % 3;
    return {static_cast<SceneLayout>(i / 6), set >= 1, i % 2 == 1, set == 2};
}

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

/// Where a thread of Engine::wavefront keeps its paths.
struct CpuWaveMemory {
    PathMemory paths;
    int* list;   ///< of live paths; null with Compaction::off
    bool fused;  ///< Stages::fused
};

/// Renders the launch's rectangle in waves of as many paths as fit into the memory.
template <class Real>
using CpuWaveKernel = void (*)(const LaunchParams<Real>&, const CpuWaveMemory&);

/// The features that kernels of Engine::wavefront are compiled for: those of others, and in scenes
/// with triangles all, but walls, or but places, or all.
inline constexpr unsigned kMeshFeatures = kAllFeatures | kTriangles | kPictures;
inline constexpr unsigned kCpuWaveFeatures[] = {kCpuFeatures[0], kCpuFeatures[1],
                                                kCpuFeatures[2], kMeshFeatures & ~kWalls,
                                                kMeshFeatures,   kMeshFeatures | kPlaces};
inline constexpr int kCpuWaveSets = 6;

/// What a kernel of Engine::wavefront is compiled for.
struct CpuWaveVariant {
    StateLayout state;
    SceneLayout scene;
    int features;  ///< index into kCpuWaveFeatures
};

inline constexpr int kCpuWaveVariants = 2 * 2 * kCpuWaveSets;

constexpr int index(CpuWaveVariant v) {
    return (static_cast<int>(v.state) * 2 + static_cast<int>(v.scene)) * kCpuWaveSets + v.features;
}

constexpr CpuWaveVariant cpuWaveVariant(int i) {
    return {static_cast<StateLayout>(i / (2 * kCpuWaveSets)),
            static_cast<SceneLayout>(i / kCpuWaveSets % 2), i % kCpuWaveSets};
}

/// The variant of a kernel of Engine::wavefront, from which the layout of its paths follows.
constexpr Variant cpuWave(CpuWaveVariant v, Precision precision) {
    Variant full;
    full.engine = Engine::wavefront;
    full.precision = precision;
    full.sceneLayout = v.scene;
    full.sceneMemory = SceneMemory::global;
    full.accel = Accel::bvh;  // if the scene's flag says so
    full.math = Math::precise;
    full.stateLayout = v.state;
    full.sampleLayout = SampleLayout::aos;
    full.record = Record::compact;
    full.stages = Stages::separate;     // hits are stored; fusing is decided at run time
    full.compaction = Compaction::off;  // ended paths are marked; the caller keeps a list
    full.raySource = RaySource::kernel;
    full.lightSampling = true;
    full.countDepths = true;
    full.traits.features = kCpuWaveFeatures[v.features];
    return full;
}

/// The kernels of one build, by index(). uncounted, by features: path=loop scene_layout=soa without
/// Variant::countRays.
template <class Real>
struct CpuKernels {
    CpuKernel<Real> kernels[kCpuVariants];
    CpuKernel<Real> uncounted[kCpuFeatureSets];
    CpuKernel<Real> regeneration[kCpuRegenerationVariants];
    CpuKernel<Real> meshes[kCpuMeshVariants];
    CpuWaveKernel<Real> waves[kCpuWaveVariants];
};

}  // namespace rayscope
