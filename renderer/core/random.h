#pragma once

#include "renderer/core/platform.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// A stream of random numbers that belongs to a path and travels with it: PCG RXS-M-XS 32
/// (O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
/// Random Number Generation"), started from a hash as in Jarzynski and Olano 2020, "Hash Functions
/// for GPU Rendering". Every engine draws in the same order, so all of them trace the same paths.
struct Rng {
    unsigned state;
};

/// RXS-M: the permutation without its last step, which changes the ten lowest bits only.
RAYSCOPE_FN unsigned permuteHigh(unsigned s) {
    return ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
}

RAYSCOPE_FN unsigned permute(unsigned s) {
    const unsigned word = permuteHigh(s);
    return (word >> 22) ^ word;
}

RAYSCOPE_FN unsigned advance(unsigned s) {
    return s * 747796405u + 2891336453u;
}

RAYSCOPE_FN unsigned hash(unsigned a) {
    return permute(advance(a));
}

/// The part of makeRng() that all samples of a pixel have in common.
RAYSCOPE_FN unsigned pixelHash(unsigned pixel, unsigned seed) {
    return hash(pixel + hash(seed));
}

/// The sample comes last, because the rest is the same for all samples of a thread.
template <class Generator = Rng>
RAYSCOPE_FN Generator makeRng(unsigned pixel, unsigned sample, unsigned seed) {
    return {hash(sample + pixelHash(pixel, seed))};
}

/// The linear congruential generator alone, started from the same hash: one operation a number.
struct Lcg {
    unsigned state;
};

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
/// lowest.
RAYSCOPE_FN unsigned next(Rng& rng) {
    rng.state = advance(rng.state);
    return permuteHigh(rng.state);
}

RAYSCOPE_FN unsigned next(Lcg& rng) {
    rng.state = advance(rng.state);
    return rng.state;
}

RAYSCOPE_APART unsigned next(SharedRng&) {
    const SharedLock lock;
    const unsigned state = advance(sharedState);
    sharedState = state;
    return permuteHigh(state);
}

/// Uniform in [0, 1), a multiple of 2^-24 in both precisions.
template <class Real, class Generator>
RAYSCOPE_FN Real uniform(Generator& rng) {
    return Real(static_cast<int>(next(rng) >> 8)) * Real(1.0 / 16777216);
}

/// Uniform in [0, 1), a multiple of 2^-23: the upper bits become those of a number in [1, 2).
template <class Real>
RAYSCOPE_FN Real uniform(Lcg& rng) {
    const unsigned bits = 0x3f800000u | next(rng) >> 9;
    return Real(__builtin_bit_cast(float, bits)) - 1;
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
