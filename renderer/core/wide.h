#pragma once

#include "renderer/core/lanes.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

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
        for (int i = 0; i < N; ++i) a.v[i] = least;
        return a;
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

/// A bit for each of N numbers, set where it is `sought`.
template <int N>
RAYSCOPE_FN unsigned bitsWhere(const int* numbers, int sought) {
    unsigned bits = 0;
    for (int i = 0; i < N; ++i) bits |= numbers[i] == sought ? 1u << i : 0u;
    return bits;
}

#ifdef __SSE2__
template <>
struct Wide<float, 4> {
    __m128 v;

    struct Mask {
        __m128 m;
        RAYSCOPE_FN friend Mask operator&(Mask a, Mask b) { return {_mm_and_ps(a.m, b.m)}; }
        RAYSCOPE_FN friend Mask operator|(Mask a, Mask b) { return {_mm_or_ps(a.m, b.m)}; }
        RAYSCOPE_FN friend unsigned bitsOf(Mask a) {
            return static_cast<unsigned>(_mm_movemask_ps(a.m));
        }
    };

    Wide() = default;
    RAYSCOPE_FN Wide(__m128 a) : v(a) {}
    RAYSCOPE_FN Wide(float all) : v(_mm_set1_ps(all)) {}
    RAYSCOPE_FN explicit Wide(const float* from) : v(_mm_load_ps(from)) {}
    RAYSCOPE_FN void store(float* to) const { _mm_store_ps(to, v); }

    RAYSCOPE_FN friend Wide operator+(Wide a, Wide b) { return _mm_add_ps(a.v, b.v); }
    RAYSCOPE_FN friend Wide operator-(Wide a, Wide b) { return _mm_sub_ps(a.v, b.v); }
    RAYSCOPE_FN friend Wide operator*(Wide a, Wide b) { return _mm_mul_ps(a.v, b.v); }
    RAYSCOPE_FN friend Wide operator/(Wide a, Wide b) { return _mm_div_ps(a.v, b.v); }
    RAYSCOPE_FN friend Mask operator<=(Wide a, Wide b) { return {_mm_cmple_ps(a.v, b.v)}; }
    RAYSCOPE_FN friend Mask operator<(Wide a, Wide b) { return {_mm_cmplt_ps(a.v, b.v)}; }
    RAYSCOPE_FN friend Wide fastMin(Wide a, Wide b) { return _mm_min_ps(a.v, b.v); }
    RAYSCOPE_FN friend Wide fastMax(Wide a, Wide b) { return _mm_max_ps(a.v, b.v); }
#ifdef __FMA__
    RAYSCOPE_FN friend Wide mulAdd(Wide a, Wide b, Wide c) {
        return _mm_fmadd_ps(a.v, b.v, c.v);
    }
    RAYSCOPE_FN friend Wide productDifference(Wide a, Wide b, Wide c, Wide d) {
        const __m128 product = _mm_mul_ps(c.v, d.v);
        const __m128 error = _mm_fnmadd_ps(c.v, d.v, product);
        return _mm_add_ps(_mm_fmsub_ps(a.v, b.v, product), error);
    }
#else
    RAYSCOPE_FN friend Wide mulAdd(Wide a, Wide b, Wide c) {
        return a * b + c;
    }
    RAYSCOPE_FN friend Wide productDifference(Wide a, Wide b, Wide c, Wide d) {
        const auto half = [](__m128 p, __m128 q, __m128 r, __m128 s) {
            const __m128d first = _mm_mul_pd(_mm_cvtps_pd(p), _mm_cvtps_pd(q));
            const __m128d second = _mm_mul_pd(_mm_cvtps_pd(r), _mm_cvtps_pd(s));
            return _mm_cvtpd_ps(_mm_sub_pd(first, second));
        };
        const auto upper = [](Wide x) { return _mm_movehl_ps(x.v, x.v); };
        return _mm_movelh_ps(half(a.v, b.v, c.v, d.v),
                             half(upper(a), upper(b), upper(c), upper(d)));
    }
#endif
};

