#pragma once

#include "renderer/core/maths.h"
#include "renderer/core/random.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// Uniform on the unit sphere (Archimedes: z and the azimuth are uniform). Draws two numbers.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> unitSphere(Generator& rng) {
    const Real z = 1 - 2 * uniform<Real>(rng);
    const Real r = sqrt(maximum(Real(0), 1 - z * z));
    Real s, c;
    sinCosTurn<V>(uniform<Real>(rng), &s, &c);
    return {r * c, r * s, z};
}

/// Uniform in the unit ball. Draws three numbers.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> unitBall(Generator& rng) {
    const Real r = cubeRoot<V>(uniform<Real>(rng));
    return unitSphere<V, Real>(rng) * r;
}

/// An orthonormal basis around the unit vector n (Duff et al. 2017, "Building an Orthonormal
/// Basis, Revisited").
template <Variant V, class Real>
RAYSCOPE_FN void basis(Vec3<Real> n, Vec3<Real>* b1, Vec3<Real>* b2) {
    const Real sign = n.z < 0 ? Real(-1) : Real(1);
    const Real a = divide<V>(Real(-1), sign + n.z);
    const Real b = n.x * n.y * a;
    *b1 = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *b2 = {b, sign + n.y * n.y * a, -n.y};
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
