// Comparisons against a renderer whose speed is made up, so that the truth is known, and against
// the real one on the CPU.

#include "renderer/lab/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "renderer/choices/axes.h"
#include "tests/made_up_renderer.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

CompareWish smallComparison() {
    CompareWish wish;
    wish.width = wish.height = 4;
    wish.seconds = .02;
    return wish;
}

CompareResult compare(MadeUpRenderer& renderer, Path b, const CompareWish& wish) {
    Comparison comparison({&renderer, settingsWith(Path::loop)}, {&renderer, settingsWith(b)},
                          wish);
    while (!comparison.step(1)) {
    }
    EXPECT_EQ(comparison.problem(), "");
    EXPECT_EQ(comparison.share(), 1);
    return comparison.result();
}

TEST(Comparison, FindsTheRatio) {
    MadeUpRenderer renderer;
    CompareWish wish = smallComparison();
    wish.seconds = 10;  // it ends when the interval is narrow, however busy the machine is
    const CompareResult r = compare(renderer, Path::recursive, wish);
    EXPECT_TRUE(r.measurable);
    EXPECT_NEAR(r.samples.value, 1 / 1.25, .01);
    EXPECT_TRUE(r.narrow);
    EXPECT_LE(r.samples.halfWidth(), .005 * r.samples.value);
    EXPECT_GE(r.rounds, 12);
    EXPECT_NEAR(r.rays.value, r.samples.value, 1e-12) << "a sample is 1000 rays on both sides";
    EXPECT_EQ(sentenceOf(r).rfind("B is 0.", 0), 0u) << sentenceOf(r);
}

TEST(Comparison, FindsItWhileTheMachineDriftsAndThrottles) {
    for (const bool step : {false, true}) {
        MadeUpRenderer renderer;
        renderer.pace = [=](int pass) { return step ? (pass < 40 ? 1 : 1.6) : 1 + .01 * pass; };
        CompareWish wish = smallComparison();
        wish.halfWidth = .003;
        const CompareResult r = compare(renderer, Path::recursive, wish);
        EXPECT_NEAR(r.samples.value, .8, .02) << step;
    }
}

/// With the strict interval that decides, of 300 comparisons of a thing with itself about three
/// find a difference; the 95 % interval alone would find fifteen.
TEST(Comparison, FindsNothingWhereThereIsNothing) {
    MadeUpRenderer renderer;
    int found = 0, said = 0, probably = 0;
    for (int i = 0; i < 300; ++i) {
        CompareWish wish = smallComparison();
        wish.seconds = 0;  // the fewest rounds
        wish.seed = i + 1;
        const CompareResult r = compare(renderer, Path::loop, wish);
        found += r.measurable;
        said += sentenceOf(r).starts_with("no measurable");
        probably += sentenceOf(r).find("probably") != std::string::npos;
    }
    EXPECT_LE(found, 9);
    EXPECT_LE(probably, 30) << "twelve are expected";
    EXPECT_EQ(found + said + probably, 300);
}

/// What is said follows from the interval beside it.
TEST(Comparison, SaysWhatItsIntervalShows) {
    CompareResult r;
    const auto sentence = [&](double lower, double upper, bool measurable) {
        r.samples = {std::sqrt(lower * upper), lower, upper};
        r.measurable = measurable;
        return sentenceOf(r);
    };
    EXPECT_EQ(sentence(1.2, 1.21, true), "B is 1.20x A [1.20, 1.21]");
    EXPECT_EQ(sentence(.998, 1.003, false), "no measurable difference [0.998, 1.003]");
    EXPECT_EQ(r.speed(), Speed::noDifference);
    EXPECT_EQ(sentence(.8, 1.3, false), "cannot tell which is faster [0.800, 1.300]");
    EXPECT_EQ(sentence(1.013, 1.282, false),
              "B is probably 1.14x A [1.013, 1.282], but not surely");
    EXPECT_EQ(r.speed(), Speed::cannotTell);
    EXPECT_EQ(sentence(.996, .999, false), "B is probably 0.997x A [0.996, 0.999], but not surely");
    EXPECT_EQ(r.speed(), Speed::cannotTell);
}

