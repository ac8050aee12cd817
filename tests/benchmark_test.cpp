// The fixed benchmark: its files, the score of invented figures, and a small run of it.

#include "renderer/lab/benchmark.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "renderer/choices/axes.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

constexpr Backend kBackends[] = {Backend::cpu, Backend::cuda};

Ladder benchmarkOf(Backend backend) {
    auto found = findBenchmark(backend);
    if (!found) throw std::runtime_error(found.reason());
    return *std::move(found);
}

TEST(Benchmark, HasEverySceneThatIsNoExperiment) {
    for (Backend backend : kBackends) {
        std::set<std::string> scenes;
        for (const Rung& rung : benchmarkOf(backend).rungs) scenes.insert(rung.scene);
        const std::set<std::string> others{"vt9-lambert", "vt9-one-material",
                                           "nbody",                  // has `simulate`
                                           "cornell-box", "globe"};  // of triangles
        std::set<std::string> all;
        for (const std::string& name : sceneNames()) {
            if (!others.contains(name)) all.insert(name);
        }
        EXPECT_EQ(scenes, all);
        EXPECT_EQ(scenes.size(), 5u);
    }
}

TEST(Benchmark, BeginsWithTheDefaultsOfEachScene) {
    for (Backend backend : kBackends) {
        const Ladder benchmark = benchmarkOf(backend);
        EXPECT_EQ(benchmark.width, 1280);
        EXPECT_EQ(benchmark.height, 720);
        std::set<std::string> seen;
        for (size_t i = 0; i < benchmark.rungs.size(); ++i) {
            const Rung& rung = benchmark.rungs[i];
            const auto found = findScene(rung.scene);
            ASSERT_TRUE(found) << rung.scene;
            const Scene& scene = *found;
            const Settings defaults = canonical(defaultSettings(backend, scene));
            // whatever the caller prefers
            const Settings settings =
                settingsOf(benchmark, static_cast<int>(i), scene, Backend::cpu);
            EXPECT_EQ(meaningless(rung, settings), "") << rung.name;
            EXPECT_EQ(unsupported(settings, scene), "") << rung.name;
            EXPECT_EQ(settings == defaults, seen.insert(rung.scene).second) << rung.name;
            for (const auto& [axis, value] : rung.changes)
                EXPECT_EQ(valueOf(*findAxis(axis), settings), value) << rung.name;
        }
    }
}

/// "vt46 packets" is of vt46.
TEST(Benchmark, RungsAreOfTheSceneInTheirNames) {
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        for (const Rung& rung : benchmarkOf(backend).rungs)
            EXPECT_EQ(rung.name.substr(0, rung.name.find(' ')), rung.scene);
    }
}

/// Two scenes, the second without better settings than its defaults.
Ladder smallBenchmark() {
    const nlohmann::json json = {
        {"title", "Small"},
        {"scene", "vt9"},
        {"size", {64, 36}},
        {"unit", "Mrays/s"},
        {"compare", "scene"},
        {"rungs",
         {{{"name", "vt9"}, {"why", "A."}},
          {{"name", "vt9 best"}, {"why", "B."}, {"settings", {{"order", "rows"}}}},
          {{"name", "card"}, {"why", "C."}, {"from", "vt9"}, {"scene", "card"}}}}};
    auto ladder = ladderFromJson(json, "small.json");
    if (!ladder) throw std::runtime_error(ladder.reason());
    return *std::move(ladder);
}

std::vector<RungResult> figures(const std::vector<double>& rates) {
    std::vector<RungResult> results(rates.size());
    for (size_t i = 0; i < rates.size(); ++i) {
        RungResult& r = results[i];
        r.rung = static_cast<int>(i);
        r.value = {rates[i], .99 * rates[i], 1.01 * rates[i]};
        r.measured.device = {"NVIDIA H200", "", -1, "580.159.04", ""};
        r.measured.mean = {.5, .5, .5};
        r.measured.raysPerSample = 2;
    }
    return results;
}

