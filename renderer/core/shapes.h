#pragma once

#include "renderer/core/maths.h"
#include "renderer/core/scene_view.h"

// The shapes of a scene: where a ray hits them, the normal there, and the material. Shading does
// not know which kind of shape it has. Their boxes, which only the host needs, come from boxesOf()
// in scene/bvh.h.

namespace rayscope {

/// none: a miss.
enum class ShapeKind { none, sphere, triangle, floor };

/// A shape's kind and its index among shapes of that kind, in one word; for a sphere just its
/// index. So searches compare and keep one number, and a stored hit takes 8 bytes, which stages may
/// use in place.
using ShapeId = int;
inline constexpr ShapeId kNoShape = -1;
inline constexpr ShapeId kFloorShape = 1 << 28;
/// The first triangle's. No variable, because each of those is in every kernel's machine code.
enum : ShapeId { kTriangleShape = 1 << 27 };

/// `from`: the shape that the ray leaves, kNoShape for camera rays.
template <class Real>
struct Ray {
    Vec3<Real> origin, direction;
    IntOf<Real> from;
};

template <class Real>
struct Hit {
    Real distance;
    IntOf<Real> shape;
};

/// The two squares of FloorShape.
template <class Real>
inline constexpr MaterialRecord<Real> kFloorSquares[2] = {
    {{3, 3, 3}, 0, {0, 0, 0}, 0, 0, MaterialKind::checker},
    {{3, 1, 1}, 0, {0, 0, 0}, 0, 0, MaterialKind::checker}};

constexpr RAYSCOPE_FN ShapeKind kindOf(ShapeId shape) {
    if (shape < 0) return ShapeKind::none;
    if (shape >= kFloorShape) return ShapeKind::floor;
    return shape < kTriangleShape ? ShapeKind::sphere : ShapeKind::triangle;
}

/// How a ray crosses a sphere, before any root is taken; a negative discriminant is a miss.
template <class Real>
struct Crossing {
    Real b, c, curvature, discriminant;
};

/// What cross() takes of a ray with origin o: d, -2 o, o.o and o.d.
template <class Real>
struct RayTerms {
    Vec3<Real> d, o2;
    Real oo, od;
};

template <class Real>
RAYSCOPE_FN RayTerms<Real> rayTerms(const Ray<Real>& ray) {
    const Vec3<Real> o = ray.origin;
    return {ray.direction, o * Real(-2), dot(o, o), dot(o, ray.direction)};
}

/// The same terms in registers, those that would be made anew for each sphere.
template <class Real>
RAYSCOPE_FN RayTerms<Real> keptTerms(const Ray<Real>& ray) {
    const RayTerms<Real> t = rayTerms(ray);
    return {t.d, {kept(t.o2.x), kept(t.o2.y), kept(t.o2.z)}, kept(t.oo), kept(t.od)};
}

/// t^2 - 2 b t + c = 0 with b = (C - o).d and c = |C - o|^2 - r^2, expanded: terms that depend only
/// on the ray are the same for all spheres, which leaves eight operations per sphere. For a ray
/// that is known to leave the sphere c is 0, so that one root is exactly 0 and the ray cannot hit
/// its own origin.
template <class Real>
RAYSCOPE_FN Crossing<Real> cross(const CenterSphere<Real>& s, const RayTerms<Real>& ray,
                                 MaskOf<Real> leaving) {
    const Vec3<Real> c = s.center, d = ray.d, o2 = ray.o2;
    const Real b = mulAdd(c.z, d.z, mulAdd(c.y, d.y, mulAdd(c.x, d.x, -ray.od)));
    const Real gap = mulAdd(c.z, o2.z, mulAdd(c.y, o2.y, mulAdd(c.x, o2.x, ray.oo + s.power)));
    const Real g = select(leaving, Real(0), gap);
    return {b, g, 0, mulAdd(b, b, -g)};
}

template <class Real>
RAYSCOPE_FN Crossing<Real> cross(const CenterSphere<Real>& s, const Ray<Real>& ray,
                                 MaskOf<Real> leaving) {
    return cross(s, rayTerms(ray), leaving);
}

/// k t^2 + 2 b t + c = 0 with b = k q.d + n.d and c = k q.q + 2 q.n, where q = o - anchor, n is the
/// normal at the anchor and k = 1/r. No term is as large as the radius, so walls of radius 1e5 work
/// in single precision.
template <class Real>
RAYSCOPE_FN Crossing<Real> cross(const CurvedSphere<Real>& s, const Ray<Real>& ray,
                                 MaskOf<Real> leaving) {
    const Vec3<Real> q = ray.origin - s.anchor;
    const Real b = mulAdd(s.curvature, dot(q, ray.direction), dot(s.normal, ray.direction));
    const Real gap = mulAdd(s.curvature, dot(q, q), 2 * dot(q, s.normal));
    const Real c = select(leaving, Real(0), gap);
    return {b, c, s.curvature, mulAdd(b, b, -s.curvature * c)};
}

/// How a ray crosses sphere i.
template <Variant V, class Real, class Geometry>
RAYSCOPE_FN Crossing<Real> crossingOf(const Geometry& sphere, int i, const Ray<Real>& ray) {
    return cross(sphere, ray, has(V, kLarge) && i == ray.from);
}

/// Distance to the nearest intersection beyond tMin. A miss gives a value that is not > tMin, such
/// as the NaN root of a negative discriminant.
template <bool Curved, class Real>
RAYSCOPE_FN Real nearestRoot(const Crossing<Real>& x, Real tMin) {
    const Real root = sqrt(x.discriminant);
    if constexpr (!Curved) {
        const Real near = x.b - root;
        return select(near > tMin, near, x.b + root);
    } else {
        const Real w = select(x.b > 0, -(x.b + root), root - x.b);
        const Real t0 = w / x.curvature;
        const Real t1 = x.c / w;
        const MaskOf<Real> first = t0 < t1;
        const Real near = select(first, t0, t1);
        return select(near > tMin, near, select(first, t1, t0));
    }
}

/// Normalises a vector of almost unit length by one Newton step for the inverse root. Without it
/// the rounding error of a hit's position grows twentyfold from mirror to mirror.
template <class Real>
RAYSCOPE_FN Vec3<Real> nearlyUnit(Vec3<Real> n) {
    return n * mulAdd(Real(-.5), dot(n, n), Real(1.5));
}

/// A sphere of the scene, as shading sees it.
template <class Real, Variant V>
struct SphereShape {
    const SceneView<Real, V>& scene;
    int index;

