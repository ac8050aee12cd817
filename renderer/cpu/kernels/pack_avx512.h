#pragma once

#include <immintrin.h>

#include "renderer/core/platform.h"

// Sixteen lanes; included by pack.h.

namespace rayscope {

inline constexpr int kWidth = 16;

/// One bit a lane.
struct Mask {
    __mmask16 m;

    Mask() = default;
    RAYSCOPE_FN Mask(bool all) : m(all ? 0xffff : 0) {}
    RAYSCOPE_FN static Mask of(unsigned bits) {
        Mask mask;
        mask.m = static_cast<__mmask16>(bits);
        return mask;
    }
    RAYSCOPE_FN unsigned bits() const { return m; }
};
RAYSCOPE_FN Mask operator&(Mask a, Mask b) {
    return Mask::of(a.m & b.m);
}
RAYSCOPE_FN Mask operator|(Mask a, Mask b) {
    return Mask::of(a.m | b.m);
}
RAYSCOPE_FN Mask operator!(Mask a) {
    return Mask::of(~a.m);
}
RAYSCOPE_FN bool any(Mask a) {
    return a.m != 0;
}

struct Words {
    __m512i v;
    typedef unsigned Unsigned __attribute__((vector_size(64)));

    Words() = default;
    RAYSCOPE_FN Words(__m512i a) : v(a) {}
    RAYSCOPE_FN Words(int a) : v(_mm512_set1_epi32(a)) {}
    RAYSCOPE_FN Words(unsigned a) : v(_mm512_set1_epi32(static_cast<int>(a))) {}

