#include "renderer/cpu/path_lengths.h"

#include <atomic>

#include "renderer/base/subnormals.h"
#include "renderer/core/path.h"

namespace rayscope {

namespace {

/// What a scene has that its kernels must match.
struct Shapes {
    bool walls, meshes, pictures, places = false;
};

constexpr Variant twin(Shapes shapes) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.accel = Accel::bvh;    // the scene's flag decides
    v.lightSampling = true;  // the number of lights does
    v.traits.features = shapes.walls ? kAllFeatures : kAllFeatures & ~kWalls;
    if (shapes.meshes) v.traits.features |= kTriangles;
    if (shapes.places) v.traits.features |= kPlaces;
    if (shapes.pictures) v.traits.features |= kPictures;
    return v;
}

constexpr Variant lengthVariant(Shapes shapes) {
    Variant v = twin(shapes);
    v.recordLengths = true;
    return v;
}

constexpr Variant timeVariant(Shapes shapes) {
    Variant v = twin(shapes);
    v.recordTime = true;
    return v;
}

/// Its result is there so that the compiler does not leave out what only that needs.
template <Variant V>
Samples<float> trace(const LaunchParams<float>& launch, int x, int y, int first, int count) {
    CountsOf<V> counts;
    if constexpr (V.recordLengths) counts.hits = launch.hits;
    GeneratorOf<V> rng{};
    return followSamples<float, V>(launch, x, y, first, count, rng, counts);
}

using Trace = decltype(&trace<Variant{}>);

/// The kernel for a scene, of those that `variantOf` makes.
template <Variant (*variantOf)(Shapes)>
Trace traceFor(const Scene& scene) {
    const unsigned features = traitsOf(scene).features;
    const bool walls = features & kWalls;
    const auto either = [&](auto walled, auto flat) { return walls ? walled : flat; };
    if (features & kPlaces) return trace<variantOf({true, true, true, true})>;
    if (features & kPictures)
        return either(trace<variantOf({true, true, true})>, trace<variantOf({false, true, true})>);
    if (features & kTriangles)
        return either(trace<variantOf({true, true, false})>,
                      trace<variantOf({false, true, false})>);
    return either(trace<variantOf({true, false, false})>, trace<variantOf({false, false, false})>);
}

/// Calls visit(thread, x, y) for all pixels, until asked to stop.
template <class Visit>
void eachPixel(int width, int height, ThreadPool& pool, const std::stop_token& stop,
               const Visit& visit) {
    std::atomic<int> next{0};
    pool.run([&](int thread) {
        for (int y = next.fetch_add(1); y < height; y = next.fetch_add(1)) {
            for (int x = 0; x < width && !stop.stop_requested(); ++x) visit(thread, x, y);
        }
    });
}

/// What the paths of one thread have met.
struct alignas(128) Met {
    decltype(PathLengths::hits) hits{};
    long long subnormalPaths = 0;
};

}  // namespace

PathLengths cpuPathLengths(const Settings& settings, const Scene& scene, const Camera& camera,
                           int width, int height, int samples, ThreadPool& pool,
                           const std::stop_token& stop) {
    PathLengths result{.width = width, .height = height, .samples = samples, .rays = {}};
    result.rays.resize(static_cast<size_t>(width) * height * samples);
    const Film film{width, height};
    LaunchParams<float> launch = launchParams<float>(settings, scene, camera, film, {samples});
    const PackedScene packed =
        packScene<float>(scene, SceneLayout::aos, settings.variant.accel, nullptr,
                         settings.hierarchy, {.test = settings.variant.triangle});
    launch.scene = packed.data();
    launch.lengths = result.rays.data();
    const Trace kernel = traceFor<lengthVariant>(scene);
    std::vector<Met> met(static_cast<size_t>(pool.size()));
    eachPixel(width, height, pool, stop, [&](int thread, int x, int y) {
        Met& mine = met[static_cast<size_t>(thread)];
        LaunchParams<float> path = launch;
        path.hits = mine.hits[0].data();
        for (int sample = 0; sample < samples; ++sample, ++path.lengths) {
            const SubnormalWatch watch;
            kernel(path, x, y, sample, 1);
            mine.subnormalPaths += watch.met();
        }
    });
    for (const Met& m : met) {
        result.subnormalPaths += m.subnormalPaths;
        for (size_t d = 0; d < m.hits.size(); ++d) {
            for (int kind = 0; kind < kHitKinds; ++kind) result.hits[d][kind] += m.hits[d][kind];
        }
    }
    return result;
}

PixelTimes cpuPixelTimes(const Settings& settings, const Scene& scene, const Camera& camera,
                         int width, int height, int samples, ThreadPool& pool,
                         const std::stop_token& stop) {
    PixelTimes result{width, height, samples, {}, "ns"};
    result.ticks.resize(static_cast<size_t>(width) * height);
    const Film film{width, height};
    LaunchParams<float> launch = launchParams<float>(settings, scene, camera, film, {samples});
    const PackedScene packed =
        packScene<float>(scene, SceneLayout::aos, settings.variant.accel, nullptr,
                         settings.hierarchy, {.test = settings.variant.triangle});
    launch.scene = packed.data();
    launch.ticks = result.ticks.data();
    const Trace kernel = traceFor<timeVariant>(scene);
    eachPixel(width, height, pool, stop,
              [&](int, int x, int y) { kernel(launch, x, y, 0, samples); });
    return result;
}

}  // namespace rayscope
