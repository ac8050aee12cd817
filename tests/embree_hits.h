#pragma once

// Embree's search beside ours.

#include "renderer/cpu/embree_scene.h"
#include "tests/mesh_rays.h"

namespace rayscope {

/// What rays hit, each a MeshRay that makeRay(number) returns. Embree is another program: rays that
/// pass an edge within rounding may differ, and by how much shapes that overlap are nearer.
/// `rounding`: of distances, however near.
template <class Own, class MakeRay>
void expectEmbreesHits(const Scene& scene, const Own& own, int rays, float rounding,
                       MakeRay makeRay) {
    const std::unique_ptr<PeerScene> peer = embreeScene(scene);
    const auto& [closest, blocked, theirs] = peer->search();
    const SceneParams<float> params = sceneParams<float>(scene, false);
    int hits = 0, other = 0;
    for (int i = 0; i < rays; ++i) {
        const MeshRay r = makeRay(i);
        const Ray<float> ray{toKernel<float>(r.origin), toKernel<float>(r.direction), r.from};
        const Hit<float> a = own(r.origin, r.direction, r.from);
        const Hit<float> b = closest(theirs, ray, params.tMin, params.tMax, {});
        ASSERT_TRUE(b.shape == kNoShape || b.shape != r.from) << "ray " << i << " hits its origin";
        const bool same =
            a.shape == b.shape && std::abs(a.distance - b.distance) <= 1e-4 * b.distance + rounding;
        other += same ? 0 : 1;
        if (!same || a.shape < 0) continue;
        ++hits;
        const float slack = 10 * rounding;
        const float beyond = a.distance * 1.001f + slack, before = a.distance * .999f - slack;
        ASSERT_TRUE(blocked(theirs, ray, params.tMin, beyond, kNoShape, {}));
        ASSERT_FALSE(blocked(theirs, ray, params.tMin, before, kNoShape, {}));
        ASSERT_FALSE(blocked(theirs, ray, params.tMin, a.distance * 1.00001f, a.shape, {}));
    }
    EXPECT_GT(hits, rays / 4);
    EXPECT_LE(other, rays / 2000);
}

}  // namespace rayscope
