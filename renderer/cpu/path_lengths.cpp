#include "renderer/cpu/path_lengths.h"

#include <atomic>
#include <mutex>

#include "renderer/core/path.h"

namespace rayscope {

namespace {

constexpr Variant twin(bool walls) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.accel = Accel::bvh;    // the scene's flag decides
    v.lightSampling = true;  // the number of lights does
    v.traits.features = walls ? kAllFeatures : kAllFeatures & ~kWalls;
    return v;
}

constexpr Variant lengthVariant(bool walls) {
    Variant v = twin(walls);
    v.recordLengths = true;
    return v;
}

constexpr Variant timeVariant(bool walls) {
    Variant v = twin(walls);
    v.recordTime = true;
    return v;
}

template <Variant V>
void traceRow(const LaunchParams<float>& launch, int y, const std::stop_token& stop) {
    CountsOf<V> counts;
    if constexpr (V.recordLengths) counts.hits = launch.hits;
    GeneratorOf<V> rng{};
    for (int x = 0; x < launch.width && !stop.stop_requested(); ++x)
        followSamples<float, V>(launch, x, y, 0, launch.samples, rng, counts);
}

using Row = void (*)(const LaunchParams<float>&, int, const std::stop_token&);
using Hits = decltype(PathLengths::hits);

/// Returns the hits, if the kernels count them.
Hits traceRows(const LaunchParams<float>& launch, Row row, ThreadPool& pool,
               const std::stop_token& stop) {
    Hits hits{};
    std::mutex mutex;
    std::atomic<int> next{0};
    pool.run([&](int) {
        Hits own{};
        LaunchParams<float> part = launch;
        part.hits = own[0].data();
        for (int y = next.fetch_add(1); y < launch.height; y = next.fetch_add(1))
            row(part, y, stop);
        const std::lock_guard lock(mutex);
        for (size_t d = 0; d < own.size(); ++d) {
            for (int kind = 0; kind < kHitKinds; ++kind) hits[d][kind] += own[d][kind];
        }
    });
    return hits;
}

bool hasWalls(const Scene& scene) {
    return (traitsOf(scene).features & kWalls) != 0;
}

}  // namespace

PathLengths cpuPathLengths(const Settings& settings, const Scene& scene, const Camera& camera,
                           int width, int height, int samples, ThreadPool& pool,
                           const std::stop_token& stop) {
    PathLengths result{.width = width, .height = height, .samples = samples, .rays = {}};
    result.rays.resize(static_cast<size_t>(width) * height * samples);
    const Film film{width, height};
    LaunchParams<float> launch = launchParams<float>(settings, scene, camera, film, {samples});
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, settings.variant.accel);
    launch.scene = packed.data();
    launch.lengths = result.rays.data();
    const Row row =
        hasWalls(scene) ? traceRow<lengthVariant(true)> : traceRow<lengthVariant(false)>;
    result.hits = traceRows(launch, row, pool, stop);
    return result;
}

PixelTimes cpuPixelTimes(const Settings& settings, const Scene& scene, const Camera& camera,
                         int width, int height, int samples, ThreadPool& pool,
                         const std::stop_token& stop) {
    PixelTimes result{width, height, samples, {}, "ns"};
    result.ticks.resize(static_cast<size_t>(width) * height);
    const Film film{width, height};
    LaunchParams<float> launch = launchParams<float>(settings, scene, camera, film, {samples});
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, settings.variant.accel);
    launch.scene = packed.data();
    launch.ticks = result.ticks.data();
    traceRows(launch, hasWalls(scene) ? traceRow<timeVariant(true)> : traceRow<timeVariant(false)>,
              pool, stop);
    return result;
}

}  // namespace rayscope
