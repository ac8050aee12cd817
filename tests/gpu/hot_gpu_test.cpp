// Instructions counted one by one: their sums are the hardware's counters, and counting leaves
// nothing behind.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include "renderer/lab/counting.h"
#include "renderer/lab/hot.h"

namespace rayscope {
namespace {

class Hot : public Gpu {
protected:
    void choose(const std::string& scene, const std::vector<std::string>& assignments) {
        use(scene);
        settings_.variant.countDepths = false;  // 64 more counters a thread, in local memory
        settings_.samples = 8;
        assignAll(settings_, assignments);
        ASSERT_EQ(renderer_->unsupported(settings_), "");
    }
    /// In a process of its own.
    HotWork hot() {
        Result<HotWork> work = countElsewhere(
            {State{scene_, scene_.camera, settings_, {}}, 640, 360, 0, RAYSCOPE_PROGRAM});
        if (work) return *std::move(work);
        HotWork none;
        none.noCounts = work.reason();
        return none;
    }
    /// In this one, which CUPTI does once.
    HotWork hotHere() {
        HotJob job(*renderer_, {State{scene_, scene_.camera, settings_, {}}, 640, 360});
        playToEnd(job);
        EXPECT_EQ(job.problem(), "");
        return job.result();
    }
    CountedWork counted() {
        CountJob job(*renderer_, settings_, scene_, scene_.camera, 640, 360, RAYSCOPE_PROGRAM);
        playToEnd(job);
        EXPECT_EQ(job.problem(), "");
        return job.result();
    }
};

/// Where it was possible once, it is so again.
bool hasCounted = false;

#define SKIP_WITHOUT_COUNTS(work)                                                 \
    if (!(work).noCounts.empty() && !hasCounted) GTEST_SKIP() << (work).noCounts; \
    ASSERT_EQ((work).noCounts, "");                                               \
    hasCounted = true

TEST_F(Hot, SumsAreTheCounters) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> all{
        {"vt9", {}},
        {"vt9", {"engine=regeneration", "scene_memory=baked", "material_dispatch=single"}},
        {"vt9", {"engine=wavefront"}},
        {"cornell", {"light_sampling=on"}},
        {"weekend", {"accel=bvh"}},
        {"card", {}}};
    for (const auto& [scene, assignments] : all) {
        choose(scene, assignments);
        SCOPED_TRACE(scene + " " + describe(settings_));
        const HotWork work = hot();
        SKIP_WITHOUT_COUNTS(work);
        std::cout << tableOf({scene_, scene_.camera, settings_, {}}, work) << "\n";
        const CountedWork counters = counted();
        ASSERT_FALSE(counters.counters.empty()) << counters.noCounters;
        const double instructions = counter(counters.counters, "instructions");
        EXPECT_NEAR(static_cast<double>(work.hot.all.warps) / instructions, 1, .01);
        EXPECT_NEAR(work.hot.all.perWarp() / counter(counters.counters, "lanes"), 1, .01);
        EXPECT_FALSE(work.linesChange);
        EXPECT_LE(work.hot.unknown.warps, work.hot.all.warps / 100);
    }
}

TEST_F(Hot, CountsTheSameAgain) {
    choose("vt9", {});
    const HotWork first = hot();
    SKIP_WITHOUT_COUNTS(first);
    const HotWork again = hot();
    EXPECT_EQ(again.rays.total(), first.rays.total());
    ASSERT_EQ(again.counts.size(), first.counts.size());
    for (std::size_t i = 0; i < first.counts.size(); ++i) {
        EXPECT_EQ(again.counts[i].symbol, first.counts[i].symbol);
        ASSERT_EQ(again.counts[i].instructions.size(), first.counts[i].instructions.size());
    }
    EXPECT_EQ(again.hot.all.warps, first.hot.all.warps);
    EXPECT_EQ(again.hot.all.lanes, first.hot.all.lanes);
}

TEST_F(Hot, LeavesThePictureAndTheRateAlone) {
    choose("vt9", {});
    const Rendering before = render(settings_);
    const CountedWork rate = counted();
    const HotWork work = hotHere();
    SKIP_WITHOUT_COUNTS(work);
    const Rendering after = render(settings_);
    EXPECT_EQ(std::memcmp(before.pixels.data(), after.pixels.data(),
                          before.pixels.size() * sizeof(Pixel)),
              0);
    const CountedWork rateAfter = counted();
    std::cout << "rays/s after counting: " << rateAfter.raysPerSecond() / rate.raysPerSecond()
              << " of those before; counting took " << work.collectMs << " ms for a pass of "
              << work.kernelMs << " ms\n";
    EXPECT_NEAR(rateAfter.raysPerSecond() / rate.raysPerSecond(), 1, .05);
}

TEST_F(Hot, ADriversMachineCodeHasNoLines) {
    choose("vt9", {"code=ptx"});
    const HotWork work = hot();
    EXPECT_NE(work.noCounts.find("code=machine"), std::string::npos) << work.noCounts;
}

}  // namespace
}  // namespace rayscope

#endif
