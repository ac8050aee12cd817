#pragma once

#include "renderer/core/maths.h"
#include "renderer/core/random.h"

namespace rayscope {

/// One of many lamps, chosen in proportion to power: a triangle, or a texel of the sky.
template <class Real>
struct alignas(16) LampRecord {
    Real upTo;  ///< share of the total power, summed up to and with this lamp
    /// Of a triangle 1 / (2 pi share), of a texel 2 pi / (texels of the sky * share).
    Real weight;
    int number;  ///< of the triangle, or of the texel
};

/// The lamp at this place, 0 to 1, in their summed shares.
template <class Real>
RAYSCOPE_FN LampRecord<Real> lampAt(const LampRecord<Real>* lamps, int count, Real place) {
    int first = 0, last = count - 1;
    while (first < last) {
        const int middle = (first + last) / 2;
        if (lamps[middle].upTo > place)
            last = middle;
        else
            first = middle + 1;
    }
    return lamps[first];
}

/// Uniform in the unit ball: draws points in the cube around it until one lies inside, 1.9 on
/// average.
template <class Real, class Generator>
RAYSCOPE_FN Vec3<Real> rejectionBall(Generator& rng) {
    Vec3<Real> p;
    do {
        p.x = 2 * uniform<Real>(rng) - 1;
        p.y = 2 * uniform<Real>(rng) - 1;
        p.z = 2 * uniform<Real>(rng) - 1;
    } while (dot(p, p) >= 1);
    return p;
}

/// Uniform on the unit sphere. The closed form (Archimedes: z and the azimuth are uniform) draws
/// two numbers.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> unitSphere(Generator& rng) {
    if constexpr (V.sampling == Sampling::rejection) {
        Vec3<Real> p;
        do p = rejectionBall<Real>(rng);
        while (!(dot(p, p) > 0));  // the centre has no direction
        return normalize<V>(p);
    } else {
        const Real z = 1 - 2 * uniform<Real>(rng);
        const Real r = sqrt(maximum(Real(0), 1 - z * z));
        Real s, c;
        sinCosTurn<V>(uniform<Real>(rng), &s, &c);
        return {r * c, r * s, z};
    }
}

/// Uniform in the unit ball. The closed form draws three numbers.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> unitBall(Generator& rng) {
    if constexpr (V.sampling == Sampling::rejection) {
        return rejectionBall<Real>(rng);
    } else {
        const Real r = cubeRoot<V>(uniform<Real>(rng));
        return unitSphere<V, Real>(rng) * r;
    }
}

/// Maps two uniform numbers to a uniform point in the unit disk. Rejection draws new pairs until
/// one lies inside, 1.3 on average.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN void toDisk(Generator& rng, Real* x, Real* y) {
    if constexpr (V.sampling == Sampling::rejection) {
        while (true) {
            *x = 2 * *x - 1;
            *y = 2 * *y - 1;
            if (*x * *x + *y * *y < 1) return;
            *x = uniform<Real>(rng);
            *y = uniform<Real>(rng);
        }
    } else {
        const Real r = sqrt(*x);
        Real s, c;
        sinCosTurn<V>(*y, &s, &c);
        *x = r * c;
        *y = r * s;
    }
}

/// An orthonormal basis around the unit vector n (Duff et al. 2017, "Building an Orthonormal
/// Basis, Revisited").
template <Variant V, class Real>
RAYSCOPE_FN void basis(Vec3<Real> n, Vec3<Real>* b1, Vec3<Real>* b2) {
    const Real sign = select(n.z < 0, Real(-1), Real(1));
    const Real a = divide<V>(Real(-1), sign + n.z);
    const Real b = n.x * n.y * a;
    *b1 = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *b2 = {b, sign + n.y * n.y * a, -n.y};
}

}  // namespace rayscope