    RAYSCOPE_FN friend Words operator+(Words a, Words b) { return _mm512_add_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Words operator-(Words a, Words b) { return _mm512_sub_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Words operator*(Words a, Words b) { return _mm512_mullo_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Words operator&(Words a, Words b) { return _mm512_and_si512(a.v, b.v); }
    RAYSCOPE_FN friend Words operator^(Words a, Words b) { return _mm512_xor_si512(a.v, b.v); }
    /// Unsigned.
    RAYSCOPE_FN friend Words operator>>(Words a, Words n) { return _mm512_srlv_epi32(a.v, n.v); }
    RAYSCOPE_FN friend Words operator>>(Words a, int n) {
        return (__m512i)((Unsigned)a.v >> static_cast<unsigned>(n));
    }
    RAYSCOPE_FN friend Mask operator==(Words a, Words b) {
        return Mask::of(_mm512_cmpeq_epi32_mask(a.v, b.v));
    }
    /// Signed.
    RAYSCOPE_FN friend Mask operator<(Words a, Words b) {
        return Mask::of(_mm512_cmplt_epi32_mask(a.v, b.v));
    }
    RAYSCOPE_FN friend Mask operator>=(Words a, Words b) {
        return Mask::of(_mm512_cmpge_epi32_mask(a.v, b.v));
    }
};

struct Floats {
    __m512 v;

    Floats() = default;
    RAYSCOPE_FN Floats(__m512 a) : v(a) {}
    RAYSCOPE_FN Floats(float a) : v(_mm512_set1_ps(a)) {}
    RAYSCOPE_FN Floats(Words a) : v(_mm512_cvtepi32_ps(a.v)) {}

    RAYSCOPE_FN friend Floats operator+(Floats a, Floats b) { return _mm512_add_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator-(Floats a, Floats b) { return _mm512_sub_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator*(Floats a, Floats b) { return _mm512_mul_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator/(Floats a, Floats b) { return _mm512_div_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator-(Floats a) {
        return _mm512_xor_ps(a.v, _mm512_set1_ps(-0.f));
    }
    RAYSCOPE_FN friend Mask operator<(Floats a, Floats b) {
        return Mask::of(_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ));
    }
    RAYSCOPE_FN friend Mask operator>(Floats a, Floats b) {
        return Mask::of(_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ));
    }
    RAYSCOPE_FN friend Mask operator<=(Floats a, Floats b) {
        return Mask::of(_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ));
    }
    RAYSCOPE_FN friend Mask operator>=(Floats a, Floats b) {
        return Mask::of(_mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ));
    }
    RAYSCOPE_FN friend Mask operator==(Floats a, Floats b) {
        return Mask::of(_mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ));
    }
};

RAYSCOPE_FN Floats mulAdd(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a.v, b.v, c.v);
}
RAYSCOPE_FN Floats sqrt(Floats a) {
    return _mm512_sqrt_ps(a.v);
}
/// An estimate of 14 bits.
RAYSCOPE_FN Floats roughRsqrt(Floats a) {
    return _mm512_rsqrt14_ps(a.v);
}
RAYSCOPE_FN Floats fabs(Floats a) {
    return _mm512_abs_ps(a.v);
}
RAYSCOPE_FN Floats ceil(Floats a) {
    return _mm512_roundscale_ps(a.v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
RAYSCOPE_FN Floats fastMin(Floats a, Floats b) {
    return _mm512_min_ps(a.v, b.v);
}
RAYSCOPE_FN Floats fastMax(Floats a, Floats b) {
    return _mm512_max_ps(a.v, b.v);
}
RAYSCOPE_FN Words truncated(Floats a) {
    return _mm512_cvttps_epi32(a.v);
}
RAYSCOPE_FN Words asWords(Floats a) {
    return _mm512_castps_si512(a.v);
}
RAYSCOPE_FN Floats asFloats(Words a) {
    return _mm512_castsi512_ps(a.v);
}
RAYSCOPE_FN float first(Floats a) {
    return _mm512_cvtss_f32(a.v);
}
RAYSCOPE_FN Words laneNumbers() {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
RAYSCOPE_FN Floats select(Mask m, Floats yes, Floats no) {
    return _mm512_mask_blend_ps(m.m, no.v, yes.v);
}
RAYSCOPE_FN Words select(Mask m, Words yes, Words no) {
    return _mm512_mask_blend_epi32(m.m, no.v, yes.v);
}

RAYSCOPE_FN Floats load(const float* p) {
    return _mm512_loadu_ps(p);
}
RAYSCOPE_FN void store(float* p, Floats a) {
    _mm512_storeu_ps(p, a.v);
}
RAYSCOPE_FN void store(unsigned* p, Words a) {
    _mm512_storeu_si512(p, a.v);
}
/// Writes the mask's lanes one after the other; what lies behind them in kWidth places is lost.
RAYSCOPE_FN void storePacked(float* p, Mask m, Floats a) {
    _mm512_storeu_ps(p, _mm512_maskz_compress_ps(m.m, a.v));
}
/// Gives the mask's lanes the numbers that follow p, in order. Reads kWidth.
RAYSCOPE_FN Floats loadSpread(const float* p, Mask m, Floats others) {
    return _mm512_mask_expand_ps(others.v, m.m, _mm512_loadu_ps(p));
}

/// table[index] of each lane.
RAYSCOPE_FN Floats gather(const float* table, Words index) {
    return _mm512_i32gather_ps(index.v, table, 4);
}
RAYSCOPE_FN Words gather(const int* table, Words index) {
    return _mm512_i32gather_epi32(index.v, table, 4);
}

/// The largest table for lookUp().
inline constexpr int kMostLookedUp = 64;
/// gather() from registers, for tables padded to a multiple of kPadding.
RAYSCOPE_FN Floats lookUp(const float* table, int padded, Words index) {
    const auto part = [&](int k) RAYSCOPE_INLINED { return _mm512_loadu_ps(table + 16 * k); };
    if (padded <= 16) return _mm512_permutexvar_ps(index.v, part(0));
    const Floats low = _mm512_permutex2var_ps(part(0), index.v, part(1));
    if (padded <= 32) return low;
    const Floats high = _mm512_permutex2var_ps(part(2), index.v, part(padded > 48 ? 3 : 2));
    return select(Mask::of(_mm512_test_epi32_mask(index.v, _mm512_set1_epi32(32))), high, low);
}

/// The four numbers at table + place[lane] of each lane, which are aligned to 16 bytes.
RAYSCOPE_FN Four<Floats> loadFours(const float* table, const unsigned (&place)[kWidth]) {
    const auto from = [&](int lane) RAYSCOPE_INLINED { return _mm_load_ps(table + place[lane]); };
    const auto lanes = [&](int k) RAYSCOPE_INLINED {  // k, 4 + k, 8 + k and 12 + k
        __m512 fours = _mm512_castps128_ps512(from(k));
        fours = _mm512_insertf32x4(fours, from(4 + k), 1);
        fours = _mm512_insertf32x4(fours, from(8 + k), 2);
        return _mm512_insertf32x4(fours, from(12 + k), 3);
    };
    const __m512 a = lanes(0), b = lanes(1), c = lanes(2), d = lanes(3);
    const __m512d ab01 = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
    const __m512d ab23 = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
    const __m512d cd01 = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
    const __m512d cd23 = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
    return {_mm512_castpd_ps(_mm512_unpacklo_pd(ab01, cd01)),
            _mm512_castpd_ps(_mm512_unpackhi_pd(ab01, cd01)),
            _mm512_castpd_ps(_mm512_unpacklo_pd(ab23, cd23)),
            _mm512_castpd_ps(_mm512_unpackhi_pd(ab23, cd23))};
}

using LaneBits = unsigned short;

/// A bit for each of 64 masks, set if it has a lane in common with `where`.
RAYSCOPE_FN unsigned long long common(const LaneBits (&masks)[64], Mask where) {
    const __m512i lanes = _mm512_set1_epi16(static_cast<short>(where.bits()));
    const __m512i low = _mm512_loadu_si512(masks), high = _mm512_loadu_si512(masks + 32);
    const unsigned long long upper = _mm512_test_epi16_mask(high, lanes);
    return upper << 32 | _mm512_test_epi16_mask(low, lanes);
}

/// Calls visit(lane, record of a, b, c and 0) for all lanes, in no particular order.
template <class Visit>
RAYSCOPE_FN void eachRecord(Floats a, Floats b, Floats c, Visit visit) {
    const __m512 zero = _mm512_setzero_ps();
    const __m512d ab0 = _mm512_castps_pd(_mm512_unpacklo_ps(a.v, b.v));
    const __m512d ab1 = _mm512_castps_pd(_mm512_unpackhi_ps(a.v, b.v));
    const __m512d c0 = _mm512_castps_pd(_mm512_unpacklo_ps(c.v, zero));
    const __m512d c1 = _mm512_castps_pd(_mm512_unpackhi_ps(c.v, zero));
    const auto four = [&](int k, __m512d pairs) RAYSCOPE_INLINED {
        const __m512 r = _mm512_castpd_ps(pairs);
        visit(k, _mm512_extractf32x4_ps(r, 0));
        visit(4 + k, _mm512_extractf32x4_ps(r, 1));
        visit(8 + k, _mm512_extractf32x4_ps(r, 2));
        visit(12 + k, _mm512_extractf32x4_ps(r, 3));
    };
    four(0, _mm512_unpacklo_pd(ab0, c0));
    four(1, _mm512_unpackhi_pd(ab0, c0));
    four(2, _mm512_unpacklo_pd(ab1, c1));
    four(3, _mm512_unpackhi_pd(ab1, c1));
}

}  // namespace rayscope
