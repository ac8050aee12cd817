// NVML on a real GPU: that what it says of the device that renders makes sense.

#include <gtest/gtest.h>

#include <iostream>

#include "renderer/lab/trial.h"
#include "renderer/machine/conditions.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

TEST(GpuConditions, ClocksAreThoseOfABusyGpu) {
    auto cuda = makeCudaRenderer();
    if (!cuda) GTEST_SKIP() << cuda.reason();
    Renderer& renderer = **cuda;
    const Sensors sensors = sensorsOf(Backend::cuda, renderer.device());
    if (!sensors.missing.empty()) GTEST_SKIP() << sensors.missing;
    const auto scene = findScene("vt9");
    ASSERT_TRUE(scene);
    renderer.setScene(*scene);
    MeasureWish wish;
    wish.settings = defaultSettings(Backend::cuda, *scene);
    wish.camera = scene->camera;
    wish.width = 1280;
    wish.height = 720;
    wish.seconds = 1;
    ConditionsWatch watch(sensors);
    const auto job = measuring(renderer, wish);
    while (!job->step(kPlayedStepMs)) {
        if (job->share() > 0) watch.look();
    }
    ASSERT_EQ(job->problem(), "");
    const ConditionsSummary s = watch.summary();
    std::cout << toJson(s) << "\n";
    EXPECT_GE(s.samples, 3);
    ASSERT_TRUE(s.clockMhz && s.maxClockMhz);
    EXPECT_GT(s.clockMhz->lowest, 200) << "MHz";
    EXPECT_LE(s.clockMhz->highest, *s.maxClockMhz);
    EXPECT_LT(s.celsius.value_or(Extremes{}).highest, 120);
    EXPECT_GT(s.watts.value_or(Extremes{10, 10}).highest, 5);
    EXPECT_EQ(s.throttled() || s.clockMoved, !s.warning.empty());
    EXPECT_NE(renderer.device().driver, "");
    EXPECT_NE(renderer.device().detail.find(renderer.device().driver), std::string::npos);
}

}  // namespace
}  // namespace rayscope