template <>
RAYSCOPE_FN unsigned bitsWhere<4>(const int* numbers, int sought) {
    const __m128i four = _mm_load_si128(reinterpret_cast<const __m128i*>(numbers));
    const __m128i equal = _mm_cmpeq_epi32(four, _mm_set1_epi32(sought));
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
}

#ifdef __AVX2__
template <>
RAYSCOPE_FN unsigned bitsWhere<8>(const int* numbers, int sought) {
    const __m256i eight = _mm256_load_si256(reinterpret_cast<const __m256i*>(numbers));
    const __m256i equal = _mm256_cmpeq_epi32(eight, _mm256_set1_epi32(sought));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
}
#endif

template <>
struct Wide<float, 8> {
#ifdef __AVX2__
    __m256 v;

    struct Mask {
        __m256 m;
        RAYSCOPE_FN friend Mask operator&(Mask a, Mask b) { return {_mm256_and_ps(a.m, b.m)}; }
        RAYSCOPE_FN friend Mask operator|(Mask a, Mask b) { return {_mm256_or_ps(a.m, b.m)}; }
        RAYSCOPE_FN friend unsigned bitsOf(Mask a) {
            return static_cast<unsigned>(_mm256_movemask_ps(a.m));
        }
    };

    Wide() = default;
    RAYSCOPE_FN Wide(__m256 a) : v(a) {}
    RAYSCOPE_FN Wide(float all) : v(_mm256_set1_ps(all)) {}
    RAYSCOPE_FN explicit Wide(const float* from) : v(_mm256_load_ps(from)) {}
    RAYSCOPE_FN void store(float* to) const {
        _mm256_store_ps(to, v);
    }

    RAYSCOPE_FN friend Wide operator+(Wide a, Wide b) {
        return _mm256_add_ps(a.v, b.v);
    }
    RAYSCOPE_FN friend Wide operator-(Wide a, Wide b) {
        return _mm256_sub_ps(a.v, b.v);
    }
    RAYSCOPE_FN friend Wide operator*(Wide a, Wide b) {
        return _mm256_mul_ps(a.v, b.v);
    }
    RAYSCOPE_FN friend Wide operator/(Wide a, Wide b) {
        return _mm256_div_ps(a.v, b.v);
    }
    RAYSCOPE_FN friend Mask operator<=(Wide a, Wide b) {
        return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)};
    }
    RAYSCOPE_FN friend Mask operator<(Wide a, Wide b) {
        return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)};
    }
    RAYSCOPE_FN friend Wide fastMin(Wide a, Wide b) {
        return _mm256_min_ps(a.v, b.v);
    }
    RAYSCOPE_FN friend Wide fastMax(Wide a, Wide b) {
        return _mm256_max_ps(a.v, b.v);
    }
    RAYSCOPE_FN friend Wide mulAdd(Wide a, Wide b, Wide c) {
        return _mm256_fmadd_ps(a.v, b.v, c.v);
    }
    RAYSCOPE_FN friend Wide productDifference(Wide a, Wide b, Wide c, Wide d) {
        const __m256 product = _mm256_mul_ps(c.v, d.v);
        const __m256 error = _mm256_fnmadd_ps(c.v, d.v, product);
        return _mm256_add_ps(_mm256_fmsub_ps(a.v, b.v, product), error);
    }
#else
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

    RAYSCOPE_FN friend Wide operator+(Wide a, Wide b) {
        return {a.low + b.low, a.high + b.high};
    }
    RAYSCOPE_FN friend Wide operator-(Wide a, Wide b) {
        return {a.low - b.low, a.high - b.high};
    }
    RAYSCOPE_FN friend Wide operator*(Wide a, Wide b) {
        return {a.low * b.low, a.high * b.high};
    }
    RAYSCOPE_FN friend Wide operator/(Wide a, Wide b) {
        return {a.low / b.low, a.high / b.high};
    }
    RAYSCOPE_FN friend Mask operator<=(Wide a, Wide b) {
        return {a.low <= b.low, a.high <= b.high};
    }
    RAYSCOPE_FN friend Mask operator<(Wide a, Wide b) {
        return {a.low < b.low, a.high < b.high};
    }
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
#endif
};
#endif

