#include "renderer/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <thread>

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

/// The caller may come back late, as it does where other programs have the cores.
TEST(ThreadPool, TheWallsTimeIsThatOfTheWorkers) {
    ThreadPool pool(2);
    std::array<Clock::time_point, 2> began, ended;
    const Clock::time_point start = Clock::now();
    const WorkTime time = pool.run([&](int worker) {
        began[worker] = Clock::now();
        std::this_thread::sleep_for(std::chrono::milliseconds(2 + 4 * worker));
        ended[worker] = Clock::now();
    });
    const std::chrono::duration<double, std::milli> inside =
        std::max(ended[0], ended[1]) - std::min(began[0], began[1]);
    EXPECT_GE(time.wallMs, inside.count());
    EXPECT_LE(time.wallMs, millisecondsSince(start));
    EXPECT_GE(time.wallMs, 6);
    const WorkTime next = pool.run([](int) {});
    EXPECT_LT(next.wallMs, time.wallMs) << "of this round alone";
}

/// As taskset does for a whole program.
TEST(ThreadPool, CoresAreThoseThatMayBeUsed) {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    EXPECT_EQ(coreCount(), CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
        if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
    std::thread([&] {
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        EXPECT_EQ(coreCount(), 1);
        EXPECT_EQ(ThreadPool(0).size(), 1);
    }).join();
}

}  // namespace
}  // namespace rayscope
