// The check of the measuring itself: machines that are made up, honest or not, and the CPU.

#include "renderer/lab/selfcheck.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/made_up_renderer.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

/// The film that was first cleared last is slow: B's, mostly, and always one of the two.
class LateFilmIsSlow : public MadeUpRenderer {
public:
    void clear(Film& film) override {
        if (films_[0] != &film && films_[1] != &film) films_ = {films_[1], &film};
        MadeUpRenderer::clear(film);
    }
    FrameStats advance(const Settings& settings, const Camera& camera, MadeUpSession& session,
                       double budgetMs) override {
        FrameStats stats = MadeUpRenderer::advance(settings, camera, session, budgetMs);
        if (films_[1] == &session.film()) stats.kernelMs *= 1.01;
        return stats;
    }

private:
    std::array<Film*, 2> films_{};
};

SelfcheckWish smallCheck(int comparisons) {
    SelfcheckWish wish;
    wish.cases = {{sceneNamed("vt9"), settingsWith(Path::loop)},
                  {sceneNamed("card"), settingsWith(Path::loop)}};
    wish.width = wish.height = 4;
    wish.comparisons = comparisons;
    wish.seconds = 0;
    wish.longSeconds = .002;
    wish.sensors.read = [] {
        Conditions c;
        c.clockMhz = 1000;
        return c;
    };
    return wish;
}

SelfcheckResult resultOf(Renderer& renderer, const SelfcheckWish& wish) {
    Selfcheck check(renderer, wish);
    double share = 0;
    while (!check.step(5)) {
        EXPECT_GE(check.share(), share);
        share = check.share();
        EXPECT_FALSE(check.result().complete);
    }
    EXPECT_EQ(check.problem(), "");
    EXPECT_EQ(check.share(), 1);
    EXPECT_TRUE(check.result().complete);
    return check.result();
}

Check checkOf(const SelfcheckResult& result, const std::string& name) {
    for (const Check& c : checksOf(result)) {
        if (c.name == name) return c;
    }
    ADD_FAILURE() << name;
    return {};
}

MadeUpRenderer honest() {
    MadeUpRenderer renderer;
    renderer.spread = .002;
    renderer.clock = [](double ms, const Settings& s) {
        return s.variant.countRays ? 1.002 * ms : ms;
    };
    return renderer;
}

TEST(Selfcheck, AnHonestMachineIsTrusted) {
    MadeUpRenderer renderer = honest();
    SelfcheckWish wish = smallCheck(80);
    wish.longSeconds = .05;
    const SelfcheckResult r = resultOf(renderer, wish);
    for (const Check& c : checksOf(r)) EXPECT_EQ(c.finding, Finding::ok) << c.name << c.sentence;
    EXPECT_EQ(r.same.comparisons, 80);
    EXPECT_GT(r.same.halfWidth, 0);
    EXPECT_NEAR(r.same.largest, 1, .01);
    ASSERT_EQ(r.counting.size(), 2u);
    EXPECT_EQ(r.counting[1].scene, "card");
    EXPECT_NEAR(r.counting[1].share.value, .002, .0005);
    ASSERT_TRUE(r.twice);
    EXPECT_TRUE(r.twice->contains(2));
    EXPECT_NE(textOf(r).find("can be trusted"), std::string::npos) << textOf(r);
    const nlohmann::json report = reportOf(r);
    EXPECT_EQ(report.at("kind"), "selfcheck");
    EXPECT_EQ(report.at("same").at("comparisons"), 80);
    EXPECT_EQ(report.at("checks").size(), 7u);
    EXPECT_EQ(report.at("sizes").size(), 6u);
    EXPECT_EQ(report.at("counting_cost").at("vt9").at("value"), r.counting[0].share.value);
}

/// Every second pass is slow, whoever has it: the random order makes noise of it, not a difference.
TEST(Selfcheck, PassesThatTakeTurnsAreNoDifference) {
    MadeUpRenderer renderer = honest();
    renderer.pace = [](int pass) { return pass % 2 == 0 ? 1. : 1.02; };
    const SelfcheckResult r = resultOf(renderer, smallCheck(80));
    EXPECT_EQ(checkOf(r, "false alarms").finding, Finding::ok) << textOf(r);
}