/// Other programs had a core for most of B's time: by the wall's clock it is slower.
TEST(Comparison, ShowsTheRatesThatTheRatioIsMadeOf) {
    MadeUpRenderer renderer;
    renderer.waitsAt = Path::recursive;
    const CompareResult r = compare(renderer, Path::recursive, smallComparison());
    ASSERT_EQ(r.clock, PassClock::processor);
    EXPECT_NEAR(r.rates[1].median / r.rates[0].median, r.rays.value, .01);
    EXPECT_GT(r.sides[0].kernelRate.median / r.sides[1].kernelRate.median, 1.5);
}

TEST(Comparison, GivesUpWhenTheTimeIsSpent) {
    MadeUpRenderer renderer;
    renderer.spread = 1;
    const CompareResult r = compare(renderer, Path::recursive, smallComparison());
    EXPECT_FALSE(r.narrow);
    EXPECT_GE(r.rounds, 12);
}

/// Only what is hopeless is cut short, and only for who asks for the fastest.
TEST(Comparison, LeavesWhatIsFarSlowerToThoseWhoWantToKnow) {
    CompareWish wish = smallComparison();
    wish.seconds = 0;
    for (const bool onlyFaster : {false, true}) {
        for (const double slow : {3., 5.}) {
            wish.onlyFaster = onlyFaster;
            MadeUpRenderer renderer;
            renderer.slow = slow;
            const CompareResult r = compare(renderer, Path::recursive, wish);
            if (onlyFaster && slow > 4)
                EXPECT_EQ(r.rounds, 2);
            else
                EXPECT_GE(r.rounds, 12) << onlyFaster << " " << slow;
            EXPECT_NEAR(r.samples.value, 1 / slow, .02);
        }
    }
}

TEST(Comparison, WaitsForTheKernelAndSaysWhyThereIsNone) {
    MadeUpRenderer late;
    late.loading = 30;
    late.pace = [&](int) { return late.loading > 0 ? 100. : 1.; };  // the kernel before
    EXPECT_NEAR(compare(late, Path::recursive, smallComparison()).samples.value, .8, .01);

    MadeUpRenderer none;
    none.refusal = "not here";
    Comparison comparison({&none, settingsWith(Path::loop)}, {&none, settingsWith(Path::stack)},
                          smallComparison());
    EXPECT_TRUE(comparison.step(1));
    EXPECT_EQ(comparison.problem(), "not here");
}

/// Both orders within a round are as frequent, and neighbouring rounds independent of each other.
TEST(Comparison, OrderIsRandom) {
    MadeUpRenderer renderer;
    renderer.spread = 0;
    // Every second pass is slow: in a fixed order one side would always get it.
    renderer.pace = [](int pass) { return pass % 2 == 0 ? 1. : 2.; };
    CompareWish wish = smallComparison();
    const CompareResult r = compare(renderer, Path::loop, wish);
    EXPECT_TRUE(r.samples.contains(1)) << sentenceOf(r);
}

TEST(Comparison, OnTheRealRenderer) {
    const Scene scene = sceneNamed("vt9");
    const auto renderer = makeCpuRenderer();
    renderer->setScene(scene);
    Settings a = cpuSettings(scene, {"opt=O0"}), b = cpuSettings(scene, {"opt=O2"});
    CompareWish wish;
    wish.camera = scene.camera;
    wish.width = 32;
    wish.height = 18;
    wish.seconds = 2;  // beside other tests a few rounds are not enough
    Comparison comparison({renderer.get(), a}, {renderer.get(), b}, wish);
    while (!comparison.step(20)) {
    }
    const CompareResult r = comparison.result();
    EXPECT_TRUE(r.measurable);
    EXPECT_GT(r.samples.lower, 2);
    EXPECT_NEAR(r.sides[0].raysPerSample, r.sides[1].raysPerSample, .1);
    PairResult result;
    result.speed = r;
    const ComparedPair pair{{scene, scene.camera, a, {}}, b, 32, 18};
    const nlohmann::json report = reportOf(pair, result);
    EXPECT_EQ(report.at("a").at("settings").at("opt"), "O0");
    EXPECT_EQ(report.at("b").at("settings").at("opt"), "O2");
    EXPECT_EQ(report.at("samples_ratio").at("value"), r.samples.value);
    EXPECT_NE(tableOf(pair, result).find("opt=O2"), std::string::npos);
    EXPECT_EQ(tableOf(pair, result).find("machine code"), std::string::npos);
    result.code = {CodeRelation::noise, "machine code identical: any difference is noise"};
    EXPECT_NE(tableOf(pair, result).find("\ncode        machine code identical"),
              std::string::npos);
    EXPECT_EQ(reportOf(pair, result).at("code").at("relation"), "noise");
}

