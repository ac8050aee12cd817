#pragma once

#include <immintrin.h>

#include "renderer/core/platform.h"

// Eight lanes; included by pack.h.

namespace rayscope {

inline constexpr int kWidth = 8;

/// All bits of a lane or none.
struct Mask {
    __m256i m;

    Mask() = default;
    RAYSCOPE_FN Mask(__m256i lanes) : m(lanes) {}
    RAYSCOPE_FN Mask(__m256 lanes) : m(_mm256_castps_si256(lanes)) {}
    RAYSCOPE_FN Mask(bool all) : m(_mm256_set1_epi32(all ? -1 : 0)) {}
    RAYSCOPE_FN static Mask of(unsigned bits) {
        const __m256i lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        const __m256i all = _mm256_set1_epi32(static_cast<int>(bits));
        return _mm256_cmpeq_epi32(_mm256_and_si256(all, lane), lane);
    }
    RAYSCOPE_FN __m256 floats() const { return _mm256_castsi256_ps(m); }
    RAYSCOPE_FN unsigned bits() const {
        return static_cast<unsigned>(_mm256_movemask_ps(floats()));
    }
};
RAYSCOPE_FN Mask operator&(Mask a, Mask b) {
    return _mm256_and_si256(a.m, b.m);
}
RAYSCOPE_FN Mask operator|(Mask a, Mask b) {
    return _mm256_or_si256(a.m, b.m);
}
RAYSCOPE_FN Mask operator!(Mask a) {
    return _mm256_xor_si256(a.m, _mm256_set1_epi32(-1));
}
RAYSCOPE_FN bool any(Mask a) {
    return !_mm256_testz_si256(a.m, a.m);
}

struct Words {
    __m256i v;
    typedef unsigned Unsigned __attribute__((vector_size(32)));

    Words() = default;
    RAYSCOPE_FN Words(__m256i a) : v(a) {}
    RAYSCOPE_FN Words(int a) : v(_mm256_set1_epi32(a)) {}
    RAYSCOPE_FN Words(unsigned a) : v(_mm256_set1_epi32(static_cast<int>(a))) {}

