#include "renderer/base/thread_pool.h"

#include <gtest/gtest.h>

#include <array>

#include "renderer/base/subnormals.h"

namespace rayscope {
namespace {

/// As a result and as an operand: the slab test of a hierarchy makes many of them, and on some
/// processors each takes over a hundred cycles.
TEST(ThreadPool, SubnormalNumbersAreZero) {
    ThreadPool pool(3);
    std::array<float, 3> results;
    std::array<double, 3> operands;
    results.fill(1);
    operands.fill(1);
    pool.run([&](int worker) {
        volatile float smallest = 1.2e-38f;
        volatile double subnormal = 1e-310;
        results[worker] = smallest / 2;
        operands[worker] = subnormal * 1e200;
    });
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(results[i], 0) << i;
        EXPECT_EQ(operands[i], 0) << i;
    }
}

/// Of the arithmetic before the watch nothing is noted, and workers flush again after it.
TEST(ThreadPool, SubnormalNumbersAreNoticedWhereTheyAreWatched) {
    ThreadPool pool(1);
    volatile float smallest = 1.2e-38f, one = 1, third = .333f;
    volatile double subnormal = 1e-310;
    bool met[4] = {};
    float after = 1;
    pool.run([&](int) {
        after = smallest * third;
        const auto watched = [&](auto& a, auto& b) {
            const SubnormalWatch watch;
            a = a * b;
            return watch.met();
        };
        volatile float result = smallest;
        met[0] = watched(one, third);
        met[1] = watched(result, third);
        met[2] = watched(result, one);
        met[3] = watched(subnormal, subnormal);
        after = smallest * third;
    });
    EXPECT_FALSE(met[0]);
    EXPECT_TRUE(met[1]) << "a result";
    EXPECT_TRUE(met[2]) << "an operand";
    EXPECT_TRUE(met[3]) << "in double precision";
    EXPECT_EQ(after, 0);
}

}  // namespace
}  // namespace rayscope
