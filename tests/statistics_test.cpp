// Intervals hold what they promise on timings whose ratio is known, however they were disturbed.

#include "renderer/lab/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace rayscope {
namespace {

constexpr double kTruth = 1.25;
constexpr int kExperiments = 1000;

using Generator = std::mt19937;

double noise(Generator& random, double size) {
    return std::exp(size * std::normal_distribution<double>()(random));
}

double uniform(Generator& random) {
    return std::uniform_real_distribution<double>()(random);
}

/// The two times of round i of n.
using Round = std::function<std::pair<double, double>(Generator&, int i, int n)>;

double level(Generator& random, double machine, double time) {
    return time * machine * noise(random, .01);
}

std::pair<double, double> both(Generator& random, double machine) {
    const double a = level(random, machine, 1);
    return {a, level(random, machine, kTruth)};
}

struct Disturbance {
    const char* name;
    Round round;
};

std::ostream& operator<<(std::ostream& out, const Disturbance& d) {
    return out << d.name;
}

class Coverage : public testing::TestWithParam<Disturbance> {};

TEST_P(Coverage, IsWhatTheIntervalSays) {
    Generator random(7);
    for (const int rounds : {12, 30}) {
        int contained = 0, strict = 0;
        for (int e = 0; e < kExperiments; ++e) {
            std::vector<double> a, b;
            for (int i = 0; i < rounds; ++i) {
                const auto [timeA, timeB] = GetParam().round(random, i, rounds);
                a.push_back(timeA);
                b.push_back(timeB);
            }
            contained += pairedRatio(a, b, .95).contains(kTruth);
            if (rounds == 12) strict += pairedRatio(a, b, .99).contains(kTruth);
        }
        EXPECT_GE(contained, .93 * kExperiments) << rounds;
        EXPECT_LE(contained, .97 * kExperiments) << rounds;
        if (rounds > 12) continue;
        EXPECT_GE(strict, .98 * kExperiments);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Statistics, Coverage,
    testing::Values(Disturbance{"quiet", [](Generator& r, int, int) { return both(r, 1); }},
                    Disturbance{"drift",
                                [](Generator& r, int i, int n) { return both(r, 1 + .3 * i / n); }},
                    Disturbance{"step", [](Generator& r, int i,
                                           int n) { return both(r, i < n / 3 ? 1 : 1.5); }},
                    // the clock drops between the two passes of the round in the middle
                    Disturbance{"throttle",
                                [](Generator& r, int i, int n) {
                                    auto [a, b] = both(r, i <= n / 2 ? 1 : 1.4);
                                    if (i == n / 2) b *= 1.4;
                                    return std::pair{a, b};
                                }},
                    Disturbance{"outliers",
                                [](Generator& r, int, int) {
                                    auto [a, b] = both(r, 1);
                                    if (uniform(r) < .05) a *= 1 + 3 * uniform(r);
                                    if (uniform(r) < .05) b *= 1 + 3 * uniform(r);
                                    return std::pair{a, b};
                                }},
                    Disturbance{"skewed",
                                [](Generator& r, int, int) {
                                    const auto late = [&] {
                                        return 1 - .02 * std::log(1 - uniform(r));
                                    };
                                    const double a = late();
                                    return std::pair{a, kTruth * late()};
                                }}),
    [](const auto& info) { return std::string(info.param.name); });

/// The ratio of two medians, which is what one pastes by hand, is off where the machine changes
/// between the passes in the middle.
TEST(Statistics, PairsSurviveWhereMediansMislead) {
    std::vector<double> a, b;
    for (int i = 0; i < 21; ++i) {
        a.push_back(i <= 10 ? 1 : 1.5);
        b.push_back(kTruth * (i < 10 ? 1 : 1.5));
    }
    const auto median = [](std::vector<double> v) {
        std::sort(v.begin(), v.end());
        return v[v.size() / 2];
    };
    EXPECT_NEAR(median(b) / median(a), 1.5 * kTruth, 1e-12);
    EXPECT_NEAR(pairedRatio(a, b, .95).value, kTruth, 1e-12);
}

/// Load that comes and goes: a ratio is like the one before. Independent pairs would promise
/// twice as much.
TEST(Statistics, NeighboursThatDependOnEachOtherWidenTheInterval_nightly) {
    Generator random(11);
    int contained = 0;
    constexpr int kRounds = 200;
    for (int e = 0; e < kExperiments; ++e) {
        std::vector<double> a(kRounds, 1), b;
        double load = 0;
        for (int i = 0; i < kRounds; ++i) {
            load = .6 * load + std::log(noise(random, .01));
            b.push_back(kTruth * std::exp(load));
        }
        contained += pairedRatio(a, b, .95).contains(kTruth);
    }
    EXPECT_GE(contained, .92 * kExperiments);
    EXPECT_LE(contained, .97 * kExperiments);
}

TEST(Statistics, FewPairsSayNothing) {
    const std::vector<double> five(kFewestPairs - 1, 2.), none;
    EXPECT_TRUE(pairedRatio(five, five, .95).contains(1e6));
    EXPECT_TRUE(pairedRatio(none, none, .95).contains(1e-6));
    const std::vector<double> enough(kFewestPairs, 2.);
    EXPECT_EQ(pairedRatio(enough, enough, .95).halfWidth(), 0);
}

TEST(Statistics, TheSameNumbersGiveTheSameInterval) {
    Generator random(1);
    std::vector<double> a, b;
    for (int i = 0; i < 20; ++i) {
        a.push_back(noise(random, .1));
        b.push_back(noise(random, .1));
    }
    const Interval x = pairedRatio(a, b, .95), y = pairedRatio(a, b, .95);
    EXPECT_EQ(x.lower, y.lower);
    EXPECT_EQ(x.upper, y.upper);
    const Interval turned = pairedRatio(b, a, .95);
    EXPECT_NEAR(turned.value, 1 / x.value, 1e-12);
    EXPECT_LT(pairedRatio(a, b, .95).halfWidth(), pairedRatio(a, b, .99).halfWidth());
}

/// The roots of (hits/trials - p)^2 = 1.96^2 p (1 - p) / trials.
TEST(Statistics, ProbabilityOf) {
    const Interval half = probabilityOf(50, 100), most = probabilityOf(94, 100);
    EXPECT_NEAR(half.lower, .4038, 1e-4);
    EXPECT_NEAR(half.upper, .5962, 1e-4);
    EXPECT_NEAR(most.lower, .8752, 1e-4);
    EXPECT_NEAR(most.upper, .9722, 1e-4);
    const Interval none = probabilityOf(0, 10);
    EXPECT_EQ(none.lower, 0);
    EXPECT_NEAR(none.upper, .2775, 1e-4);
    EXPECT_TRUE(probabilityOf(0, 0).contains(1));
}

}  // namespace
}  // namespace rayscope
