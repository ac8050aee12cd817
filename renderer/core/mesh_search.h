#pragma once

#include "renderer/core/mesh_tree.h"
#include "renderer/core/mesh_wide.h"

// What rays hit in a scene with triangles, among triangles and spheres together.

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// A ray, and what the tests of triangles take of it.
template <class Real>
struct TestedRay {
    Ray<Real> ray;
    AcrossRay<Real> across;  ///< TriangleTest::watertight
};

template <Variant V, TriangleTest Test, class Real>
RAYSCOPE_FN TestedRay<Real> testedRay(const Ray<Real>& ray) {
    if constexpr (Test == TriangleTest::watertight)
        return {ray, acrossRay<V>(ray.origin, ray.direction)};
    else
        return {ray, {}};
}

/// Distance to a shape of a list; a miss gives a value that is not > tMin. A triangle is not hit
/// again by a ray that leaves it.
template <TriangleTest Test, class Real, Variant V, class Triangle, class Number>
RAYSCOPE_FN Real distanceTo(const SceneView<Real, V>&, const Triangle& triangle, const Number& id,
                            const TestedRay<Real>& r) {
    const auto distance = [&]() RAYSCOPE_INLINED {
        if constexpr (Test == TriangleTest::woop)
            return distanceByTransform<V>(triangle, r.ray.origin, r.ray.direction);
        else if constexpr (Test == TriangleTest::mollerTrumbore)
            return distanceByCorners<V>(triangle, r.ray.origin, r.ray.direction);
        else
            return distanceTo<V>(triangle, r.across);
    };
    if constexpr (V.vertexLayout != VertexLayout::soa && Test != TriangleTest::woop)
        return id == r.ray.from ? Real(-1) : distance();
    const Real t = distance();
    return t > 0 && id == r.ray.from ? Real(-1) : t;
}
template <TriangleTest, class Real, Variant V>
RAYSCOPE_FN Real distanceTo(const SceneView<Real, V>& scene,
                            const typename SceneView<Real, V>::Geometry& sphere, ShapeId id,
                            const TestedRay<Real>& r) {
    return nearestRoot<SceneView<Real, V>::kCurved>(crossingOf<V>(sphere, id, r.ray),
                                                    scene.params.tMin);
}

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
        return walk<V.traversal>(tree, ray.origin, ray.direction, limit, visit);
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
            if (t > tMin && nearer) hit = {t, id};
            return false;
        });
    return hit;
}

/// The nearest sphere or triangle of a scene with triangles; of equal distances, that with the
/// lowest number.
template <class Real, Variant V>
RAYSCOPE_APART Hit<Real> closestShape(SceneView<Real, V> scene, Ray<Real> ray) {
    const MeshHeader& header = *meshOf(scene).header;
    if constexpr (!kOnDevice && sizeof(Real) == 4) {
        if (const PeerSearch* const peer = header.peer)
            return peer->closest(peer->scene, ray, scene.params.tMin, scene.params.tMax);
    }
    if constexpr (!kOnDevice) {
        if (header.lanes == 4) return closestInWide<4>(scene, ray);
        if (header.lanes == 8) return closestInWide<8>(scene, ray);
    }
    return byTest<V>(header, [&]<TriangleTest Test>()
                                 RAYSCOPE_INLINED { return closestShapeBy<Test>(scene, ray); });
}

template <TriangleTest Test, class Real, Variant V>
RAYSCOPE_APART bool anyShapeBy(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                               ShapeId except) {
    const TestedRay<Real> mesh = testedRay<V, Test>(ray);
    const Real tMin = scene.params.tMin;
    return walkShapes<Test>(scene, ray, distance,
                            [&](const auto& id, const auto& shape) RAYSCOPE_INLINED {
                                const Real t = distanceTo<Test>(scene, shape, id, mesh);
                                return t > tMin && t < distance && id != except;
                            });
}

template <class Real, Variant V>
RAYSCOPE_APART bool anyShape(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                             ShapeId except) {
    const MeshHeader& header = *meshOf(scene).header;
    if constexpr (!kOnDevice && sizeof(Real) == 4) {
        if (const PeerSearch* const peer = header.peer)
            return peer->occluded(peer->scene, ray, scene.params.tMin, distance, except);
    }
    if constexpr (!kOnDevice) {
        if (header.lanes == 4) return anyInWide<4>(scene, ray, distance, except);
        if (header.lanes == 8) return anyInWide<8>(scene, ray, distance, except);
    }
    return byTest<V>(header, [&]<TriangleTest Test>() RAYSCOPE_INLINED {
        return anyShapeBy<Test>(scene, ray, distance, except);
    });
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
