#pragma once

#include "renderer/core/lanes.h"

// Numbers side by side for the host, operated on all at once: in vector registers, in two halves,
// or, in double precision and on other processors, one by one. Each operation rounds as that of a
// single number.

namespace rayscope {

template <class Real, int N>
struct Wide {
    Real v[N];

    Wide() = default;
    RAYSCOPE_FN Wide(Real all) {
        for (Real& x : v) x = all;
    }
    RAYSCOPE_FN explicit Wide(const Real* from) {
        for (int i = 0; i < N; ++i) v[i] = from[i];
    }
    RAYSCOPE_FN void store(Real* to) const {
        for (int i = 0; i < N; ++i) to[i] = v[i];
    }
    template <class Operation>
    RAYSCOPE_FN static Wide each(Operation operation) {
        Wide r;
        for (int i = 0; i < N; ++i) r.v[i] = operation(i);
        return r;
    }
    template <class Condition>
    RAYSCOPE_FN static unsigned where(Condition condition) {
        unsigned bits = 0;
        for (int i = 0; i < N; ++i) bits |= condition(i) ? 1u << i : 0u;
        return bits;
    }
    using Mask = unsigned;

    RAYSCOPE_FN friend Wide operator+(const Wide& a, const Wide& b) {
        return each([&](int i) { return a.v[i] + b.v[i]; });
    }
    RAYSCOPE_FN friend Wide operator-(const Wide& a, const Wide& b) {
        return each([&](int i) { return a.v[i] - b.v[i]; });
    }
    RAYSCOPE_FN friend Wide operator*(const Wide& a, const Wide& b) {
        return each([&](int i) { return a.v[i] * b.v[i]; });
    }
    RAYSCOPE_FN friend Wide operator/(const Wide& a, const Wide& b) {
        return each([&](int i) { return a.v[i] / b.v[i]; });
    }
    RAYSCOPE_FN friend Mask operator<=(const Wide& a, const Wide& b) {
        return where([&](int i) { return a.v[i] <= b.v[i]; });
    }
    RAYSCOPE_FN friend Mask operator<(const Wide& a, const Wide& b) {
        return where([&](int i) { return a.v[i] < b.v[i]; });
    }
    RAYSCOPE_FN friend Wide mulAdd(const Wide& a, const Wide& b, const Wide& c) {
        return each([&](int i) { return rayscope::mulAdd(a.v[i], b.v[i], c.v[i]); });
    }
    RAYSCOPE_FN friend Wide productDifference(const Wide& a, const Wide& b, const Wide& c,
                                              const Wide& d) {
        return each(
            [&](int i) { return rayscope::productDifference(a.v[i], b.v[i], c.v[i], d.v[i]); });
    }
    RAYSCOPE_FN friend Wide fastMin(const Wide& a, const Wide& b) {
        return each([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
    }
    RAYSCOPE_FN friend Wide fastMax(const Wide& a, const Wide& b) {
        return each([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
    }
};

/// N integers side by side.
template <int N>
struct Ints {
    int v[N];

    RAYSCOPE_FN explicit Ints(int all) {
        for (int& x : v) x = all;
    }
    RAYSCOPE_FN explicit Ints(const int* from) {
        for (int i = 0; i < N; ++i) v[i] = from[i];
    }
    RAYSCOPE_FN int first() const { return v[0]; }
    RAYSCOPE_FN friend Ints minimum(Ints a, Ints b) {
        for (int i = 0; i < N; ++i) a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
        return a;
    }
    /// The least of them, in all places.
    RAYSCOPE_FN friend Ints leastOf(Ints a) {
        int least = a.v[0];
        for (int i = 1; i < N; ++i) least = a.v[i] < least ? a.v[i] : least;
        return Ints(least);
    }
    /// A bit for each place, set where it is less.
    RAYSCOPE_FN friend unsigned whereLess(Ints a, int than) {
        unsigned bits = 0;
        for (int i = 0; i < N; ++i) bits |= a.v[i] < than ? 1u << i : 0u;
        return bits;
    }
    /// The same, where both are equal.
    RAYSCOPE_FN friend unsigned whereEqual(Ints a, Ints b) {
        unsigned bits = 0;
        for (int i = 0; i < N; ++i) bits |= a.v[i] == b.v[i] ? 1u << i : 0u;
        return bits;
    }
};

RAYSCOPE_FN unsigned bitsOf(unsigned mask) {
    return mask;
}

#ifdef __SSE2__
#if defined(__AVX512F__)
inline constexpr int kVectorInts = 16;
#elif defined(__AVX2__)
inline constexpr int kVectorInts = 8;
#else
inline constexpr int kVectorInts = 4;
#endif
inline constexpr int kVectorFloats = kVectorInts < 8 ? 4 : 8;

/// N numbers in a register, as an extension of g++ and clang++. Intrinsics would be the same
/// instructions, but parsing their header takes g++ as long as compiling a kernel.
template <class T, int N>
struct VectorOf {
    typedef T Type __attribute__((vector_size(sizeof(T) * N), may_alias));
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::Type;

/// A bit for each number of a mask.
template <int N>
RAYSCOPE_FN unsigned signBits(Vector<int, N> mask) {
    if constexpr (N == 4)
        return static_cast<unsigned>(
            __builtin_ia32_movmskps(reinterpret_cast<Vector<float, N>>(mask)));
    else
        return static_cast<unsigned>(
            __builtin_ia32_movmskps256(reinterpret_cast<Vector<float, N>>(mask)));
}

#ifdef __FMA__
/// a * b + c, rounded once.
template <int N>
RAYSCOPE_FN Vector<float, N> fused(Vector<float, N> a, Vector<float, N> b, Vector<float, N> c) {
#if __has_builtin(__builtin_elementwise_fma)
    return __builtin_elementwise_fma(a, b, c);
#else
    if constexpr (N == 4)
        return __builtin_ia32_vfmaddps(a, b, c);
    else
        return __builtin_ia32_vfmaddps256(a, b, c);
#endif
}
#endif

template <int N>
requires(N == 4 || N == kVectorFloats) struct Wide<float, N> {
    using V = Vector<float, N>;
    V v;

    struct Mask {
        Vector<int, N> m;
        RAYSCOPE_FN friend Mask operator&(Mask a, Mask b) { return {a.m & b.m}; }
        RAYSCOPE_FN friend Mask operator|(Mask a, Mask b) { return {a.m | b.m}; }
        RAYSCOPE_FN friend unsigned bitsOf(Mask a) { return signBits<N>(a.m); }
    };

    Wide() = default;
    RAYSCOPE_FN Wide(V a) : v(a) {}
    RAYSCOPE_FN Wide(float all) : v(all - V{}) {}  // as V{} + all is not -0 for -0
    RAYSCOPE_FN explicit Wide(const float* from) : v(*reinterpret_cast<const V*>(from)) {}
    RAYSCOPE_FN void store(float* to) const { *reinterpret_cast<V*>(to) = v; }

    RAYSCOPE_FN friend Wide operator+(Wide a, Wide b) { return a.v + b.v; }
    RAYSCOPE_FN friend Wide operator-(Wide a, Wide b) { return a.v - b.v; }
    RAYSCOPE_FN friend Wide operator*(Wide a, Wide b) { return a.v * b.v; }
    RAYSCOPE_FN friend Wide operator/(Wide a, Wide b) { return a.v / b.v; }
    RAYSCOPE_FN friend Mask operator<=(Wide a, Wide b) { return {a.v <= b.v}; }
    RAYSCOPE_FN friend Mask operator<(Wide a, Wide b) { return {a.v < b.v}; }
    RAYSCOPE_FN friend Wide fastMin(Wide a, Wide b) { return a.v < b.v ? a.v : b.v; }
    RAYSCOPE_FN friend Wide fastMax(Wide a, Wide b) { return a.v > b.v ? a.v : b.v; }
#ifdef __FMA__
    RAYSCOPE_FN friend Wide mulAdd(Wide a, Wide b, Wide c) {
        return fused<N>(a.v, b.v, c.v);
    }
    RAYSCOPE_FN friend Wide productDifference(Wide a, Wide b, Wide c, Wide d) {
        const V product = c.v * d.v;
        return fused<N>(a.v, b.v, -product) + fused<N>(-c.v, d.v, product);
    }
#else
    RAYSCOPE_FN friend Wide mulAdd(Wide a, Wide b, Wide c) {
        return a * b + c;
    }
    RAYSCOPE_FN friend Wide productDifference(Wide a, Wide b, Wide c, Wide d) {
        using D = Vector<double, N>;
        const D first = __builtin_convertvector(a.v, D) * __builtin_convertvector(b.v, D);
        const D second = __builtin_convertvector(c.v, D) * __builtin_convertvector(d.v, D);
        return __builtin_convertvector(first - second, V);
    }
#endif
};

#ifndef __AVX2__
template <>
struct Wide<float, 8> {
    using Half = Wide<float, 4>;
    Half low, high;

    struct Mask {
        Half::Mask low, high;
        RAYSCOPE_FN friend Mask operator&(Mask a, Mask b) {
            return {a.low & b.low, a.high & b.high};
        }
        RAYSCOPE_FN friend Mask operator|(Mask a, Mask b) {
            return {a.low | b.low, a.high | b.high};
        }
        RAYSCOPE_FN friend unsigned bitsOf(Mask a) { return bitsOf(a.low) | bitsOf(a.high) << 4; }
    };

    Wide() = default;
    RAYSCOPE_FN Wide(Half l, Half h) : low(l), high(h) {}
    RAYSCOPE_FN Wide(float all) : low(all), high(all) {}
    RAYSCOPE_FN explicit Wide(const float* from) : low(from), high(from + 4) {}
    RAYSCOPE_FN void store(float* to) const {
        low.store(to);
        high.store(to + 4);
    }

    RAYSCOPE_FN friend Wide operator+(Wide a, Wide b) { return {a.low + b.low, a.high + b.high}; }
    RAYSCOPE_FN friend Wide operator-(Wide a, Wide b) { return {a.low - b.low, a.high - b.high}; }
    RAYSCOPE_FN friend Wide operator*(Wide a, Wide b) { return {a.low * b.low, a.high * b.high}; }
    RAYSCOPE_FN friend Wide operator/(Wide a, Wide b) { return {a.low / b.low, a.high / b.high}; }
    RAYSCOPE_FN friend Mask operator<=(Wide a, Wide b) {
        return {a.low <= b.low, a.high <= b.high};
    }
    RAYSCOPE_FN friend Mask operator<(Wide a, Wide b) { return {a.low < b.low, a.high < b.high}; }
    RAYSCOPE_FN friend Wide fastMin(Wide a, Wide b) {
        return {fastMin(a.low, b.low), fastMin(a.high, b.high)};
    }
    RAYSCOPE_FN friend Wide fastMax(Wide a, Wide b) {
        return {fastMax(a.low, b.low), fastMax(a.high, b.high)};
    }
    RAYSCOPE_FN friend Wide mulAdd(Wide a, Wide b, Wide c) {
        return {mulAdd(a.low, b.low, c.low), mulAdd(a.high, b.high, c.high)};
    }
    RAYSCOPE_FN friend Wide productDifference(Wide a, Wide b, Wide c, Wide d) {
        return {productDifference(a.low, b.low, c.low, d.low),
                productDifference(a.high, b.high, c.high, d.high)};
    }
};
#endif

template <int N>
requires(N >= 4 && N <= kVectorInts) struct Ints<N> {
    using V = Vector<int, N>;
    V v;

    RAYSCOPE_FN Ints(V a) : v(a) {}
    RAYSCOPE_FN explicit Ints(int all) : v(all - V{}) {}
    RAYSCOPE_FN explicit Ints(const int* from) : v(*reinterpret_cast<const V*>(from)) {}
    RAYSCOPE_FN int first() const { return v[0]; }
    RAYSCOPE_FN friend Ints minimum(Ints a, Ints b) { return a.v < b.v ? a.v : b.v; }
    RAYSCOPE_FN friend Ints leastOf(Ints a) {
        if constexpr (N > 8) a = minimum(a, a.template swapped<8>());
        if constexpr (N > 4) a = minimum(a, a.template swapped<4>());
        a = minimum(a, a.template swapped<2>());
        return minimum(a, a.template swapped<1>());
    }
    RAYSCOPE_FN friend unsigned whereLess(Ints a, int than) {
        if constexpr (N == 16)
            return __builtin_ia32_cmpd512_mask(a.v, Ints(than).v, 1, kAll);
        else
            return signBits<N>(a.v < Ints(than).v);
    }
    RAYSCOPE_FN friend unsigned whereEqual(Ints a, Ints b) {
        if constexpr (N == 16)
            return __builtin_ia32_cmpd512_mask(a.v, b.v, 0, kAll);
        else
            return signBits<N>(a.v == b.v);
    }

private:
    static constexpr unsigned short kAll = 0xffff;

    /// Each in the place of that which is Step places on, or back.
    template <int Step>
    RAYSCOPE_FN Ints swapped() const {
        const auto at = [this](int i) RAYSCOPE_INLINED { return v[i ^ Step]; };
        if constexpr (N == 4)
            return V{at(0), at(1), at(2), at(3)};
        else if constexpr (N == 8)
            return V{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
        else
            return V{at(0), at(1), at(2),  at(3),  at(4),  at(5),  at(6),  at(7),
                     at(8), at(9), at(10), at(11), at(12), at(13), at(14), at(15)};
    }
};
#endif

/// A bit for each of N numbers, set where it is `sought`.
template <int N>
RAYSCOPE_FN unsigned bitsWhere(const int* numbers, int sought) {
    return whereEqual(Ints<N>(numbers), Ints<N>(sought));
}

}  // namespace rayscope
