#pragma once

#include "renderer/core/lanes.h"

namespace rayscope {

template <class Real>
RAYSCOPE_FN Vec3<Real> operator+(Vec3<Real> a, Vec3<Real> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
RAYSCOPE_FN Vec3<Real> operator-(Vec3<Real> a, Vec3<Real> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
RAYSCOPE_FN Vec3<Real> operator-(Vec3<Real> a) {
    return {-a.x, -a.y, -a.z};
}
/// Componentwise, for colours.
template <class Real>
RAYSCOPE_FN Vec3<Real> operator*(Vec3<Real> a, Vec3<Real> b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class Real>
RAYSCOPE_FN Vec3<Real> operator*(Vec3<Real> a, Real s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class Real>
RAYSCOPE_FN Real dot(Vec3<Real> a, Vec3<Real> b) {
    return mulAdd(a.z, b.z, mulAdd(a.y, b.y, a.x * b.x));
}
template <class Real>
RAYSCOPE_FN Vec3<Real> cross(Vec3<Real> a, Vec3<Real> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// a s + b
template <class Real>
RAYSCOPE_FN Vec3<Real> mulAdd(Vec3<Real> a, Real s, Vec3<Real> b) {
    return {mulAdd(a.x, s, b.x), mulAdd(a.y, s, b.y), mulAdd(a.z, s, b.z)};
}
template <class Real>
RAYSCOPE_FN Real maximum(Real a, Real b) {
    return a > b ? a : b;
}
template <class Real>
RAYSCOPE_FN Real minimum(Real a, Real b) {
    return a < b ? a : b;
}
template <class Real>
RAYSCOPE_FN Real largest(Vec3<Real> a) {
    return maximum(a.x, maximum(a.y, a.z));
}

}  // namespace rayscope
