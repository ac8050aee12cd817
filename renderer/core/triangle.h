#pragma once

#include "renderer/core/maths.h"
#include "renderer/core/sampling.h"

// Tests of a triangle: TriangleTest.

namespace rayscope {

/// What the test of a triangle takes of a ray: where it starts, and a basis whose third axis is the
/// ray.
template <class Real>
struct AcrossRay {
    Vec3<Real> origin, right, up, along;
};

/// The affine function of space that is a . p + b.
template <class Real>
struct alignas(4 * sizeof(Real)) AffineRecord {
    Vec3<Real> a;
    Real b;
};

/// What maps a triangle on the unit triangle: the weights of its second and third corner, and the
/// distance from its plane. Three loads of 16 bytes in single precision.
template <class Real>
struct TransformedTriangle {
    AffineRecord<Real> v, w, height;
};

/// Of a triangle without an area it has what is no number, and is not hit. To the bit the same from
/// each compiler that does not contract.
template <class Real>
RAYSCOPE_FN TransformedTriangle<Real> transformedTriangle(const Vec3<double>& a,
                                                          const Vec3<double>& b,
                                                          const Vec3<double>& c) {
    const auto product = [](const Vec3<double>& p, const Vec3<double>& q) {
        return p.x * q.x + p.y * q.y + p.z * q.z;
    };
    const auto zeroAtA = [&](const Vec3<double>& f, double per) {
        const Vec3<double> g{f.x / per, f.y / per, f.z / per};
        return AffineRecord<Real>{
            {static_cast<Real>(g.x), static_cast<Real>(g.y), static_cast<Real>(g.z)},
            static_cast<Real>(-product(g, a))};
    };
    const Vec3<double> ab = b - a, ac = c - a, n = cross(ab, ac);
    const double square = product(n, n);
    return {zeroAtA(cross(ac, n), square), zeroAtA(cross(n, ab), square), zeroAtA(n, sqrt(square))};
}

template <Variant V, class Real>
RAYSCOPE_FN AcrossRay<Real> acrossRay(const Vec3<Real>& origin, const Vec3<Real>& direction) {
    AcrossRay<Real> ray{origin, {}, {}, direction};
    basis<V>(direction, &ray.right, &ray.up);
    return ray;
}

/// The same of a direction of any length, in which distances then are.
template <Variant V, class Real>
RAYSCOPE_FN AcrossRay<Real> acrossStretchedRay(const Vec3<Real>& origin,
                                               const Vec3<Real>& direction) {
    AcrossRay<Real> ray = acrossRay<V>(origin, normalize<V>(direction));
    ray.along = direction * divide<V>(Real(1), dot(direction, direction));
    return ray;
}

/// A point in the ray's basis.
template <class Real>
RAYSCOPE_FN Vec3<Real> seenFrom(const AcrossRay<Real>& ray, const Vec3<Real>& point) {
    const Vec3<Real> p = point - ray.origin;
    return {dot(p, ray.right), dot(p, ray.up), dot(p, ray.along)};
}

/// Twice the area of the triangle of the ray and an edge, seen along the ray. Its sign is exact.
template <class Real>
RAYSCOPE_FN Real areaBeside(const Vec3<Real>& from, const Vec3<Real>& to) {
    return productDifference(from.x, to.y, from.y, to.x);
}

/// Distance to a triangle of corners a, b and c; a miss, and what is no triangle, gives a value
/// that is not > 0. Every corner is turned into the ray's basis by the same operations whichever
/// triangle asks, on which side of an edge the ray is has one answer, and edges belong to both
/// sides: no ray passes between triangles that share one (as Woop, Benthin and Wald 2013,
/// "Watertight Ray/Triangle Intersection", with a rotation for their shear). The distance is
/// between those of the corners.
template <Variant V, class Triangle, class Real>
RAYSCOPE_FN Real distanceTo(const Triangle& triangle, const AcrossRay<Real>& ray) {
    const Vec3<Real> a = seenFrom(ray, triangle.a);
    const Vec3<Real> b = seenFrom(ray, triangle.b);
    const Vec3<Real> c = seenFrom(ray, triangle.c);
    const Real u = areaBeside(b, c), v = areaBeside(c, a), w = areaBeside(a, b);
    const bool within = ((u >= 0) & (v >= 0) & (w >= 0)) | ((u <= 0) & (v <= 0) & (w <= 0));
    const Real t = divide<V>(mulAdd(w, c.z, mulAdd(v, b.z, u * a.z)), u + v + w);
    return within ? t : Real(-1);
}

/// Moller and Trumbore 1997, "Fast, Minimum Storage Ray/Triangle Intersection". Of a ray that
/// passes an edge within rounding the triangles beside it may both say that it misses.
template <Variant V, class Triangle, class Real>
RAYSCOPE_FN Real distanceByCorners(const Triangle& triangle, const Vec3<Real>& origin,
                                   const Vec3<Real>& direction) {
    const Vec3<Real> ab = triangle.b - triangle.a, ac = triangle.c - triangle.a;
    const Vec3<Real> p = cross(direction, ac), from = origin - triangle.a;
    const Real inverse = divide<V>(Real(1), dot(ab, p));
    const Vec3<Real> q = cross(from, ab);
    const Real v = dot(from, p) * inverse, w = dot(direction, q) * inverse;
    const bool within = (v >= 0) & (w >= 0) & (v + w <= 1);
    return within ? dot(ac, q) * inverse : Real(-1);
}

template <class Real>
RAYSCOPE_FN Real valueAt(const AffineRecord<Real>& f, const Vec3<Real>& p) {
    return mulAdd(f.a.x, p.x, mulAdd(f.a.y, p.y, mulAdd(f.a.z, p.z, f.b)));
}

/// Woop 2004, "A Ray Tracing Hardware Architecture for Dynamic Scenes". As leaky.
template <Variant V, class Real>
RAYSCOPE_FN Real distanceByTransform(const TransformedTriangle<Real>& triangle,
                                     const Vec3<Real>& origin, const Vec3<Real>& direction) {
    const Real t = divide<V>(-valueAt(triangle.height, origin), dot(triangle.height.a, direction));
    const Real v = mulAdd(t, dot(triangle.v.a, direction), valueAt(triangle.v, origin));
    const Real w = mulAdd(t, dot(triangle.w.a, direction), valueAt(triangle.w, origin));
    const bool within = (v >= 0) & (w >= 0) & (v + w <= 1);
    return within ? t : Real(-1);
}

}  // namespace rayscope
