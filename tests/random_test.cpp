// Both generators are uniform, by themselves and in pairs, along a path and from path to path.

#include "renderer/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "renderer/core/sampling.h"

namespace rayscope {
namespace {

constexpr int kBins = 64;

/// How many standard deviations the chi-squared statistic of counts that should be equal lies from
/// its expectation.
double excess(const std::vector<double>& counts, double total) {
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const double c : counts) sum += (c - expected) * (c - expected) / expected;
    const double degrees = static_cast<double>(counts.size()) - 1;
    return (sum - degrees) / std::sqrt(2 * degrees);
}

/// Draws pairs by `draw(i, &u, &v)` and expects a uniform square.
template <class Draw>
void expectUniformPairs(const char* what, Draw draw) {
    constexpr int kPairs = 1 << 20;
    std::vector<double> first(kBins), pairs(kBins * kBins);
    for (int i = 0; i < kPairs; ++i) {
        float u, v;
        draw(i, &u, &v);
        ASSERT_TRUE(u >= 0 && u < 1 && v >= 0 && v < 1);
        ++first[static_cast<int>(u * kBins)];
        ++pairs[static_cast<int>(u * kBins) * kBins + static_cast<int>(v * kBins)];
    }
    EXPECT_LT(std::abs(excess(first, kPairs)), 4) << what;
    EXPECT_LT(std::abs(excess(pairs, kPairs)), 4) << what;
}

template <class Generator>
void expectUniform() {
    // numbers k and k + 1 of a path: those of a pixel's jitter, of a lens, of a direction
    for (const int skip : {0, 2, 4, 7}) {
        expectUniformPairs("along a path", [&](int i, float* u, float* v) {
            Generator rng = makeRng<Generator>(i % 1280, i / 1280, 1);
            for (int k = 0; k < skip; ++k) next(rng, true);
            *u = uniform<float>(rng);
            *v = uniform<float>(rng);
        });
    }
    expectUniformPairs("neighbouring pixels", [](int i, float* u, float* v) {
        Generator a = makeRng<Generator>(i, 0, 1), b = makeRng<Generator>(i + 1, 0, 1);
        *u = uniform<float>(a);
        *v = uniform<float>(b);
    });
    expectUniformPairs("successive samples", [](int i, float* u, float* v) {
        Generator a = makeRng<Generator>(7, i, 1), b = makeRng<Generator>(7, i + 1, 1);
        *u = uniform<float>(a);
        *v = uniform<float>(b);
    });
    expectUniformPairs("a depth apart", [](int i, float* u, float* v) {
        Generator rng = makeRng<Generator>(i, 3, 1);
        *u = uniform<float>(rng);
        for (int k = 0; k < 3; ++k) next(rng, true);
        *v = uniform<float>(rng);
    });
}

TEST(Random, PcgIsUniform) {
    expectUniform<Rng>();
}

TEST(Random, LcgIsUniform) {
    expectUniform<Lcg>();
}

/// The estimate of an integral over directions, the mean of n samples, varies as much as it should.
template <class Generator>
double varianceOfMeans() {
    constexpr int kMeans = 20000, kSamples = 16;
    constexpr Variant kVariant;
    double sum = 0, squares = 0;
    for (int m = 0; m < kMeans; ++m) {
        double mean = 0;
        for (int s = 0; s < kSamples; ++s) {
            Generator rng = makeRng<Generator>(m, s, 5);
            for (int k = 0; k < 4; ++k) next(rng, true);  // a pixel and a lens
            const Vec3<float> d = unitSphere<kVariant, float>(rng);
            mean += (d.x > .5f) + (d.y > 0) * d.z * d.z;
        }
        mean /= kSamples;
        sum += mean;
        squares += mean * mean;
    }
    return squares / kMeans - sum / kMeans * (sum / kMeans);
}

TEST(Random, EstimatesVaryAsMuchByEither) {
    const double pcg = varianceOfMeans<Rng>(), lcg = varianceOfMeans<Lcg>();
    EXPECT_NEAR(lcg / pcg, 1, 5 * std::sqrt(2 * 2. / 20000));
}

}  // namespace
}  // namespace rayscope