    RAYSCOPE_FN friend Words operator+(Words a, Words b) { return _mm256_add_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Words operator-(Words a, Words b) { return _mm256_sub_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Words operator*(Words a, Words b) { return _mm256_mullo_epi32(a.v, b.v); }
    RAYSCOPE_FN friend Words operator&(Words a, Words b) { return _mm256_and_si256(a.v, b.v); }
    RAYSCOPE_FN friend Words operator^(Words a, Words b) { return _mm256_xor_si256(a.v, b.v); }
    /// Unsigned.
    RAYSCOPE_FN friend Words operator>>(Words a, Words n) { return _mm256_srlv_epi32(a.v, n.v); }
    RAYSCOPE_FN friend Words operator>>(Words a, int n) {
        return (__m256i)((Unsigned)a.v >> static_cast<unsigned>(n));
    }
    RAYSCOPE_FN friend Mask operator==(Words a, Words b) { return _mm256_cmpeq_epi32(a.v, b.v); }
    /// Signed.
    RAYSCOPE_FN friend Mask operator<(Words a, Words b) { return _mm256_cmpgt_epi32(b.v, a.v); }
    RAYSCOPE_FN friend Mask operator>=(Words a, Words b) { return !(a < b); }
};

struct Floats {
    __m256 v;

    Floats() = default;
    RAYSCOPE_FN Floats(__m256 a) : v(a) {}
    RAYSCOPE_FN Floats(float a) : v(_mm256_set1_ps(a)) {}
    RAYSCOPE_FN Floats(Words a) : v(_mm256_cvtepi32_ps(a.v)) {}

    RAYSCOPE_FN friend Floats operator+(Floats a, Floats b) { return _mm256_add_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator-(Floats a, Floats b) { return _mm256_sub_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator*(Floats a, Floats b) { return _mm256_mul_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator/(Floats a, Floats b) { return _mm256_div_ps(a.v, b.v); }
    RAYSCOPE_FN friend Floats operator-(Floats a) {
        return _mm256_xor_ps(a.v, _mm256_set1_ps(-0.f));
    }
    RAYSCOPE_FN friend Mask operator<(Floats a, Floats b) {
        return _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ);
    }
    RAYSCOPE_FN friend Mask operator>(Floats a, Floats b) {
        return _mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ);
    }
    RAYSCOPE_FN friend Mask operator<=(Floats a, Floats b) {
        return _mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ);
    }
    RAYSCOPE_FN friend Mask operator>=(Floats a, Floats b) {
        return _mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ);
    }
    RAYSCOPE_FN friend Mask operator==(Floats a, Floats b) {
        return _mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ);
    }
};

RAYSCOPE_FN Floats mulAdd(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a.v, b.v, c.v);
}
RAYSCOPE_FN Floats sqrt(Floats a) {
    return _mm256_sqrt_ps(a.v);
}
/// An estimate of 12 bits.
RAYSCOPE_FN Floats roughRsqrt(Floats a) {
    return _mm256_rsqrt_ps(a.v);
}
RAYSCOPE_FN Floats fabs(Floats a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.f), a.v);
}
RAYSCOPE_FN Floats ceil(Floats a) {
    return _mm256_ceil_ps(a.v);
}
RAYSCOPE_FN Floats fastMin(Floats a, Floats b) {
    return _mm256_min_ps(a.v, b.v);
}
RAYSCOPE_FN Floats fastMax(Floats a, Floats b) {
    return _mm256_max_ps(a.v, b.v);
}
RAYSCOPE_FN Words truncated(Floats a) {
    return _mm256_cvttps_epi32(a.v);
}
RAYSCOPE_FN Words asWords(Floats a) {
    return _mm256_castps_si256(a.v);
}
RAYSCOPE_FN Floats asFloats(Words a) {
    return _mm256_castsi256_ps(a.v);
}
RAYSCOPE_FN float first(Floats a) {
    return _mm256_cvtss_f32(a.v);
}
RAYSCOPE_FN Words laneNumbers() {
    return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}
RAYSCOPE_FN Floats select(Mask m, Floats yes, Floats no) {
    return _mm256_blendv_ps(no.v, yes.v, m.floats());
}
RAYSCOPE_FN Words select(Mask m, Words yes, Words no) {
    return _mm256_blendv_epi8(no.v, yes.v, m.m);
}

RAYSCOPE_FN Floats load(const float* p) {
    return _mm256_loadu_ps(p);
}
RAYSCOPE_FN void store(float* p, Floats a) {
    _mm256_storeu_ps(p, a.v);
}
RAYSCOPE_FN void store(unsigned* p, Words a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v);
}

/// For each mask, where each lane comes from when its lanes are packed, and when they are spread.
struct Permutations {
    alignas(8) unsigned char packed[256][8], spread[256][8];

    constexpr Permutations() : packed{}, spread{} {
        for (int mask = 0; mask < 256; ++mask) {
            int n = 0;
            for (int lane = 0; lane < 8; ++lane) {
                if (!(mask >> lane & 1)) continue;
                spread[mask][lane] = static_cast<unsigned char>(n);
                packed[mask][n++] = static_cast<unsigned char>(lane);
            }
        }
    }
};
inline constexpr Permutations kPermutations;

RAYSCOPE_FN __m256 permuted(__m256 a, const unsigned char* from) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return _mm256_permutevar8x32_ps(a, _mm256_cvtepu8_epi32(bytes));
}
/// Writes the mask's lanes one after the other; what lies behind them in kWidth places is lost.
RAYSCOPE_FN void storePacked(float* p, Mask m, Floats a) {
    _mm256_storeu_ps(p, permuted(a.v, kPermutations.packed[m.bits()]));
}
/// Gives the mask's lanes the numbers that follow p, in order. Reads kWidth.
RAYSCOPE_FN Floats loadSpread(const float* p, Mask m, Floats others) {
    return select(m, Floats(permuted(_mm256_loadu_ps(p), kPermutations.spread[m.bits()])), others);
}

