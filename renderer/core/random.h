#pragma once

#include "renderer/core/lanes.h"

namespace rayscope {

/// A stream of random numbers that belongs to a path and travels with it: PCG RXS-M-XS 32
/// (O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
/// Random Number Generation"), started from a hash as in Jarzynski and Olano 2020, "Hash Functions
/// for GPU Rendering". Every engine draws in the same order, so all of them trace the same paths.
/// T: an unsigned number, or one in each lane.
template <class T>
struct RngOf {
    T state;
};
using Rng = RngOf<unsigned>;

inline constexpr unsigned kMultiplier = 747796405u, kIncrement = 2891336453u;

/// RXS-M: the permutation without its last step, which changes the ten lowest bits only.
template <class T>
RAYSCOPE_FN T permuteHigh(T s) {
    return ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
}

template <class T>
RAYSCOPE_FN T permute(T s) {
    const T word = permuteHigh(s);
    return (word >> 22) ^ word;
}

template <class T>
RAYSCOPE_FN T advance(T s) {
    return s * kMultiplier + kIncrement;
}

template <class T>
RAYSCOPE_FN T hash(T a) {
    return permute(advance(a));
}

/// The part of makeRng() that all samples of a pixel have in common.
RAYSCOPE_FN unsigned pixelHash(unsigned pixel, unsigned seed) {
    return hash(pixel + hash(seed));
}

/// The linear congruential generator alone, one operation a number. It starts from the same hash
/// but for the last step of its permutation, as only the upper bits matter.
struct Lcg {
    unsigned state;
};
template <class Generator>
inline constexpr bool kIsLcg = false;
template <>
inline constexpr bool kIsLcg<Lcg> = true;

/// Where the numbers of a path begin; `hashed`: the pixelHash().
template <class Generator, class T>
RAYSCOPE_FN Generator generatorAt(T sample, T hashed) {
    const T state = advance(sample + hashed);
    return {kIsLcg<Generator> ? permuteHigh(state) : permute(state)};
}

/// The sample comes last, because the rest is the same for all samples of a thread.
template <class Generator = Rng>
RAYSCOPE_FN Generator makeRng(unsigned pixel, unsigned sample, unsigned seed) {
    return generatorAt<Generator>(sample, pixelHash(pixel, seed));
}

/// Random::shared: one stream that all threads draw from, in whatever order they come.
struct SharedRng {};

template <Random R, Numbers N>
struct GeneratorFor {
    using Type = Rng;
};
template <>
struct GeneratorFor<Random::perPath, Numbers::lcg> {
    using Type = Lcg;
};
template <Numbers N>
struct GeneratorFor<Random::shared, N> {
    using Type = SharedRng;
};

/// The generator of the variant's paths.
template <Variant V>
using GeneratorOf = typename GeneratorFor<V.random, V.numbers>::Type;

/// 32 bits, of which the upper 24 are good: the omitted step of the permutation would mix the
/// lowest. Lanes outside of the mask keep their state, and what they get means nothing.
template <class T, class Mask>
RAYSCOPE_FN T next(RngOf<T>& rng, Mask where) {
    const T state = advance(rng.state);
    rng.state = select(where, state, rng.state);
    return permuteHigh(state);
}

RAYSCOPE_FN unsigned next(Lcg& rng, bool) {
    rng.state = advance(rng.state);
    return rng.state;
}

RAYSCOPE_FN unsigned next(SharedRng&, bool) {
    const SharedLock lock;
    const unsigned state = advance(sharedState);
    sharedState = state;
    return permuteHigh(state);
}

/// Of 32 random bits, a multiple of 2^-24 in both precisions.
template <class Real, class Generator, class T>
RAYSCOPE_FN Real unitOf(const Generator&, T bits) {
    return Real(static_cast<IntOf<Real>>(bits >> 8)) * Real(1.0 / 16777216);
}

/// In [1, 2), of the upper 23 bits.
RAYSCOPE_FN float oneToTwo(unsigned bits) {
    return __builtin_bit_cast(float, 0x3f800000u | bits >> 9);
}

/// 2^Digits + whole, which is less than that, + a fraction made of the upper 23 - Digits bits.
template <int Digits>
RAYSCOPE_FN float withFraction(unsigned whole, unsigned bits) {
    constexpr unsigned kExponent = (127u + Digits) << Digits;
    return __builtin_bit_cast(float, shifted(kExponent | whole, bits, 9 + Digits));
}

/// Twice oneToTwo().
RAYSCOPE_FN float twoToFour(unsigned bits) {
    return __builtin_bit_cast(float, 0x40000000u | bits >> 9);
}

/// A multiple of 2^-23.
template <class Real>
RAYSCOPE_FN Real unitOf(const Lcg&, unsigned bits) {
    return Real(oneToTwo(bits)) - 1;
}

/// Uniform in [0, 1).
template <class Real, class Generator>
RAYSCOPE_FN Real uniform(Generator& rng, MaskOf<Real> where = true) {
    return unitOf<Real>(rng, next(rng, where));
}

}  // namespace rayscope
