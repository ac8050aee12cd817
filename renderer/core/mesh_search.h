#pragma once

#include "renderer/core/mesh_test.h"
#include "renderer/core/mesh_tree.h"
#include "renderer/core/mesh_wide.h"
#include "renderer/core/place_search.h"

// What rays hit in a scene with triangles, among triangles and spheres together.

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// walk() in a scene with triangles; without a hierarchy, all shapes are outside of it.
template <TriangleTest Test, class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkShapes(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                            const Real& limit, Visit visit) {
    const auto tree = meshTree<Test>(scene);
    if constexpr (V.accel == Accel::bvh8)
        return walkCompressed<V.traversal>(tree, ray.origin, ray.direction, limit, visit);
    else if constexpr (kOnDevice && V.accel == Accel::brute)
        return visitOutside(tree, tree.head().outside, visit);
    else
        return walk<walkStyle(V)>(tree, ray.origin, ray.direction, limit, visit);
}

/// The host's kernels read at run time what a scene is packed for: calls search<Test>().
template <Variant V, class Search>
RAYSCOPE_FN auto byTest(const MeshHeader& header, Search search) {
    if constexpr (!kOnDevice) {
        if (header.test == TriangleTest::mollerTrumbore)
            return search.template operator()<TriangleTest::mollerTrumbore>();
        if (header.test == TriangleTest::woop)
            return search.template operator()<TriangleTest::woop>();
        return search.template operator()<TriangleTest::watertight>();
    } else {
        return search.template operator()<V.triangle>();
    }
}

template <TriangleTest Test, class Real, Variant V>
RAYSCOPE_APART Hit<Real> closestShapeBy(SceneView<Real, V> scene, Ray<Real> ray) {
    const TestedRay<Real> mesh = testedRay<V, Test>(ray);
    const Real tMin = scene.params.tMin;
    Hit<Real> hit{scene.params.tMax, kNoShape};
    walkShapes<Test>(
        scene, ray, hit.distance, [&](const auto& id, const auto& shape) RAYSCOPE_INLINED {
            const Real t = distanceTo<Test>(scene, shape, id, mesh);
            const bool nearer = t < hit.distance || (t == hit.distance && id < hit.shape);
            if (t > tMin && nearer && !goesThroughHole(scene, ShapeId(id), ray, t)) hit = {t, id};
            return false;
        });
    return hit;
}

template <Variant V>
RAYSCOPE_FN PeerHoles peerHoles(const SceneView<float, V>& scene) {
    if (meshOf(scene).header->holes == 0) return {};
    const auto isHole = [](const void* view, ShapeId shape, const Ray<float>& ray, float distance) {
        return goesThroughHole(*static_cast<const SceneView<float, V>*>(view), shape, ray,
                               distance);
    };
    return {isHole, &scene};
}

/// The nearest sphere or triangle of a scene with triangles; of equal distances, that with the
/// lowest number.
template <class Real, Variant V>
RAYSCOPE_APART Hit<Real> closestShape(SceneView<Real, V> scene, Ray<Real> ray) {
    const MeshHeader& header = *meshOf(scene).header;
    if constexpr (!kOnDevice && sizeof(Real) == 4) {
        if (const PeerSearch* const peer = header.peer)
            return peer->closest(peer->scene, ray, scene.params.tMin, scene.params.tMax,
                                 peerHoles(scene));
    }
    if constexpr (!kOnDevice) {
        if (header.lanes == 4) return closestInWide<4>(scene, ray);
        if (header.lanes == 8) return closestInWide<8>(scene, ray);
    }
    return byTest<V>(header, [&]<TriangleTest Test>() RAYSCOPE_INLINED {
        if constexpr (has(V, kPlaces))
            return closestPlaced<Test>(scene, ray);
        else
            return closestShapeBy<Test>(scene, ray);
    });
}

template <TriangleTest Test, class Real, Variant V>
RAYSCOPE_APART bool anyShapeBy(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                               ShapeId except) {
    const TestedRay<Real> mesh = testedRay<V, Test>(ray);
    const Real tMin = scene.params.tMin;
    return walkShapes<Test>(scene, ray, distance,
                            [&](const auto& id, const auto& shape) RAYSCOPE_INLINED {
                                const Real t = distanceTo<Test>(scene, shape, id, mesh);
                                return t > tMin && t < distance && id != except &&
                                       !goesThroughHole(scene, ShapeId(id), ray, t);
                            });
}

template <class Real, Variant V>
RAYSCOPE_APART bool anyShape(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                             ShapeId except) {
    const MeshHeader& header = *meshOf(scene).header;
    if constexpr (!kOnDevice && sizeof(Real) == 4) {
        if (const PeerSearch* const peer = header.peer)
            return peer->occluded(peer->scene, ray, scene.params.tMin, distance, except,
                                  peerHoles(scene));
    }
    if constexpr (!kOnDevice) {
        if (header.lanes == 4) return anyInWide<4>(scene, ray, distance, except);
        if (header.lanes == 8) return anyInWide<8>(scene, ray, distance, except);
    }
    return byTest<V>(header, [&]<TriangleTest Test>() RAYSCOPE_INLINED {
        if constexpr (has(V, kPlaces))
            return anyPlaced<Test>(scene, ray, distance, except);
        else
            return anyShapeBy<Test>(scene, ray, distance, except);
    });
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