/// table[index] of each lane.
RAYSCOPE_FN Floats gather(const float* table, Words index) {
    return _mm256_i32gather_ps(table, index.v, 4);
}
RAYSCOPE_FN Words gather(const int* table, Words index) {
    return _mm256_i32gather_epi32(table, index.v, 4);
}
/// lookUp() is for no table: loadFours() is as fast.
inline constexpr int kMostLookedUp = 0;
RAYSCOPE_FN Floats lookUp(const float* table, int /*padded*/, Words index) {
    return gather(table, index);
}

/// The four numbers at table + place[lane] of each lane, which are aligned to 16 bytes.
RAYSCOPE_FN Four<Floats> loadFours(const float* table, const unsigned (&place)[kWidth]) {
    const auto from = [&](int lane) RAYSCOPE_INLINED { return _mm_load_ps(table + place[lane]); };
    const auto lanes = [&](int k) RAYSCOPE_INLINED {  // k and 4 + k
        return _mm256_insertf128_ps(_mm256_castps128_ps256(from(k)), from(4 + k), 1);
    };
    const __m256 a = lanes(0), b = lanes(1), c = lanes(2), d = lanes(3);
    const __m256d ab01 = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    const __m256d ab23 = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
    const __m256d cd01 = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    const __m256d cd23 = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    return {_mm256_castpd_ps(_mm256_unpacklo_pd(ab01, cd01)),
            _mm256_castpd_ps(_mm256_unpackhi_pd(ab01, cd01)),
            _mm256_castpd_ps(_mm256_unpacklo_pd(ab23, cd23)),
            _mm256_castpd_ps(_mm256_unpackhi_pd(ab23, cd23))};
}

using LaneBits = unsigned char;

/// A bit for each of 64 masks, set if it has a lane in common with `where`.
RAYSCOPE_FN unsigned long long common(const LaneBits (&masks)[64], Mask where) {
    const __m256i lanes = _mm256_set1_epi8(static_cast<char>(where.bits()));
    const auto half = [&](int begin) RAYSCOPE_INLINED {
        const auto* const from = reinterpret_cast<const __m256i*>(masks + begin);
        const __m256i shared = _mm256_and_si256(_mm256_loadu_si256(from), lanes);
        const __m256i empty = _mm256_cmpeq_epi8(shared, _mm256_setzero_si256());
        return ~static_cast<unsigned>(_mm256_movemask_epi8(empty));
    };
    return static_cast<unsigned long long>(half(32)) << 32 | half(0);
}

/// Calls visit(lane, record of a, b, c and 0) for all lanes, in no particular order.
template <class Visit>
RAYSCOPE_FN void eachRecord(Floats a, Floats b, Floats c, Visit visit) {
    const __m256 zero = _mm256_setzero_ps();
    const __m256d ab0 = _mm256_castps_pd(_mm256_unpacklo_ps(a.v, b.v));
    const __m256d ab1 = _mm256_castps_pd(_mm256_unpackhi_ps(a.v, b.v));
    const __m256d c0 = _mm256_castps_pd(_mm256_unpacklo_ps(c.v, zero));
    const __m256d c1 = _mm256_castps_pd(_mm256_unpackhi_ps(c.v, zero));
    const auto two = [&](int k, __m256d pairs) RAYSCOPE_INLINED {
        const __m256 r = _mm256_castpd_ps(pairs);
        visit(k, _mm256_extractf128_ps(r, 0));
        visit(4 + k, _mm256_extractf128_ps(r, 1));
    };
    two(0, _mm256_unpacklo_pd(ab0, c0));
    two(1, _mm256_unpackhi_pd(ab0, c0));
    two(2, _mm256_unpacklo_pd(ab1, c1));
    two(3, _mm256_unpackhi_pd(ab1, c1));
}

}  // namespace rayscope