TEST(Selfcheck, TimingsThatDependOnTheOrderOfCallsAreCaught) {
    LateFilmIsSlow renderer;
    renderer.spread = .002;
    const SelfcheckResult r = resultOf(renderer, smallCheck(40));
    EXPECT_GE(r.same.measurable, 35);
    EXPECT_EQ(checkOf(r, "false alarms").finding, Finding::failed);
    EXPECT_EQ(checkOf(r, "intervals").finding, Finding::failed);
    EXPECT_TRUE(failed(checksOf(r)));
    EXPECT_NE(textOf(r).find("Do not trust"), std::string::npos) << textOf(r);
}

TEST(Selfcheck, ChanceIsNoFailure) {
    SelfcheckResult r;
    r.same.comparisons = 20;
    const auto finding = [&](int alarms) {
        r.same.measurable = alarms;
        return checkOf(r, "false alarms").finding;
    };
    EXPECT_EQ(finding(1), Finding::ok);
    EXPECT_EQ(finding(2), Finding::unclear) << "one time in four, if one in twenty is right";
    EXPECT_EQ(finding(4), Finding::failed);
}

TEST(Selfcheck, IntervalsThatSayNothingAreNotCalledFine_nightly) {
    MadeUpRenderer renderer = honest();
    renderer.spread = .2;
    const SelfcheckResult r = resultOf(renderer, smallCheck(40));
    EXPECT_GT(r.same.halfWidth, .02);
    EXPECT_EQ(checkOf(r, "intervals").finding, Finding::unclear);
}

/// A bounce costs something once a launch, whatever its size.
class CostlyBounces : public MadeUpRenderer {
    FrameStats advance(const Settings& settings, const Camera& camera, MadeUpSession& session,
                       double budgetMs) override {
        const double pixels = 1. * session.film().width * session.film().height;
        clock = [=](double ms, const Settings& s) {
            return ms * pixels / 3600 + (s.depth > 1 ? 5 : 0);
        };
        return MadeUpRenderer::advance(settings, camera, session, budgetMs);
    }
};

TEST(Selfcheck, RatiosThatHangOnTheSizeAreCaught) {
    CostlyBounces renderer;
    renderer.spread = .002;
    SelfcheckWish wish = smallCheck(4);
    wish.longSeconds = 100;  // of made-up launches that need not be made smaller
    const SelfcheckResult r = resultOf(renderer, wish);
    ASSERT_EQ(r.sizes.size(), 6u);
    EXPECT_EQ(r.sizes.front().width, 80);
    EXPECT_EQ(r.sizes.back().width, 320);
    EXPECT_EQ(checkOf(r, "sizes").finding, Finding::failed) << textOf(r);
}

TEST(Selfcheck, TimeThatIsNotOfSamplesIsCaught) {
    MadeUpRenderer renderer = honest();
    renderer.clock = [](double ms, const Settings&) { return ms + 10; };
    const SelfcheckResult r = resultOf(renderer, smallCheck(4));
    EXPECT_EQ(checkOf(r, "twice the work").finding, Finding::failed);
    EXPECT_LT(r.twice->upper, 1.95);
}

TEST(Selfcheck, CountingThatCostsTooMuchIsCaught) {
    MadeUpRenderer renderer = honest();
    renderer.clock = [](double ms, const Settings& s) {
        return s.variant.countRays ? 1.02 * ms : ms;
    };
    SelfcheckResult r = resultOf(renderer, smallCheck(4));
    EXPECT_NEAR(r.counting[0].share.value, 1 - 1 / 1.02, .001);
    EXPECT_EQ(checkOf(r, "counting rays").finding, Finding::unclear) << "may be chance";
    r.placement = 0;
    EXPECT_EQ(checkOf(r, "counting rays").finding, Finding::failed);
}

