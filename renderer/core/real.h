#pragma once

#include "renderer/core/variant.h"

// The floating-point type of a kernel.

namespace rayscope {

template <Precision P>
struct RealOf;
template <>
struct RealOf<Precision::float32> {
    using Type = float;
};
template <>
struct RealOf<Precision::float64> {
    using Type = double;
};

template <Variant V>
using Real = typename RealOf<V.precision>::Type;

}  // namespace rayscope
