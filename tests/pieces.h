#pragma once

#include "renderer/backend/session.h"
#include "renderer/core/compact.h"
#include "tests/render_helper.h"

// Paths of the scene that a test is compiled with (core/baked_scene.h), followed on a warp of one
// lane by the loop in fewer instructions and by the general one.

namespace rayscope {

/// With light sampling, with or without the queue.
constexpr Variant lit(Variant v, bool queue) {
    v.lightSampling = true;
    v.lightQueue = queue;
    return v;
}

constexpr Variant inPieces(SamplesFrom from, unsigned features) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::baked;
    v.math = Math::precise;
    v.search = Search::keys;
    v.roots = Roots::known;
    v.engine = Engine::regeneration;
    v.begin = Begin::merged;
    v.samplesFrom = from;
    v.countDepths = true;
    v.traits = {features, kBakedSpheres};
    return v;
}

struct Traced {
    std::vector<Pixel> pixels;
    RayCounts<true> counts;
    unsigned long long counters[kCounters] = {};
};

/// A small picture of the scene, of eight samples: render(launch, warp, counts) for each warp.
template <Variant V, class Render>
Traced traceWarps(const Scene& scene, int width, int height, int depth, Render render,
                  Structures* structures = nullptr) {
    EXPECT_EQ(traitsOf(scene).features, V.traits.features);
    Traced traced;
    traced.pixels.resize(width * height);
    Settings settings = defaultSettings(Backend::cpu, scene);
    settings.variant = V;
    settings.depth = depth;
    LaunchParams<float> launch = launchParams<float>(settings, scene, scene.camera,
                                                     {width, height, traced.pixels.data()}, {8});
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, V.accel, structures);
    launch.scene = packed.data();
    launch.counters = traced.counters;
    const int warps = V.samplesFrom == SamplesFrom::queue ? 1 : piecesOf(V, width, height, 8);
    for (int warp = 0; warp < warps; ++warp) render(launch, warp, traced.counts);
    return traced;
}

template <Variant V>
Traced traceInGeneral(const Scene& scene, int width, int height, int depth) {
    return traceWarps<V>(scene, width, height, depth,
                         [](const LaunchParams<float>& launch, int warp, RayCounts<true>& counts) {
                             const SceneView<float, V> view{launch.scene, launch.params};
                             renderPieces(launch, view, warp, counts);
                         });
}

template <Variant V>
Traced traceCompactly(const Scene& scene, int width, int height, int depth) {
    return traceWarps<V>(scene, width, height, depth,
                         [](const LaunchParams<float>& launch, int warp, RayCounts<true>& counts) {
                             const SceneView<float, V> view{launch.scene, launch.params};
                             std::vector<CompactSurface> surfaces;
                             for (int i = 0; i < kBakedSpheres; ++i)
                                 surfaces.push_back(compactSurface(view, i));
                             surfaces.resize(1 << keyBits(kBakedSpheres));
                             LitHits<V> hits{};
                             renderPiecesCompactly<V>(launch, NearTable(surfaces.data()), hits,
                                                      warp, counts);
                         });
}

/// `rays`, `pixels`: how many of a depth, and of the picture, the last bits of numbers and normals
/// may send elsewhere; `shadows`: by how many shadow rays the counts may differ.
inline void expectTheSamePaths(const Traced& compact, const Traced& general, int rays, int pixels,
                               int shadows = 0) {
    EXPECT_EQ(compact.counts.camera, general.counts.camera);
    EXPECT_NEAR(compact.counts.shadow, general.counts.shadow, shadows);
    unsigned sum = 0;
    for (int d = 0; d < kMaxDepth; ++d) {
        EXPECT_NEAR(compact.counts.depth[d], general.counts.depth[d], d == 0 ? 0 : rays) << d;
        sum += compact.counts.depth[d];
    }
    EXPECT_EQ(compact.counts.closest, sum);
    int different = 0;
    for (size_t i = 0; i < compact.pixels.size(); ++i) {
        const Pixel &p = compact.pixels[i], &q = general.pixels[i];
        ASSERT_EQ(p.samples, q.samples);
        different += !(std::abs(p.g - q.g) <= 1e-3 * std::max(p.g, q.g));
    }
    EXPECT_LT(different, pixels) << "of " << compact.pixels.size();
}

}  // namespace rayscope
