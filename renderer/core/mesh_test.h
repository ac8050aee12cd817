#pragma once

#include "renderer/core/mesh.h"
#include "renderer/core/triangle.h"

// How a ray is tested against a shape of the list of a scene with triangles (mesh_tree.h).

namespace rayscope {

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

}  // namespace rayscope
