// Built once for each optimisation level and instruction set: RAYSCOPE_BUILD names the build,
// RAYSCOPE_REAL the precision.

#include <utility>

#include "renderer/core/path.h"
#include "renderer/cpu/kernel_table.h"
#include "renderer/cpu/waves.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// Decided at run time: light sampling by the number of lights, the search by a flag of the scene,
/// whether a row has one random state by the launch. Depths are always counted: an increment in the
/// first-level cache.
constexpr Variant compiledVariant(CpuVariant v, Precision precision) {
    Variant full;
    full.path = v.path;
    full.precision = precision;
    full.sceneLayout = v.layout;
    full.sceneMemory = SceneMemory::global;
    full.accel = Accel::bvh;
    full.math = Math::precise;
    full.random = v.sharedRandom ? Random::shared : Random::perRow;
    full.lightSampling = true;
    full.countDepths = true;
    full.traits.features = kCpuFeatures[v.features];
    return full;
}

constexpr Variant uncountedVariant(int features, Precision precision) {
    Variant full =
        compiledVariant(CpuVariant{Path::loop, SceneLayout::soa, features, false}, precision);
    full.countRays = false;
    return full;
}

constexpr Variant compiledVariant(CpuRegenerationVariant v, Precision precision) {
    Variant full = compiledVariant(CpuVariant{Path::loop, v.layout, v.features, false}, precision);
    full.engine = Engine::regeneration;
    full.random = Random::perPath;
    return full;
}

constexpr Variant compiledVariant(CpuMeshVariant v, Precision precision) {
    Variant full =
        compiledVariant(CpuVariant{Path::loop, v.layout, v.walls ? 2 : 1, false}, precision);
    full.traits.features |= v.pictures ? kTriangles | kPictures : kTriangles;
    if (v.places) full.traits.features |= kPlaces;
    return full;
}

template <class Real>
inline constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;

template <class Real>
void add(const RayCounts<true>& counts, const LaunchParams<Real>& launch) {
    launch.counters[0] += counts.camera;
    launch.counters[1] += counts.closest;
    launch.counters[2] += counts.shadow;
    for (int d = 0; d < kMaxDepth; ++d) launch.counters[3 + d] += counts.depth[d];
}

template <class Real, Variant V>
void renderRectangle(const LaunchParams<Real>& launch) {
    RayCounts<true> counts;
    drawsByLcg = launch.lcg != 0;
    for (int y = launch.y0; y < launch.y1; ++y) {
        const int first = y * launch.width + launch.x0;
        GeneratorOf<V> rng = rowGenerator<V>(launch, first, launch.firstSample);
        for (int x = launch.x0; x < launch.x1; ++x)
            renderPixel<Real, V>(launch, x, y, true, rng, counts);
    }
    if constexpr (V.countRays) add(counts, launch);
}

template <class Real, int I>
void renderInWaves(const LaunchParams<Real>& launch, const CpuWaveMemory& memory) {
    RayCounts<true> counts;
    drawsByLcg = launch.lcg != 0;
    renderWaves<Real, cpuWave(cpuWaveVariant(I), kPrecision<Real>)>(launch, memory, counts);
    add(counts, launch);
}

template <class Real, int... I, int... U, int... T, int... M, int... W>
constexpr CpuKernels<Real> table(std::integer_sequence<int, I...>, std::integer_sequence<int, U...>,
                                 std::integer_sequence<int, T...>, std::integer_sequence<int, M...>,
                                 std::integer_sequence<int, W...>) {
    return {
        {&renderRectangle<Real, compiledVariant(cpuVariant(I), kPrecision<Real>)>...},
        {&renderRectangle<Real, uncountedVariant(U, kPrecision<Real>)>...},
        {&renderRectangle<Real, compiledVariant(cpuRegenerationVariant(T), kPrecision<Real>)>...},
        {&renderRectangle<Real, compiledVariant(cpuMeshVariant(M), kPrecision<Real>)>...},
        {&renderInWaves<Real, W>...}};
}

const CpuKernels<RAYSCOPE_REAL>& kernels(RAYSCOPE_REAL) {
    static constexpr CpuKernels<RAYSCOPE_REAL> kTable =
        table<RAYSCOPE_REAL>(std::make_integer_sequence<int, kCpuVariants>(),
                             std::make_integer_sequence<int, kCpuFeatureSets>(),
                             std::make_integer_sequence<int, kCpuRegenerationVariants>(),
                             std::make_integer_sequence<int, kCpuMeshVariants>(),
                             std::make_integer_sequence<int, kCpuWaveVariants>());
    return kTable;
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
