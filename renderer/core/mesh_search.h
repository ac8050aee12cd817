#pragma once

#include "renderer/core/mesh_wide.h"

// What rays hit in a scene with triangles, among triangles and spheres together.

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// Distance to a shape of a list; a miss gives a value that is not > tMin. A triangle is not hit
/// again by a ray that leaves it.
template <class Real, Variant V>
RAYSCOPE_FN Real distanceTo(const SceneView<Real, V>&, const ListedShape<Real>& triangle,
                            ShapeId id, const Ray<Real>& ray, const AcrossRay<Real>& across) {
    return id == ray.from ? Real(-1) : distanceTo<V>(triangle, across);
}
template <class Real, Variant V>
RAYSCOPE_FN Real distanceTo(const SceneView<Real, V>& scene,
                            const typename SceneView<Real, V>::Geometry& sphere, ShapeId id,
                            const Ray<Real>& ray, const AcrossRay<Real>&) {
    return nearestRoot<SceneView<Real, V>::kCurved>(crossingOf<V>(sphere, id, ray),
                                                    scene.params.tMin);
}

/// walk() in a scene with triangles; without a hierarchy, all shapes are outside of it.
template <class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkShapes(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                            const Real& limit, Visit visit) {
    const MeshTree<Real, V> tree = meshTree(scene);
    if constexpr (kOnDevice && V.accel == Accel::brute)
        return visitOutside(tree, tree.head().outside, visit);
    else
        return walk(tree, ray.origin, ray.direction, limit, visit);
}

/// The nearest sphere or triangle of a scene with triangles; of equal distances, that with the
/// lowest number.
template <class Real, Variant V>
RAYSCOPE_APART Hit<Real> closestShape(SceneView<Real, V> scene, Ray<Real> ray) {
    if constexpr (!kOnDevice && sizeof(Real) == 4) {
        if (const PeerSearch* const peer = meshOf(scene).header->peer)
            return peer->closest(peer->scene, ray, scene.params.tMin, scene.params.tMax);
    }
    if constexpr (!kOnDevice) {
        const int lanes = meshOf(scene).header->lanes;
        if (lanes == 4) return closestInWide<4>(scene, ray);
        if (lanes == 8) return closestInWide<8>(scene, ray);
    }
    const AcrossRay<Real> across = acrossRay<V>(ray.origin, ray.direction);
    const Real tMin = scene.params.tMin;
    Hit<Real> hit{scene.params.tMax, kNoShape};
    walkShapes(scene, ray, hit.distance, [&](ShapeId id, const auto& shape) RAYSCOPE_INLINED {
        const Real t = distanceTo(scene, shape, id, ray, across);
        const bool nearer = t < hit.distance || (t == hit.distance && id < hit.shape);
        if (t > tMin && nearer) hit = {t, id};
        return false;
    });
    return hit;
}

template <class Real, Variant V>
RAYSCOPE_APART bool anyShape(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                             ShapeId except) {
    if constexpr (!kOnDevice && sizeof(Real) == 4) {
        if (const PeerSearch* const peer = meshOf(scene).header->peer)
            return peer->occluded(peer->scene, ray, scene.params.tMin, distance, except);
    }
    if constexpr (!kOnDevice) {
        const int lanes = meshOf(scene).header->lanes;
        if (lanes == 4) return anyInWide<4>(scene, ray, distance, except);
        if (lanes == 8) return anyInWide<8>(scene, ray, distance, except);
    }
    const AcrossRay<Real> across = acrossRay<V>(ray.origin, ray.direction);
    const Real tMin = scene.params.tMin;
    return walkShapes(scene, ray, distance, [&](ShapeId id, const auto& shape) RAYSCOPE_INLINED {
        const Real t = distanceTo(scene, shape, id, ray, across);
        return t > tMin && t < distance && id != except;
    });
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
