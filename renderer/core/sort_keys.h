#pragma once

#include "renderer/core/intersect.h"
#include "renderer/core/linear_bvh.h"

// By what Engine::wavefront sorts its live paths between stages. Rays: by where they begin and
// where they go, so that the lanes of a warp visit the same nodes (Aila and Karras 2010,
// "Architecture Considerations for Tracing Incoherent Rays"; Meister, Boksansky, Guthe and Bittner
// 2020, "On Ray Reordering Techniques for Faster GPU Ray Tracing"). Hits: by their materials, so
// that the lanes of a warp take one branch (Laine, Karras and Aila 2013, "Megakernels Considered
// Harmful: Wavefront Path Tracing on GPUs").

namespace rayscope {

/// Bits of an octant, and of rayKey(): nine more for each axis.
inline constexpr int kOctantBits = 3;
inline constexpr int kRayKeyBits = kMortonBits<unsigned>;

/// Keys of paths that have ended and still have a place: the last.
inline constexpr unsigned kLastKey = (1u << kRayKeyBits) - 1;

/// The cell of a ray's origin along a Morton curve in the cube from -reach to reach, and the octant
/// of its direction.
template <RayOrder Order, class Real>
RAYSCOPE_FN unsigned rayKey(const Ray<Real>& ray, float reach) {
    const auto inside = [&](Real x) {
        return fastMax(-reach, fastMin(static_cast<float>(x), reach));
    };
    const MortonCube cube = mortonCube({-reach, -reach, -reach}, {reach, reach, reach});
    const Vec3<float> origin{inside(ray.origin.x), inside(ray.origin.y), inside(ray.origin.z)};
    const unsigned cell = mortonCode<unsigned>(origin, cube) >> kOctantBits;
    const Vec3<Real>& d = ray.direction;
    const unsigned octant = (d.x < 0 ? 4 : 0) | (d.y < 0 ? 2 : 0) | (d.z < 0 ? 1 : 0);
    return Order == RayOrder::origin ? cell << kOctantBits | octant
                                     : octant << (kRayKeyBits - kOctantBits) | cell;
}

/// The largest coordinate in the scene's hierarchy or grid.
template <class Real, Variant V>
RAYSCOPE_FN float reachOf(const SceneView<Real, V>& scene) {
    if constexpr (V.accel == Accel::grid)
        return scene.grid()->reach;
    else
        return scene.bvh()->reach;
}

/// 0 where nothing is hit, else one more than the kind of the material.
template <class Real, Variant V>
RAYSCOPE_FN unsigned materialKey(const SceneView<Real, V>& scene, const Hit<Real>& hit) {
    if (kindOf(hit.shape) == ShapeKind::none) return 0;
    const auto keyOf = [](const MaterialRecord<Real>& m)
                           RAYSCOPE_INLINED { return 1 + static_cast<unsigned>(m.kind); };
    if constexpr (has(V, kTriangles)) {
        if (kindOf(hit.shape) == ShapeKind::triangle) {
            const MeshView<Real> mesh = meshOf(scene);
            return keyOf(mesh.material(mesh.face(storedTriangle(scene, hit.shape).face)));
        }
    }
    // all squares of a floor are of one kind
    return withShape(scene, hit.shape, [&](const auto& shape) RAYSCOPE_INLINED {
        return keyOf(shape.template material<false>(Vec3<Real>{0, 0, 0}));
    });
}

}  // namespace rayscope