std::string shareOf(const Ladder& benchmark, const std::vector<RungResult>& results,
                    const ClimbWish& wish = {}) {
    const auto score = scoreOf(benchmark, results);
    if (!score) return score.reason();
    return shareLine(benchmark, wish, *score);
}

/// The line after the version.
std::string withoutVersion(const std::string& line) {
    const size_t bench = line.find(" bench: ");
    return line.starts_with("Rayscope ") && bench != line.npos ? line.substr(bench + 1) : line;
}

TEST(Benchmark, TheScoreIsTheGeometricMeanOverTheScenes) {
    const Ladder benchmark = smallBenchmark();
    const auto results = figures({8e9, 32e9, 2e9});
    const auto score = scoreOf(benchmark, results);
    ASSERT_TRUE(score) << score.reason();
    EXPECT_NEAR(score->best, 8e9, 1);
    EXPECT_NEAR(score->defaults, 4e9, 1);
    EXPECT_EQ(score->scenes, 2);
    EXPECT_EQ(withoutVersion(shareOf(benchmark, results)),
              "bench: NVIDIA H200, driver 580.159.04: score 8.00 G rays/s (geometric mean of 2 "
              "scenes, best settings), defaults 4.00");
}

TEST(Benchmark, TheShareLineSaysWhatWasUnusual) {
    const Ladder benchmark = smallBenchmark();
    auto results = figures({25e6, 100e6, 400e6});
    for (RungResult& r : results) r.measured.device = {"AMD EPYC, 2 threads", "avx2"};
    EXPECT_EQ(withoutVersion(shareOf(benchmark, results)),
              "bench: AMD EPYC, 2 threads: score 200 M rays/s (geometric mean of 2 scenes, best "
              "settings), defaults 100");
    ClimbWish wish;
    wish.width = 32;
    wish.height = 36;
    EXPECT_NE(shareOf(benchmark, results, wish).find("2 scenes at 32x36, best"), std::string::npos);
    wish.width = 64;
    EXPECT_EQ(shareOf(benchmark, results, wish), shareOf(benchmark, results));
    results[2].conditions.throttling = {"power cap"};
    EXPECT_TRUE(shareOf(benchmark, results).ends_with("defaults 100, throttled"));
}

TEST(Benchmark, ThereIsNoScoreWithoutEveryPicture) {
    const Ladder benchmark = smallBenchmark();
    EXPECT_EQ(shareOf(benchmark, {}), "no score: 0 of 3 rows were measured");
    EXPECT_EQ(shareOf(benchmark, figures({1, 2})), "no score: 2 of 3 rows were measured");
    auto results = figures({1, 2, 3});
    results[1].problem = "it burns";
    EXPECT_EQ(shareOf(benchmark, results), "no score: vt9 best: it burns");
    results = figures({1, 2, 3});
    results[1].measured.mean = {.51, .51, .51};
    EXPECT_EQ(shareOf(benchmark, results),
              "no score: the picture of vt9 best is not that of the defaults");
    results[1].measured.mean = {.5, .5, .5};
    results[2].measured.mean = {.7, .7, .7};  // another scene may be brighter
    EXPECT_TRUE(shareOf(benchmark, results).starts_with("Rayscope "));
}

/// Packets on a processor without AVX2.
TEST(Benchmark, WhatTheMachineDoesNotHaveIsNotItsBest) {
    const Ladder benchmark = smallBenchmark();
    auto results = figures({8e9, 32e9, 2e9});
    results[1].problem = "there are no lanes";
    results[1].impossible = true;
    const auto score = scoreOf(benchmark, results);
    ASSERT_TRUE(score) << score.reason();
    EXPECT_NEAR(score->best, 4e9, 1);
    EXPECT_NEAR(score->defaults, 4e9, 1);
    EXPECT_NE(benchmarkRow(benchmark, results, 1).find("there are no lanes"), std::string::npos);
    results[1].impossible = false;
    EXPECT_NE(shareOf(benchmark, results).find("no score: vt9 best: there are no lanes"),
              std::string::npos);
    results[2].problem = "there is no card";
    results[1] = figures({1, 1})[1];
    results[2].impossible = true;
    EXPECT_NE(shareOf(benchmark, results).find("no score: card: there is no card"),
              std::string::npos);
}

