#include "renderer/cpu/path_lengths.h"

#include <atomic>

#include "renderer/core/path.h"

namespace rayscope {

namespace {

constexpr Variant lengthVariant(bool walls) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.accel = Accel::bvh;    // the scene's flag decides
    v.lightSampling = true;  // the number of lights does
    v.recordLengths = true;
    v.traits.features = walls ? kAllFeatures : kAllFeatures & ~kWalls;
    return v;
}

template <bool Walls>
void traceRow(const LaunchParams<float>& launch, int y) {
    constexpr Variant kVariant = lengthVariant(Walls);
    RayCounts<false> counts;
    GeneratorOf<kVariant> rng{};
    for (int x = 0; x < launch.width; ++x)
        followSamples<float, kVariant>(launch, x, y, 0, launch.samples, rng, counts);
}

}  // namespace

PathLengths cpuPathLengths(const Settings& settings, const Scene& scene, const Camera& camera,
                           int width, int height, int samples, ThreadPool& pool) {
    PathLengths result{width, height, samples, {}};
    result.rays.resize(static_cast<size_t>(width) * height * samples);
    const Film film{width, height, nullptr, 0, 0, samples, 0};
    LaunchParams<float> launch = launchParams<float>(settings, scene, camera, film);
    const std::vector<unsigned char> packed =
        packScene<float>(scene, SceneLayout::aos, settings.variant.accel);
    launch.scene = packed.data();
    launch.lengths = result.rays.data();
    const auto row = traitsOf(scene).features & kWalls ? traceRow<true> : traceRow<false>;
    std::atomic<int> next{0};
    pool.run([&](int) {
        for (int y = next.fetch_add(1); y < height; y = next.fetch_add(1)) row(launch, y);
    });
    return result;
}

}  // namespace rayscope