PairResult judged(const Settings& a, const Settings& b, const Scene& scene, Renderer& renderer) {
    PairWish wish;
    wish.speed.camera = scene.camera;
    wish.speed.width = 160;  // in fewer pixels light sampling is worth less
    wish.speed.height = 90;
    wish.speed.seconds = 1;
    wish.work = equalWorkWish(a, b, scene);
    wish.work->batches = 8;
    wish.work->samples = 8;
    wish.work->referenceSamples = 128;
    Watches watches;
    PairJob job({&renderer, a}, {&renderer, b}, wish, watches);
    double share = 0;
    while (!job.step(20)) {
        EXPECT_GE(job.share(), share - .05);
        share = std::max(share, job.share());
    }
    EXPECT_EQ(job.share(), 1);
    EXPECT_EQ(job.problem(), "");
    return job.result();
}

TEST(Pair, SaysWhetherTheWorkIsTheSame_alone) {
    const Scene scene = sceneNamed("vt9");
    const auto renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const Settings settings = cpuSettings(scene, {});
    const PairResult same =
        judged(settings, cpuSettings(scene, {"scene_layout=soa"}), scene, *renderer);
    ASSERT_TRUE(same.work);
    EXPECT_EQ(same.work->verdict, Verdict::identical);
    EXPECT_FALSE(efficiencyOf(same)) << "it is the ratio of the speeds";
    EXPECT_NE(sentenceOf(same).find(", identical"), std::string::npos);

    const PairResult light =
        judged(settings, cpuSettings(scene, {"light_sampling=on"}), scene, *renderer);
    ASSERT_TRUE(light.work);
    EXPECT_EQ(light.work->verdict, Verdict::sameExpectation);
    ASSERT_TRUE(efficiencyOf(light));
    EXPECT_GT(efficiencyOf(light)->lower, 1) << "vt9 has a small lamp";
    EXPECT_TRUE(toJson(light, settings, settings).contains("efficiency_ratio"));

    const PairResult shallow = judged(settings, cpuSettings(scene, {"depth=2"}), scene, *renderer);
    EXPECT_TRUE(shallow.different());
    EXPECT_NE(sentenceOf(shallow).find("DIFFERENT, less work"), std::string::npos)
        << sentenceOf(shallow);
}

TEST(Pair, WithoutWorkItSaysSo) {
    MadeUpRenderer renderer;
    Settings settings;
    PairWish wish;
    wish.speed = smallComparison();
    Watches watches;
    PairJob job({&renderer, settings}, {&renderer, settings}, wish, watches);
    while (!job.step(20)) {
    }
    EXPECT_FALSE(job.result().work);
    EXPECT_TRUE(toJson(job.result(), settings, settings).contains("no_work"));
    EXPECT_EQ(sentenceOf(job.result()), sentenceOf(job.result().speed));
}

TEST(Fill, IsSaidWhereTheRatioHangsOnTheSize) {
    CompareResult result;
    EXPECT_EQ(fillSentence(result), "") << "not known";
    result.sides[0].fill = .21;
    result.sides[1].fill = 4.2;
    EXPECT_EQ(
        fillSentence(result),
        "A's launches have 0.21 times the threads that the device runs at once, B's 4.2 times: it "
        "is not full, and the ratio is that of this size alone");
    result.sides[0].fill = 3.4;
    EXPECT_NE(fillSentence(result).find("larger ones fill it better"), std::string::npos);
    result.sides[0].fill = 5;
    EXPECT_EQ(fillSentence(result), "");
}

}  // namespace
}  // namespace rayscope
