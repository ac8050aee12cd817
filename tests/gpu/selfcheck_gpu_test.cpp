// The check of the measuring on a real GPU: kernels without counts, and the step of its clock.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "renderer/choices/axes.h"
#include "renderer/lab/selfcheck.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

class GpuSelfcheck : public testing::Test {
protected:
    void SetUp() override {
        auto made = makeCudaRenderer();
        if (!made) GTEST_SKIP() << made.reason();
        renderer_ = *std::move(made);
        auto scene = findScene("vt9");
        ASSERT_TRUE(scene);
        scene_ = *std::move(scene);
        renderer_->setScene(scene_);
        settings_ = defaultSettings(Backend::cuda, scene_);
    }

    /// 32 samples by the settings' own kernel.
    Image render(const Settings& settings, FrameStats& stats) {
        OffscreenFilm memory;
        EXPECT_EQ(memory.allocate(*renderer_, Backend::cuda, 160, 96).reason(), "");
        Session& session = memory.session();
        do {
            session.advance(settings, scene_.camera, 50);
            EXPECT_EQ(session.kernel().compileLog, "");
        } while (!session.kernel().ready && session.kernel().compileLog.empty());
        session.finish();
        session.clear();
        session.setTarget(32);
        while (!session.done()) stats += session.advance(settings, scene_.camera, 50);
        stats += session.finish();
        return memory.image();
    }

    std::unique_ptr<Renderer> renderer_;
    Scene scene_;
    Settings settings_;
};

TEST_F(GpuSelfcheck, KernelsWithoutCountsTraceTheSamePaths) {
    for (const char* engine : {"megakernel", "regeneration", "wavefront"}) {
        Settings settings = settings_;
        ASSERT_EQ(assign(settings, std::string("engine=") + engine).reason(), "");
        FrameStats counting, silent;
        const Image a = render(settings, counting);
        settings.variant.countRays = false;
        const Image b = render(settings, silent);
        EXPECT_GT(counting.rays.total(), 0u) << engine;
        EXPECT_EQ(silent.rays.total(), 0u) << engine;
        double difference = 0, sum = 0;
        for (size_t i = 0; i < a.rgb.size(); ++i) {
            difference += std::fabs(a.rgb[i] - b.rgb[i]);
            sum += a.rgb[i];
        }
        EXPECT_GT(sum, 0) << engine;
        EXPECT_LE(difference, 1e-4 * sum) << engine;
    }
}

TEST_F(GpuSelfcheck, MeasuresItsOwnMeasuring) {
    SelfcheckWish wish;
    wish.cases = {{scene_, settings_}};
    wish.width = 1280;
    wish.height = 720;
    wish.comparisons = 20;
    wish.seconds = .25;
    wish.longSeconds = 2;
    wish.sensors = sensorsOf(Backend::cuda, renderer_->device());
    Selfcheck check(*renderer_, wish);
    while (!check.step(50)) {
    }
    EXPECT_EQ(check.problem(), "");
    const SelfcheckResult r = check.result();
    std::cout << textOf(r);
    ASSERT_TRUE(r.complete);
    EXPECT_LE(r.same.measurable, 3);
    EXPECT_NEAR(r.twice->value, 2, .05);
    ASSERT_EQ(r.counting.size(), 1u);
    EXPECT_LT(std::fabs(r.counting[0].share.value), .05);
    EXPECT_GT(r.timer->stepMs, 0);
    EXPECT_LT(r.timer->stepMs, .002);
    EXPECT_LT(r.timer->leastMs, 1);
}

}  // namespace
}  // namespace rayscope
