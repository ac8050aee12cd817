#pragma once

#include "renderer/core/vector.h"

// The functions that the `math` axis chooses between. Double precision has no fast ones.

namespace rayscope {

template <Variant V, class Real>
inline constexpr bool kFast = V.math != Math::precise && sizeof(Real) == 4;

template <Variant V, class Real>
RAYSCOPE_FN Real divide(Real a, Real b) {
    if constexpr (kFast<V, Real>)
        return fastDivide(a, b);
    else
        return a / b;
}

template <Variant V, class Real>
RAYSCOPE_FN Real power(Real a, Real b) {
    if constexpr (kFast<V, Real>)
        return fastPow(a, b);
    else
        return pow(a, b);
}

template <Variant V, class Real>
RAYSCOPE_FN Real cubeRoot(Real a) {
    if constexpr (kFast<V, Real>)
        return fastPow(a, Real(1.0 / 3));
    else
        return cbrt(a);
}

/// 1/sqrt(a)
template <Variant V, class Real>
RAYSCOPE_FN Real inverseRoot(Real a) {
    if constexpr (kFast<V, Real>)
        return fastRsqrt(a);
    else
        return 1 / sqrt(a);
}

template <Variant V, class Real>
RAYSCOPE_FN Vec3<Real> normalize(Vec3<Real> a) {
    return a * inverseRoot<V>(dot(a, a));
}

/// The same, but zero if the vector is zero.
template <Variant V, class Real>
RAYSCOPE_FN Vec3<Real> normalizeOrZero(Vec3<Real> a) {
    const Real kTiny = Real(1e-30);
    return a * inverseRoot<V>(mulAdd(a.z, a.z, mulAdd(a.y, a.y, mulAdd(a.x, a.x, kTiny))));
}

/// Sine and cosine of 2 pi u, for u in [0, 1].
template <Variant V, class Real>
RAYSCOPE_FN void sinCosTurn(Real u, Real* s, Real* c) {
    if constexpr (kFast<V, Real>)
        fastSinCos(u * Real(6.28318530717958648), s, c);
    else
        sinCosPi(2 * u, s, c);
}

}  // namespace rayscope
