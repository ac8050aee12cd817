// Instructions counted one by one: their sums are the hardware's counters, counting leaves nothing
// behind, and a model of them is not far away.

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
        HotJob job(*renderer_, {State{scene_, scene_.camera, settings_, {}}, 640, 360, 0,
                                RAYSCOPE_PROGRAM});
        playToEnd(job);
        EXPECT_EQ(job.problem(), "");
        return job.result();
    }
    /// A model of the same, which needs no CUPTI.
    HotWork modelled() {
        HotWish wish{State{scene_, scene_.camera, settings_, {}}, 640, 360, 0, RAYSCOPE_PROGRAM};
        wish.only = HotPart::model;
        HotJob job(*renderer_, wish);
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

#define SKIP_WITHOUT_COUNTS(work)                                                            \
    if (const std::string why = (work).noCounts + (work).model; !why.empty() && !hasCounted) \
        GTEST_SKIP() << why;                                                                 \
    ASSERT_EQ((work).noCounts + (work).model, "");                                           \
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

/// Shares of lines in percent, by place.
std::map<std::string, double> sharesOf(const HotWork& work) {
    std::map<std::string, double> shares;
    for (const HotLine& line : work.hot.lines)
        shares[placeText(line)] = 100. * static_cast<double>(line.executed.warps) /
                                  static_cast<double>(work.hot.all.warps);
    return shares;
}

TEST_F(Hot, AModelIsWithinPointsOfTheCounts) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> all{
        {"vt9", {}},
        {"vt9", {"engine=regeneration", "scene_memory=baked", "material_dispatch=single"}},
        {"vt9", {"engine=wavefront"}},
        {"cornell", {"light_sampling=on"}},
        {"weekend", {"accel=bvh"}}};
    for (const auto& [scene, assignments] : all) {
        choose(scene, assignments);
        SCOPED_TRACE(scene + " " + describe(settings_));
        const HotWork model = modelled();
        ASSERT_EQ(model.noCounts, "");
        EXPECT_NE(model.model, "");
        EXPECT_GT(model.hot.all.warps, 0u);
        EXPECT_EQ(model.hot.sampled.all(), 0u);
        const HotWork work = hot();
        SKIP_WITHOUT_COUNTS(work);
        EXPECT_EQ(model.rays.total(), work.rays.total());
        const double instructions =
            static_cast<double>(model.hot.all.warps) / static_cast<double>(work.hot.all.warps);
        std::map<std::string, double> shares = sharesOf(model);
        std::cout << scene << " " << describe(settings_) << "\nmodel / counts: instructions "
                  << instructions << ", lanes " << model.hot.all.perWarp() << " / "
                  << work.hot.all.perWarp() << ", of a step " << model.idle.stepLanes << " / "
                  << work.idle.stepLanes << ", took " << model.collectMs << " ms for "
                  << model.kernelMs << " ms\n";
        EXPECT_NEAR(instructions, 1, .1);
        EXPECT_NEAR(model.hot.all.perWarp(), work.hot.all.perWarp(), 1.5);
        for (std::size_t i = 0; i < 10 && i < work.hot.lines.size(); ++i) {
            const HotLine& line = work.hot.lines[i];
            const double counted = 100. * static_cast<double>(line.executed.warps) /
                                   static_cast<double>(work.hot.all.warps);
            std::cout << "  " << placeText(line) << ": " << shares[placeText(line)] << " / "
                      << counted << "\n";
            EXPECT_NEAR(shares[placeText(line)], counted, 4) << placeText(line);
        }
    }
}

/// A twin traces the same rays, and leaves the kernel as it was.
TEST_F(Hot, AModelLeavesThePictureAlone) {
    for (const char* memory : {"constant", "global"}) {
        choose("vt9", {std::string("scene_memory=") + memory});
        const Rendering before = render(settings_);
        const HotWork first = modelled();
        ASSERT_EQ(first.noCounts, "");
        const HotWork again = modelled();
        EXPECT_EQ(first.rays.total(), again.rays.total());
        EXPECT_EQ(first.hot.all.lanes, again.hot.all.lanes);
        const Rendering after = render(settings_);
        EXPECT_EQ(std::memcmp(before.pixels.data(), after.pixels.data(),
                              before.pixels.size() * sizeof(Pixel)),
                  0);
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
    EXPECT_EQ(modelled().noCounts, work.noCounts);
}

}  // namespace
}  // namespace rayscope

#endif
