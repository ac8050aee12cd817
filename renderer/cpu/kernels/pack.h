#pragma once

#include "renderer/core/lanes.h"
#include "renderer/core/vector.h"

// Numbers with a path in each lane: Floats, Words (32-bit integers) and Mask, in the registers of
// the instruction set that the file is compiled for. They have the operators and functions of
// plain numbers, so that the templates of core/ take Floats for a Real.

namespace rayscope {

/// Numbers that lie side by side in memory.
template <class Number>
struct Four {
    Number a, b, c, d;
};

}  // namespace rayscope

#ifdef __AVX512F__
#include "renderer/cpu/kernels/pack_avx512.h"
#else
#include "renderer/cpu/kernels/pack_avx2.h"
#endif

namespace rayscope {

template <>
struct LanesOf<Floats> {
    using Mask = rayscope::Mask;
    using Int = Words;
    using Float = Floats;
};

// As in the physics, where a path by itself evaluates the second operand only if it has to.
RAYSCOPE_FN Mask operator&&(Mask a, Mask b) {
    return a & b;
}
RAYSCOPE_FN Mask operator||(Mask a, Mask b) {
    return a | b;
}
RAYSCOPE_FN Floats& operator*=(Floats& a, Floats b) {
    return a = a * b;
}
RAYSCOPE_FN Floats minimum(Floats a, Floats b) {
    return fastMin(a, b);
}
RAYSCOPE_FN Floats maximum(Floats a, Floats b) {
    return fastMax(a, b);
}
RAYSCOPE_FN Mask operator!=(Words a, Words b) {
    return !(a == b);
}
RAYSCOPE_FN Mask operator==(Words a, MaterialKind b) {
    return a == Words(static_cast<int>(b));
}
RAYSCOPE_FN Mask operator!=(Words a, MaterialKind b) {
    return !(a == b);
}
/// The same numbers, in a register: the compiler would otherwise compute them again at each use.
RAYSCOPE_FN Floats kept(Floats a) {
    asm("" : "+v"(a.v));
    return a;
}
RAYSCOPE_FN int count(Mask m) {
    return __builtin_popcount(m.bits());
}
RAYSCOPE_FN Vec3<Floats> select(Mask m, Vec3<Floats> yes, Vec3<Floats> no) {
    return {select(m, yes.x, no.x), select(m, yes.y, no.y), select(m, yes.z, no.z)};
}
RAYSCOPE_FN Vec3<Floats> spread(const Vec3<float>& a) {
    return {a.x, a.y, a.z};
}

/// By a step of Newton's method; to 2^-22.
RAYSCOPE_FN Floats fastRsqrt(Floats a) {
    const Floats y = roughRsqrt(a);
    return y * mulAdd(a * Floats(-.5f) * y, y, Floats(1.5f));
}
/// By Halley's method from a guess by a third of the exponent. For a >= 0.
RAYSCOPE_FN Floats cbrt(Floats a) {
    Floats x = asFloats(truncated(Floats(asWords(a)) * Floats(1.f / 3)) + Words(709921077));
    for (int step = 0; step < 2; ++step) {
        const Floats cube = x * x * x;
        x = x * (cube + (a + a)) / (cube + cube + a);
    }
    return select(a > 0, x, Floats(0));
}

/// For an exponent that is the same natural number in all lanes.
RAYSCOPE_FN Floats pow(Floats a, Floats exponent) {
    Floats power = 1;
    for (int n = static_cast<int>(first(exponent)); n > 0; n >>= 1, a = a * a) {
        if (n & 1) power = power * a;
    }
    return power;
}

}  // namespace rayscope