TEST(Selfcheck, ACoarseClockIsCaught) {
    MadeUpRenderer renderer = honest();
    renderer.clock = [](double ms, const Settings&) { return std::ceil(ms / .5) * .5; };
    const SelfcheckResult r = resultOf(renderer, smallCheck(4));
    EXPECT_EQ(r.timer->stepMs, .5);
    EXPECT_EQ(checkOf(r, "clock").finding, Finding::failed);
}

TEST(Selfcheck, TheStepOfAClock) {
    EXPECT_EQ(clockStep({}), 0);
    EXPECT_EQ(clockStep({0, 0}), 0);
    EXPECT_EQ(clockStep({2, 2}), 2);
    EXPECT_EQ(clockStep({2.5, 2, 4, 2}), .5);
    // events are floats: 0.004096 and what is a rounding beside it are one tick
    EXPECT_NEAR(clockStep({.004096, .0040960001, .004608, .00512}), .000512, 1e-9);
}

TEST(Selfcheck, WhatWasNotReachedIsNotCalledFine) {
    MadeUpRenderer renderer = honest();
    Selfcheck check(renderer, smallCheck(1000));
    while (check.result().same.comparisons < 2) check.step(.01);
    const SelfcheckResult r = check.result();
    EXPECT_FALSE(r.complete);
    for (const char* name : {"false alarms", "intervals", "twice the work", "counting rays"})
        EXPECT_EQ(checkOf(r, name).finding, Finding::unclear) << name;
    EXPECT_FALSE(failed(checksOf(r)));
    EXPECT_EQ(reportOf(r).at("complete"), false);
}

TEST(Selfcheck, SaysWhyThereIsNothing) {
    MadeUpRenderer renderer;
    renderer.refusal = "not here";
    Selfcheck check(renderer, smallCheck(4));
    bool ended = false;
    for (int k = 0; k < 1000 && !ended; ++k) ended = check.step(1);  // a step may be all waiting
    EXPECT_TRUE(ended);
    EXPECT_EQ(check.problem(), "not here");
    EXPECT_FALSE(check.result().complete);
}

TEST(Selfcheck, ThrottlingIsMentioned) {
    MadeUpRenderer renderer = honest();
    SelfcheckWish wish = smallCheck(4);
    wish.sensors.read = [] {
        Conditions c;
        c.throttling = {"power cap"};
        return c;
    };
    const Check check = checkOf(resultOf(renderer, wish), "conditions");
    EXPECT_EQ(check.finding, Finding::unclear);
    EXPECT_NE(check.sentence.find("power cap"), std::string::npos) << check.sentence;
}

/// The same paths, and no counts: nothing else may differ between what is compared.
TEST(Selfcheck, KernelsWithoutCountsTraceTheSamePaths) {
    for (const char* name : {"vt9", "card", "cornell"}) {
        const Scene scene = sceneNamed(name);
        Settings counting = cpuSettings(scene), silent = counting;
        silent.variant.countRays = false;
        const Rendered a = renderCpu(scene, counting, 40, 24, 4);
        const Rendered b = renderCpu(scene, silent, 40, 24, 4);
        EXPECT_TRUE(sameBits(a, b)) << name;
        EXPECT_GT(a.stats.rays.total(), 0u);
        EXPECT_EQ(b.stats.rays.total(), 0u);
    }
}

TEST(Selfcheck, NoCpuKernelNeedsItsCounts) {
    const Scene scene = sceneNamed("vt9");
    for (const char* axis : {"engine=wavefront", "engine=regeneration", "engine=packets",
                             "path=stack", "scene_layout=aos"}) {
        Settings counting = cpuSettings(scene, {axis}), silent = counting;
        silent.variant.countRays = false;
        const Rendered a = renderCpu(scene, counting, 40, 24, 4);
        const Rendered b = renderCpu(scene, silent, 40, 24, 4);
        EXPECT_TRUE(sameBits(a, b)) << axis;
        EXPECT_EQ(b.stats.rays.total(), 0u) << axis;
    }
}

}  // namespace
}  // namespace rayscope