    /// A copy, or a reference to the record in memory (SceneLayout::aos).
    template <bool Reference>
    RAYSCOPE_FN decltype(auto) material(const Vec3<Real>&) const {
        if constexpr (Reference)
            return scene.materialRecord(index);
        else
            return scene.material(index);
    }
    /// Outward, at a point on the sphere.
    RAYSCOPE_FN Vec3<Real> normal(const Vec3<Real>& position, Real inverseRadius) const {
        if constexpr (SceneView<Real, V>::kCurved) {
            const CurvedSphere<Real> w = scene.wall(index);
            return nearlyUnit(mulAdd(position - w.anchor, w.curvature, w.normal));
        } else {
            const Vec3<Real> radius = position - scene.sphere(index).center;
            // from a distance that is cut (keys.h), one Newton step more than nearlyUnit() is
            // needed
            return V.search != Search::branch ? normalize<V>(radius)
                                              : nearlyUnit(radius * inverseRadius);
        }
    }
    /// The normal on the side from which the ray comes.
    RAYSCOPE_FN static Vec3<Real> facing(const Vec3<Real>& normal, const Ray<Real>& ray) {
        return select(dot(normal, ray.direction) < 0, normal, -normal);
    }
    /// The point of the sphere that is nearest to a point close to it, where the normal is this.
    RAYSCOPE_FN Vec3<Real> nearest(const Vec3<Real>& position, const Vec3<Real>& normal,
                                   Real inverseRadius) const {
        if constexpr (SceneView<Real, V>::kCurved) {
            const CurvedSphere<Real> w = scene.wall(index);
            const Vec3<Real> q = position - w.anchor;
            const Real twice = mulAdd(w.curvature, dot(q, q), 2 * dot(q, w.normal));
            return mulAdd(normal, Real(-.5) * twice, position);
        } else {
            return mulAdd(normal, divide<V>(Real(1), inverseRadius), scene.sphere(index).center);
        }
    }
};

/// Kensler's floor: the plane z = 0 in squares of side 5.
template <class Real>
struct FloorShape {
    template <Variant V>
    RAYSCOPE_FN static Real distance(const Ray<Real>& ray) {
        return divide<V>(-ray.origin.z, ray.direction.z);
    }
    template <bool Reference>
    RAYSCOPE_FN const MaterialRecord<Real>& material(const Vec3<Real>& position) const {
        const int square = static_cast<int>(ceil(position.x * Real(.2))) +
                           static_cast<int>(ceil(position.y * Real(.2)));
        return kFloorSquares<Real>[square & 1];
    }
    RAYSCOPE_FN static Vec3<Real> normal(const Vec3<Real>&, Real) { return {0, 0, 1}; }
    /// The checker material does not use it.
    RAYSCOPE_FN static Vec3<Real> facing(const Vec3<Real>& normal, const Ray<Real>&) {
        return normal;
    }
    RAYSCOPE_FN static Vec3<Real> nearest(const Vec3<Real>& position, const Vec3<Real>&, Real) {
        return position;
    }
};

/// Calls `visit` with the shape and returns the result. `visit` is a reference because with a copy
/// of the closure ptxas 13.0 needs five more registers for the kernels of Engine::wavefront.
template <class Real, Variant V, class Visit>
RAYSCOPE_FN auto withShape(const SceneView<Real, V>& scene, ShapeId shape, const Visit& visit) {
    if constexpr (has(V, kFloor)) {
        if (shape >= kFloorShape) return visit(FloorShape<Real>{});
    }
    return visit(SphereShape<Real, V>{scene, shape});
}

}  // namespace rayscope
