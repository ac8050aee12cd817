#include "renderer/base/thread_pool.h"

#include <gtest/gtest.h>

#include <array>

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

}  // namespace
}  // namespace rayscope