TEST(Benchmark, RowsAreComparedWithTheirScene) {
    Ladder benchmark = smallBenchmark();
    auto results = figures({8e9, 32e9, 2e9});
    EXPECT_DOUBLE_EQ(*comparisonOf(benchmark, results, 1).first, 4);
    EXPECT_DOUBLE_EQ(*comparisonOf(benchmark, results, 1).before, 4);
    EXPECT_DOUBLE_EQ(*comparisonOf(benchmark, results, 2).first, 1);
    EXPECT_FALSE(comparisonOf(benchmark, results, 2).before);
    EXPECT_NE(benchmarkRow(benchmark, results, 1).find("32000   1.0 %       4.00    2.000"),
              std::string::npos)
        << benchmarkRow(benchmark, results, 1);
    EXPECT_TRUE(benchmarkRow(benchmark, results, 1).ends_with("order=rows\n"));
    EXPECT_TRUE(benchmarkRow(benchmark, results, 2).ends_with("defaults\n"));
    results[1].measured.mean = {.6, .6, .6};
    EXPECT_NE(benchmarkRow(benchmark, results, 1).find("0.6000!"), std::string::npos);
    benchmark.compare = Compare::first;
    EXPECT_DOUBLE_EQ(*comparisonOf(benchmark, results, 2).first, .25);
}

TEST(Benchmark, TheFootSaysUnderWhichConditions) {
    const Ladder benchmark = smallBenchmark();
    auto results = figures({8e9, 32e9, 2e9});
    EXPECT_EQ(benchmarkFoot(benchmark, {}, results), "\n" + shareOf(benchmark, results) + "\n");
    for (RungResult& r : results) r.conditions.missing = "there is no NVML";
    EXPECT_NE(benchmarkFoot(benchmark, {}, results).find("conditions: there is no NVML\n"),
              std::string::npos);
    results[1].conditions.warning = results[2].conditions.warning = "the clock moved";
    EXPECT_NE(benchmarkFoot(benchmark, {}, results)
                  .find("conditions: vt9 best: the clock moved (and 1 more)\n"),
              std::string::npos);
}

TEST(Benchmark, RunsOnTheCpu) {
    const Ladder benchmark = benchmarkOf(Backend::cpu);
    Machine machine;
    machine.cpu = makeCpuRenderer();
    machine.noCuda = "it is not wanted";
    ClimbWish wish;
    wish.width = 48;
    wish.height = 27;
    wish.seconds = .02;
    LadderRun run(benchmark, machine, wish);
    playToEnd(run);
    std::vector<RungResult> results = run.results();
    const nlohmann::json report = benchmarkReport(benchmark, machine, wish, results);
    ASSERT_TRUE(report["score"].contains("share")) << report["score"];
    EXPECT_GT(report["score"]["rays_per_second"], 0);
    EXPECT_EQ(report["score"]["share"], shareOf(benchmark, results, wish));
    EXPECT_TRUE(report["score"]["share"].get<std::string>().starts_with(
        fmt::format("Rayscope {} bench: {}: score ", report["version"].get<std::string>(),
                    machine.cpu->device().name)));
    const auto& conditions = report["rungs"][0]["conditions"];
    EXPECT_TRUE(conditions.contains("load") || conditions.contains("missing")) << conditions;
    results.pop_back();
    EXPECT_TRUE(benchmarkReport(benchmark, machine, wish, results)["score"].contains("missing"));
}

}  // namespace
}  // namespace rayscope