#ifdef __SSE4_1__
template <>
struct Ints<4> {
    __m128i v;

    RAYSCOPE_FN Ints(__m128i a) : v(a) {}
    RAYSCOPE_FN explicit Ints(const int* from)
        : v(_mm_load_si128(reinterpret_cast<const __m128i*>(from))) {}
    RAYSCOPE_FN int first() const { return _mm_cvtsi128_si32(v); }
    RAYSCOPE_FN friend Ints minimum(Ints a, Ints b) { return _mm_min_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Ints leastOf(Ints a) {
        a = minimum(a, _mm_shuffle_epi32(a.v, 0b01001110));
        return minimum(a, _mm_shuffle_epi32(a.v, 0b10110001));
    }
    RAYSCOPE_FN friend unsigned whereLess(Ints a, int than) {
        return static_cast<unsigned>(
            _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(_mm_set1_epi32(than), a.v))));
    }
    RAYSCOPE_FN friend unsigned whereEqual(Ints a, Ints b) {
        return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(a.v, b.v))));
    }
};
#endif

#ifdef __AVX2__
template <>
struct Ints<8> {
    __m256i v;

    RAYSCOPE_FN Ints(__m256i a) : v(a) {}
    RAYSCOPE_FN explicit Ints(const int* from)
        : v(_mm256_load_si256(reinterpret_cast<const __m256i*>(from))) {}
    RAYSCOPE_FN int first() const { return _mm256_cvtsi256_si32(v); }
    RAYSCOPE_FN friend Ints minimum(Ints a, Ints b) { return _mm256_min_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Ints leastOf(Ints a) {
        a = minimum(a, _mm256_permute2x128_si256(a.v, a.v, 1));
        a = minimum(a, _mm256_shuffle_epi32(a.v, 0b01001110));
        return minimum(a, _mm256_shuffle_epi32(a.v, 0b10110001));
    }
    RAYSCOPE_FN friend unsigned whereLess(Ints a, int than) {
        return static_cast<unsigned>(_mm256_movemask_ps(
            _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(than), a.v))));
    }
    RAYSCOPE_FN friend unsigned whereEqual(Ints a, Ints b) {
        return static_cast<unsigned>(
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.v, b.v))));
    }
};
#endif

#ifdef __AVX512F__
template <>
struct Ints<16> {
    __m512i v;

    RAYSCOPE_FN Ints(__m512i a) : v(a) {}
    RAYSCOPE_FN explicit Ints(const int* from) : v(_mm512_load_si512(from)) {}
    RAYSCOPE_FN int first() const { return _mm_cvtsi128_si32(_mm512_castsi512_si128(v)); }
    RAYSCOPE_FN friend Ints minimum(Ints a, Ints b) { return _mm512_min_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Ints leastOf(Ints a) {
        a = minimum(a, _mm512_shuffle_i32x4(a.v, a.v, 0b01001110));
        a = minimum(a, _mm512_shuffle_i32x4(a.v, a.v, 0b10110001));
        a = minimum(a, _mm512_shuffle_epi32(a.v, _MM_PERM_BADC));
        return minimum(a, _mm512_shuffle_epi32(a.v, _MM_PERM_CDAB));
    }
    RAYSCOPE_FN friend unsigned whereLess(Ints a, int than) {
        return _mm512_cmplt_epi32_mask(a.v, _mm512_set1_epi32(than));
    }
    RAYSCOPE_FN friend unsigned whereEqual(Ints a, Ints b) {
        return _mm512_cmpeq_epi32_mask(a.v, b.v);
    }
};
#endif

}  // namespace rayscope
