#pragma once

// What rays hit in a scene baked into the code.

#include "renderer/scene/bake.h"
#include "tests/pieces.h"

namespace rayscope {

constexpr Variant in(SceneMemory memory) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = memory;
    v.math = Math::precise;
    return v;
}

constexpr Variant withKeys(Roots roots) {
    Variant v = in(SceneMemory::baked);
    v.search = Search::keys;
    v.roots = roots;
    return v;
}

/// Calls `see` with camera rays and rays that leave where these hit.
template <Variant V, class See>
void forRays(const Scene& scene, int bounces, See see) {
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos);
    const SceneParams<float> params = sceneParams<float>(scene, false);
    const SceneView<float, V> view{packed.data(), params};
    const CameraParams<float> camera = cameraParams<float>(scene.camera, 64, 36);
    for (int i = 0; i < 64 * 36; ++i) {
        Rng rng = makeRng(i, 0, 1);
        Ray<float> ray = cameraRay<V>(camera, float(i % 64), float(i / 64), rng);
        for (int bounce = 0; bounce < bounces; ++bounce) {
            const Hit<float> hit = closestHit(view, ray);
            see(view, ray, hit);
            if (kindOf(hit.shape) == ShapeKind::none) break;
            const Surface<float> surface = surfaceAt(view, ray, hit);
            ray = {surface.position, scatterLambert<V>(surface, rng), surface.shape};
        }
    }
}

template <Variant V>
std::vector<Hit<float>> hits(const Scene& scene, int bounces = 4) {
    std::vector<Hit<float>> found;
    forRays<V>(scene, bounces,
               [&](const auto&, const auto&, const Hit<float>& hit) { found.push_back(hit); });
    return found;
}

/// Shadow rays that go on for ever fall where rays hit.
template <Variant V>
void expectEndlessShadows(const Scene& scene) {
    static_assert(kEndlessShadows<V>);
    int rays = 0, hit = 0, different = 0;
    forRays<V>(scene, 4, [&](const auto& view, const auto& ray, const auto& found) {
        const bool meets = occluded(view, ray, view.params.tMax, kNoShape);
        ++rays;
        hit += meets;
        different += meets != (found.shape >= 0);
    });
    EXPECT_GT(hit, rays / 4);
    EXPECT_LT(hit, rays * 3 / 4);
    EXPECT_EQ(different, 0);
}

/// Without walls and large spheres, signs alone find them (meetsAny()).
constexpr Variant withoutWalls(Variant v) {
    v.traits.features = kAllFeatures & ~(kWalls | kLarge);
    return v;
}

}  // namespace rayscope
