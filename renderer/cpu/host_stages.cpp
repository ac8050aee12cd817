// Built once for each instruction set, as kernels.cpp is.

#include "renderer/cpu/host_stages.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// Does not count depths, because the GPU traces the rays, and has no compaction, because the
/// caller keeps the list of live paths.
constexpr Variant hostVariant(HostLayout layout, Record record, Sampling sampling,
                              bool walls = true) {
    Variant v;
    v.engine = layout == HostLayout::hybrid ? Engine::hybrid : Engine::wavefront;
    v.precision = sizeof(RAYSCOPE_REAL) == 4 ? Precision::float32 : Precision::float64;
    v.sceneLayout = SceneLayout::soa;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.sampling = sampling;
    v.stateLayout = layout == HostLayout::waveSoa ? StateLayout::soa : StateLayout::aos;
    v.sampleLayout = SampleLayout::aos;
    v.record = record;
    v.stages = Stages::separate;
    v.compaction = Compaction::off;
    v.lightSampling = true;  // decided by the number of lights
    v.traits.features = walls ? kAllFeatures : kAllFeatures & ~kWalls;
    return v;
}

template <class Real, HostLayout L, Record R, Sampling S>
void generatePaths(const Wave<Real>& wave, int begin, int end) {
    constexpr Variant kVariant = hostVariant(L, R, S);
    RayCounts<false> counts;
    drawsByLcg = wave.launch.lcg != 0;
    for (int path = begin; path < end; ++path) generate<kVariant>(wave, path, counts);
}

template <class Real, bool Walls, Record R, Sampling S>
void shadePaths(const Wave<Real>& wave, int begin, int end, const int* list, unsigned char* alive) {
    constexpr Variant kVariant = hostVariant(HostLayout::hybrid, R, S, Walls);
    RayCounts<false> counts;
    drawsByLcg = wave.launch.lcg != 0;
    for (int slot = begin; slot < end; ++slot) {
        const int path = list == nullptr ? slot : list[slot];
        alive[slot] = shadePath<kVariant>(wave, slot, path, counts);
    }
    wave.launch.counters[2] += counts.shadow;
}

template <class Real, SampleLayout L>
void sumPixels(const PathMemory& memory, int begin, int end, int samples, Pixel* sums) {
    constexpr Variant kVariant = [] {
        Variant v = hostVariant(HostLayout::waveAos, Record::compact, Sampling::closedForm);
        v.sampleLayout = L;
        return v;
    }();
    for (int pixel = begin; pixel < end; ++pixel) {
        sums[pixel] = {};
        addSamples(sums[pixel], samplesOf<kVariant, Real>(memory, pixel, samples));
    }
}

#define RAYSCOPE_BY_SAMPLING(function, ...)                             \
    {                                                                   \
        &function<RAYSCOPE_REAL, __VA_ARGS__, Sampling::rejection>,     \
            &function<RAYSCOPE_REAL, __VA_ARGS__, Sampling::closedForm> \
    }
#define RAYSCOPE_BY_RECORD(function, first)                        \
    {                                                              \
        RAYSCOPE_BY_SAMPLING(function, first, Record::wide),       \
            RAYSCOPE_BY_SAMPLING(function, first, Record::compact) \
    }

const HostStages<RAYSCOPE_REAL>& hostStages(RAYSCOPE_REAL) {
    static constexpr HostStages<RAYSCOPE_REAL> kStages = {
        {RAYSCOPE_BY_RECORD(generatePaths, HostLayout::waveAos),
         RAYSCOPE_BY_RECORD(generatePaths, HostLayout::waveSoa),
         RAYSCOPE_BY_RECORD(generatePaths, HostLayout::hybrid)},
        {RAYSCOPE_BY_RECORD(shadePaths, false), RAYSCOPE_BY_RECORD(shadePaths, true)},
        {&sumPixels<RAYSCOPE_REAL, SampleLayout::aos>,
         &sumPixels<RAYSCOPE_REAL, SampleLayout::float3>,
         &sumPixels<RAYSCOPE_REAL, SampleLayout::split>}};
    return kStages;
}

#undef RAYSCOPE_BY_RECORD
#undef RAYSCOPE_BY_SAMPLING

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
