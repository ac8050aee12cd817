#pragma once

#include "renderer/core/force_variant.h"
#include "renderer/core/platform.h"

// Newton's law of gravitation and the leapfrog, for one body at a time.

namespace rayscope {

/// Where a body is, and its mass; or its velocity. A device loads all four at once; g++ makes no
/// vectors of numbers that are aligned so.
template <class Real>
struct alignas(kOnDevice ? 4 * sizeof(Real) : sizeof(Real)) Body {
    Real x, y, z, mass;
};

template <BodyLayout L, class Real>
RAYSCOPE_FN Body<Real> loadBody(const Real* bodies, int capacity, int i) {
    if constexpr (L == BodyLayout::aos) {
        return reinterpret_cast<const Body<Real>*>(bodies)[i];
    } else {
        const Real* const x = bodies + i;
        return {x[0], x[capacity], x[2 * capacity], x[3 * capacity]};
    }
}

template <BodyLayout L, class Real>
RAYSCOPE_FN void storeBody(Real* bodies, int capacity, int i, Body<Real> body) {
    if constexpr (L == BodyLayout::aos) {
        reinterpret_cast<Body<Real>*>(bodies)[i] = body;
    } else {
        Real* const x = bodies + i;
        x[0] = body.x;
        x[capacity] = body.y;
        x[2 * capacity] = body.z;
        x[3 * capacity] = body.mass;
    }
}

/// Adds the acceleration that `other` causes at `own`: m d / (d^2 + softening^2)^(3/2), without the
/// mass if all have the same. Of a body to itself it is zero.
template <ForceVariant V, class Real>
RAYSCOPE_FN void attract(Vec3<Real>& a, const Body<Real>& own, const Body<Real>& other,
                         Real softening2) {
    const Real x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    const Real square = mulAdd(x, x, mulAdd(y, y, mulAdd(z, z, softening2)));
    if constexpr (V.forces == Forces::untiled) {
        const Real distance = sqrt(square);
        const Real cube = distance * distance * distance;
        const Real mass = V.equalMasses ? Real(1) : other.mass;
        a.x += mass * x / cube;
        a.y += mass * y / cube;
        a.z += mass * z / cube;
    } else {
        Real inverse;
        if constexpr (V.math != Math::precise && sizeof(Real) != sizeof(double))
            inverse = fastRsqrt(square);
        else
            inverse = 1 / sqrt(square);
        Real strength = inverse * (inverse * inverse);
        if constexpr (!V.equalMasses) strength = other.mass * inverse * (inverse * inverse);
        a.x = a.x + x * strength;  // of a mulAdd g++ makes no vectors
        a.y = a.y + y * strength;
        a.z = a.z + z * strength;
    }
}

/// The sum over the slices, times GravityParams::mass.
template <class Real>
RAYSCOPE_FN Vec3<Real> accelerationOf(const GravityParams<Real>& p, int i) {
    Vec3<Real> a{0, 0, 0};
    for (int slice = 0; slice < p.slices; ++slice) {
        const Real* const x = p.accelerations + 3 * p.capacity * slice + i;
        a.x += x[0];
        a.y += x[p.capacity];
        a.z += x[2 * p.capacity];
    }
    return {p.mass * a.x, p.mass * a.y, p.mass * a.z};
}

/// A kick and a drift of body i (leapfrog; Verlet 1967).
template <BodyLayout L, class Real>
RAYSCOPE_FN void moveBody(const GravityParams<Real>& p, int i) {
    const Vec3<Real> a = accelerationOf(p, i);
    Body<Real> v = loadBody<L>(p.velocities, p.capacity, i);
    v.x = mulAdd(a.x, p.kick, v.x);
    v.y = mulAdd(a.y, p.kick, v.y);
    v.z = mulAdd(a.z, p.kick, v.z);
    storeBody<L>(p.velocities, p.capacity, i, v);
    Body<Real> body = loadBody<L>(p.bodies, p.capacity, i);
    body.x = mulAdd(v.x, p.drift, body.x);
    body.y = mulAdd(v.y, p.drift, body.y);
    body.z = mulAdd(v.z, p.drift, body.z);
    storeBody<L>(p.bodies, p.capacity, i, body);
}

/// The potential of bodies first ... last - 1 at `own`, in double precision.
template <BodyLayout L, class Real>
RAYSCOPE_FN double potentialOf(const GravityParams<Real>& p, const Body<Real>& own, int first,
                               int last) {
    double sum = 0;
    for (int j = first; j < last; ++j) {
        const Body<Real> other = loadBody<L>(p.bodies, p.capacity, j);
        const double x = double(other.x) - double(own.x), y = double(other.y) - double(own.y),
                     z = double(other.z) - double(own.z);
        sum -= other.mass / sqrt(x * x + y * y + z * z + double(p.softening2));
    }
    return sum;
}

/// The potential of bodies from ... until - 1 but for itself where body i is.
template <BodyLayout L, class Real>
RAYSCOPE_FN double potentialAt(const GravityParams<Real>& p, int i, int from, int until) {
    const Body<Real> own = loadBody<L>(p.bodies, p.capacity, i);
    if (i < from || i >= until) return potentialOf<L>(p, own, from, until);
    return potentialOf<L>(p, own, from, i) + potentialOf<L>(p, own, i + 1, until);
}

}  // namespace rayscope
