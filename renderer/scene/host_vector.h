#pragma once

#include <cmath>

#include "renderer/core/vector.h"

// What only the host does with vectors.

namespace rayscope {

inline Vec3<double> unit(Vec3<double> a) {
    return a * (1 / std::sqrt(dot(a, a)));
}

template <class Real>
Vec3<Real> narrow(Vec3<double> a) {
    return {static_cast<Real>(a.x), static_cast<Real>(a.y), static_cast<Real>(a.z)};
}

}  // namespace rayscope
