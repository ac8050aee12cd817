#pragma once

#include "renderer/core/platform.h"

// What the physics needs so that one text serves a single path and a packet, in which every number
// is a SIMD register with a path in each lane (cpu/pack.h). Conditions are masks, choices select().
// For a single path a mask is a bool, any() and select() vanish, and `if (!any(mask)) return` is
// the branch that it looks like.

namespace rayscope {

/// The types that go with a number, or with a generator of random numbers.
template <class T>
struct LanesOf {
    using Mask = bool;
    using Int = int;
    using Float = float;
};
template <class T>
using MaskOf = typename LanesOf<T>::Mask;
template <class T>
using IntOf = typename LanesOf<T>::Int;
/// Single precision, whatever T's is.
template <class T>
using FloatOf = typename LanesOf<T>::Float;

RAYSCOPE_FN bool any(bool mask) {
    return mask;
}
template <class T>
RAYSCOPE_FN T select(bool mask, T yes, T no) {
    return mask ? yes : no;
}

}  // namespace rayscope
