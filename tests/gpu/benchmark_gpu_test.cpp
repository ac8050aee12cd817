// The benchmark of the GPU, small: every row runs and shows the picture of the defaults.

#include <gtest/gtest.h>

#include <iostream>

#include "renderer/lab/benchmark.h"

namespace rayscope {
namespace {

TEST(BenchmarkOnGpu, HasAScore) {
    Machine machine = openMachine();
    if (!machine.cuda) GTEST_SKIP() << machine.noCuda;
    const auto found = findBenchmark(Backend::cuda);
    ASSERT_EQ(found.index(), 0u) << std::get<1>(found);
    const Ladder& benchmark = std::get<Ladder>(found);
    ClimbWish wish;
    wish.preferred = Backend::cuda;
    wish.seconds = .1;
    LadderRun run(benchmark, machine, wish);
    playToEnd(run);
    const std::vector<RungResult>& results = run.results();
    for (size_t i = 0; i < results.size(); ++i) std::cout << benchmarkRow(benchmark, results, i);
    const auto score = scoreOf(benchmark, results);
    ASSERT_EQ(score.index(), 0u) << std::get<1>(score);
    std::cout << benchmarkFoot(benchmark, wish, results);
    EXPECT_NE(std::get<0>(score).device.driver, "");
    for (const RungResult& r : results) {
        EXPECT_TRUE(r.conditions.clockMhz || !r.conditions.missing.empty())
            << benchmark.rungs[r.rung].name;
    }
}

}  // namespace
}  // namespace rayscope
