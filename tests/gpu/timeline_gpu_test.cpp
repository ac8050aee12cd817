// Zones of the GPU beside those of the CPU: where they lie, and what they add up to.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <cstring>
#include <optional>

#include "renderer/base/timeline.h"
#include "renderer/profile/chrome_trace.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/trace_format.h"

namespace rayscope {
namespace {

class GpuTimeline : public Gpu {
protected:
    void TearDown() override {
        stopTimeline();
        Gpu::TearDown();
    }

    /// Renders with everything warm, and keeps what happened. The CPU's zone "all" lies around it.
    FrameStats keep(int spp) {
        allocate(1280, 720);
        waitForKernel(*session_, settings_, scene_);
        if (HasFatalFailure()) return {};
        session_->clear();
        session_->setTarget(spp);
        session_->finish();
        startTimeline(std::size_t{1} << 16);
        FrameStats stats;
        {
            const Zone zone("all");
            stats = renderTo(*session_, settings_, scene_, 20);
            stats += session_->finish();
        }
        timeline_ = copyTimeline();
        stopTimeline();
        return stats;
    }

    std::vector<TimelineEvent> gpuZones() const {
        std::vector<TimelineEvent> zones;
        for (const TimelineEvent& e : timeline_.events) {
            if (e.kind == TimelineEvent::Kind::zone && e.track == kGpuTrack) zones.push_back(e);
        }
        return zones;
    }
    TimelineEvent zone(const char* name) const {
        for (const TimelineEvent& e : timeline_.events) {
            if (std::strcmp(e.name, name) == 0) return e;
        }
        ADD_FAILURE() << "no zone " << name;
        return {};
    }
    /// Milliseconds.
    static double length(const TimelineEvent& e) {
        return static_cast<double>(e.ended - e.began) / 1e6;
    }

    Timeline timeline_;
};

TEST_F(GpuTimeline, ZonesLieBetweenLaunchAndFinishAndAddUpToTheKernelTime) {
    use("vt9");
    const FrameStats stats = keep(2048);
    const std::vector<TimelineEvent> zones = gpuZones();
    ASSERT_EQ(zones.size(), static_cast<size_t>(stats.launches));
    ASSERT_GE(timeline_.gpuErrorMs, 0);
    const TimelineEvent all = zone("all"), launch = zone("launch");
    // drift of the clocks in the second since an anchor comes on top of the anchor's own error
    const double slack = timeline_.gpuErrorMs + .1;
    double sum = 0, gaps = 0;
    for (size_t i = 0; i < zones.size(); ++i) {
        EXPECT_STREQ(zones[i].name, "megakernel");
        sum += length(zones[i]);
        if (i > 0) gaps += static_cast<double>(zones[i].began - zones[i - 1].ended) / 1e6;
    }
    EXPECT_GT(static_cast<double>(zones.front().began - launch.began) / 1e6, -slack);
    EXPECT_LT(static_cast<double>(zones.back().ended - all.ended) / 1e6, slack);
    EXPECT_NEAR(sum, stats.kernelMs, .02 * stats.kernelMs);
    const double whole = static_cast<double>(zones.back().ended - zones.front().began) / 1e6;
    EXPECT_GE(gaps, 0);
    EXPECT_NEAR(sum + gaps, whole, 1e-3 * whole);
    std::cout << zones.size() << " launches: kernels " << sum << " ms (reported " << stats.kernelMs
              << "), gaps " << gaps << " ms; clocks agree to " << 1e3 * timeline_.gpuErrorMs
              << " us\n";
    test::checkTrace(nlohmann::json::parse(chromeTrace(timeline_)));
}

/// The host works between the kernels; each has a zone.
TEST_F(GpuTimeline, KernelsBetweenWhichTheHostWorksHaveZonesOfTheirOwn) {
    use("vt9");
    assignAll(settings_, {"engine=hybrid", "compaction=host"});
    const FrameStats stats = keep(2);
    double sum = 0;
    for (const TimelineEvent& e : gpuZones()) {
        if (std::strncmp(e.name, "copy", 4) != 0) sum += length(e);
    }
    EXPECT_GT(length(zone("extend")), 0);
    EXPECT_GT(length(zone("copy rays to device")), 0);
    EXPECT_GT(length(zone("copy hits to host")), 0);
    EXPECT_NEAR(sum, stats.kernelMs, .02 * stats.kernelMs);
    EXPECT_LT(sum, length(zone("all")));
}

/// Anchors a second apart: the clocks do not run away from each other in between.
TEST_F(GpuTimeline, TheAnchorIsSetAnew) {
    use("vt9");
    std::optional<double> early;
    for (int round = 0; round < 4; ++round) {
        keep(256);
        const double wait = static_cast<double>(gpuZones().front().began - zone("launch").began);
        if (!early) early = wait;
        EXPECT_LT(std::abs(wait - *early), 1e6) << "nanoseconds, after " << round << " seconds";
        std::cout << "first kernel " << wait / 1e3 << " us after the launch began\n";
        std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    }
}

TEST_F(GpuTimeline, CopiesHaveZones) {
    use("vt9");
    DeviceFilm film;
    ASSERT_EQ(film.allocate(1920, 1080).reason(), "");
    startTimeline();
    ASSERT_TRUE(film.startCopy());
    ASSERT_NE(film.waitForCopy(), nullptr);
    timeline_ = copyTimeline();
    ASSERT_EQ(gpuZones().size(), 1u);
    EXPECT_STREQ(gpuZones()[0].name, "copy to host");
    EXPECT_GT(length(gpuZones()[0]), .1);  // 32 MB at less than 300 GB/s
}

/// What it costs to keep zones is told, not tested: it is a time.
TEST_F(GpuTimeline, KeepingZonesTracesTheSameRays) {
    use("vt9");
    const FrameStats kept = keep(1024);
    session_->clear();
    session_->setTarget(1024);
    FrameStats alone = renderTo(*session_, settings_, scene_, 20);
    alone += session_->finish();
    EXPECT_EQ(kept.rays.total(), alone.rays.total());
    std::cout << "kernels with zones kept take " << kept.kernelMs / alone.kernelMs
              << " of the time without\n";
}

}  // namespace
}  // namespace rayscope

#else

TEST(GpuTimeline, Skipped) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
