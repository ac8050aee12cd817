// Ladders: the files of the stories, what is said of wrong ones, measuring, and what is reported.

#include "renderer/lab/ladder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "renderer/choices/axes.h"
#include "renderer/lab/run_ladder.h"
#include "renderer/lab/studies.h"
#include "renderer/scene/json.h"

namespace rayscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Ladder load(const std::string& name) {
    auto ladder = findLadder(name);
    if (!ladder) throw std::runtime_error(ladder.reason());
    return *std::move(ladder);
}

Scene sceneNamed(const std::string& name) {
    auto scene = findScene(name);
    if (!scene) throw std::runtime_error(scene.reason());
    return *std::move(scene);
}

int indexOf(const Ladder& ladder, const std::string& rung) {
    for (size_t i = 0; i < ladder.rungs.size(); ++i) {
        if (ladder.rungs[i].name == rung) return static_cast<int>(i);
    }
    throw std::runtime_error("no rung " + rung);
}

TEST(Ladders, AllEightAreThere) {
    EXPECT_EQ(ladderNames(), (std::vector<std::string>{"business-card", "codeplay-tracy",
                                                       "ece408-smallpt", "lanes", "sphere-tiles",
                                                       "triangles", "voxel-tracer", "weekend"}));
}

TEST(Ladders, EveryRungChangesSomethingThatMattersAndHasASentence) {
    for (const std::string& name : ladderNames()) {
        const Ladder ladder = load(name);
        EXPECT_FALSE(ladder.title.empty() || ladder.source.empty()) << name;
        for (size_t i = 0; i < ladder.rungs.size(); ++i) {
            const Rung& rung = ladder.rungs[i];
            const std::string where = name + ": " + rung.name;
            EXPECT_TRUE(rung.why.ends_with('.')) << where;
            const Scene scene = sceneNamed(rung.scene);
            const int index = static_cast<int>(i);
            const Settings settings = settingsOf(ladder, index, scene, Backend::cuda);
            EXPECT_EQ(meaningless(rung, settings), "") << where;
            for (const auto& [axis, value] : rung.changes)
                EXPECT_EQ(valueOf(*findAxis(axis), settings), value) << where << " " << axis;
            if (rung.from < 0) continue;
            const Rung& before = ladder.rungs[rung.from];
            const Settings other = settingsOf(ladder, rung.from, scene, Backend::cuda);
            // What only the driver or the clock notices is a change too.
            const bool changes = !(settings == other) || rung.scene != before.scene ||
                                 rung.clock != before.clock || rung.measures != before.measures;
            EXPECT_TRUE(changes) << where;
        }
    }
}

TEST(Ladders, NoRungIsRefusedForGood) {
    for (const std::string& name : ladderNames()) {
        const Ladder ladder = load(name);
        for (size_t i = 0; i < ladder.rungs.size(); ++i) {
            const Scene scene = sceneNamed(ladder.rungs[i].scene);
            const Settings s = settingsOf(ladder, static_cast<int>(i), scene, Backend::cuda);
            const std::string reason = unsupported(s, scene);
            const bool later = reason.find("there yet") != std::string::npos;
            EXPECT_TRUE(reason.empty() || later)
                << name << ": " << ladder.rungs[i].name << ": " << reason;
        }
    }
}

TEST(Ladders, PublishedFiguresAreThoseOfTheStories) {
    const auto published = [](const std::string& name) {
        std::vector<double> values;
        for (const Rung& rung : load(name).rungs) {
            if (rung.published) values.push_back(rung.published->base());
        }
        return values;
    };
    std::vector<double> voxel{8.0,   8.6, 11.1,  12.3, 15.8, 39.3, 86.5, 94.2, 145,  180.2,
                              161.5, 238, 263.7, 348,  716,  872,  1200, 940,  1200, 1400};
    for (double& v : voxel) v *= 1e6;
    EXPECT_EQ(published("voxel-tracer"), voxel);
    EXPECT_EQ(published("ece408-smallpt"), (std::vector<double>{3.03, 2.74, 2.58, 2.48}));
    const std::vector<double> card = published("business-card");
    const std::vector<double> expected{101.8, 52.9, 11.55, 26.8, 1.29, .984, .546,
                                       .218,  .203, .203,  .203, .150, .0886};
    ASSERT_EQ(card.size(), expected.size());
    for (size_t i = 0; i < card.size(); ++i) EXPECT_NEAR(card[i], expected[i], 1e-9) << i;
    EXPECT_NEAR(published("weekend").front(), 2.5, 1e-12);
    EXPECT_NEAR(published("weekend").back(), .009, 1e-12);
    const std::vector<double> tracy = published("codeplay-tracy"),
                              milliseconds{16, 3.2, 81, 75, 72, 71, 73};
    ASSERT_EQ(tracy.size(), milliseconds.size());
    for (size_t i = 0; i < tracy.size(); ++i) EXPECT_NEAR(1e3 * tracy[i], milliseconds[i], 1e-9);
    EXPECT_TRUE(published("sphere-tiles").empty()) << "they are of bodies";
}

TEST(Ladders, ARungIsTheLaddersSettingsAndAllChangesOnItsWay) {
    const Ladder ladder = load("voxel-tracer");
    const Scene scene = sceneNamed("vt9");
    const Settings cpu = settingsOf(ladder, 0, scene, Backend::cuda);
    EXPECT_EQ(cpu.backend, Backend::cpu);
    EXPECT_EQ(cpu.threads, 1);
    EXPECT_TRUE(cpu.variant.lightSampling);
    const Settings constant =
        settingsOf(ladder, indexOf(ladder, "constant memory"), scene, Backend::cpu);
    EXPECT_EQ(constant.backend, Backend::cuda);
    EXPECT_EQ(constant.variant.engine, Engine::wavefront);
    EXPECT_EQ(constant.variant.stateLayout, StateLayout::soa);
    EXPECT_EQ(constant.variant.blockX, 128);
    EXPECT_FALSE(constant.variant.lightSampling);
    const Settings one =
        settingsOf(ladder, indexOf(ladder, "(experiment) one material"), scene, Backend::cpu);
    EXPECT_EQ(one.depth, 10) << "comes from tuned, not from depth 1 before it";
    EXPECT_EQ(one.samples, 32);
}

/// Of every file, by what the file says.
TEST(Ladders, ARungIsOfTheSceneThatItTakesOver) {
    std::vector<fs::path> files;
    for (const char* folder : {"ladders", "benchmark"}) {
        for (const auto& file : fs::directory_iterator(*findAssets() / folder))
            if (file.path().extension() == ".json") files.push_back(file.path());
    }
    EXPECT_EQ(files.size(), 10u);
    for (const fs::path& path : files) {
        std::ifstream file(path);
        const json ladder = json::parse(file);
        std::map<std::string, std::string> scenes;
        std::string before = ladder["scene"];
        for (const json& rung : ladder["rungs"]) {
            if (rung.contains("from")) before = scenes.at(rung["from"]);
            if (rung.contains("scene")) before = rung["scene"];
            scenes[rung["name"]] = before;
        }
        const auto found = findLadder(path.string());
        ASSERT_TRUE(found) << found.reason();
        for (const Rung& rung : found->rungs)
            EXPECT_EQ(rung.scene, scenes.at(rung.name)) << path << ": " << rung.name;
    }
}

TEST(Ladders, ExperimentsHaveTheirScenes) {
    const Scene one = sceneNamed("vt9-one-material"), lambert = sceneNamed("vt9-lambert");
    const Scene vt9 = sceneNamed("vt9");
    ASSERT_EQ(one.spheres.size(), vt9.spheres.size());
    ASSERT_EQ(lambert.spheres.size(), vt9.spheres.size());
    for (size_t i = 0; i < vt9.spheres.size(); ++i) {
        EXPECT_EQ(one.spheres[i].material, one.spheres[0].material);
        EXPECT_EQ(lambert.spheres[i].material.kind, MaterialKind::lambert);
        EXPECT_EQ(lambert.spheres[i].material.albedo, vt9.spheres[i].material.albedo);
        EXPECT_EQ(one.spheres[i].center, vt9.spheres[i].center);
        EXPECT_EQ(lambert.spheres[i].center, vt9.spheres[i].center);
    }
    EXPECT_EQ(one.camera, vt9.camera);
    EXPECT_EQ(lambert.camera, vt9.camera);
    EXPECT_TRUE(one.title.starts_with("An experiment"));
    EXPECT_TRUE(lambert.title.starts_with("An experiment"));
}

json smallLadder() {
    return json::parse(R"({
        "title": "Two rungs", "scene": "vt9", "size": [48, 27], "spp": 2, "unit": "Mrays/s",
        "settings": {"backend": "cpu", "threads": 1, "samples": 1},
        "rungs": [
            {"name": "recursion", "why": "Calls itself.", "settings": {"path": "recursive"},
             "published": {"value": 8, "unit": "Mrays/s", "device": "a processor"}},
            {"name": "loop", "why": "Does not.", "settings": {"path": "loop"}}
        ]
    })");
}

Result<Ladder> read(const json& j) {
    return ladderFromJson(j, "folder/small.json");
}

/// The sentence about the small ladder with one thing changed.
template <class Change>
std::string complaint(Change change) {
    json j = smallLadder();
    change(j);
    const auto ladder = read(j);
    return ladder ? std::string() : ladder.reason();
}

TEST(LadderFiles, WrongOnesAreRefusedInASentence) {
    const auto expect = [](const std::string& sentence, const std::string& words) {
        EXPECT_TRUE(sentence.starts_with("folder/small.json: ")) << sentence;
        EXPECT_NE(sentence.find(words), std::string::npos) << sentence << "\nlacks: " << words;
        EXPECT_EQ(sentence.find('\n'), std::string::npos);
    };
    expect(complaint([](json& j) { j["frobnicate"] = 1; }), "frobnicate");
    expect(complaint([](json& j) { j.erase("title"); }), "title is missing");
    expect(complaint([](json& j) { j["title"] = 3; }), "title is 3");
    expect(complaint([](json& j) { j["scene"] = "nowhere"; }), "unknown scene 'nowhere'");
    expect(complaint([](json& j) { j["scene"] = "./none.json"; }), "none.json");
    for (const char* scene : {"/etc/passwd", "../x.json", "/dev/zero", "a/../../x.json", "..//x"}) {
        expect(complaint([&](json& j) { j["rungs"][0]["scene"] = scene; }),
               "a file in the ladder's folder");
    }
    expect(complaint([](json& j) { j["rungs"][0]["settings"]["\x1b[2J"] = nullptr; }), "\uFFFD[2J");
    expect(complaint([](json& j) { j["rungs"][0]["settings"]["\x1b[2J"] = 1; }), "\uFFFD[2J");
    expect(complaint([](json& j) { j["size"] = {0, 4}; }), "size");
    expect(complaint([](json& j) { j["unit"] = "parsec"; }), "Mrays/s");
    expect(complaint([](json& j) { j["unit"] = "ms"; }), "unit of what is measured");
    expect(complaint([](json& j) { j["clock"] = "sun"; }), "kernel, loop, present, total");
    expect(complaint([](json& j) { j["compare"] = "last"; }), "first, scene");
    expect(complaint([](json& j) { j["rungs"] = json::array(); }), "rungs");
    expect(complaint([](json& j) { j["rungs"][1]["name"] = "recursion"; }), "rungs[1].name");
    expect(complaint([](json& j) { j["rungs"][1].erase("why"); }), "rungs[1].why is missing");
    expect(complaint([](json& j) { j["rungs"][1]["from"] = "loop"; }), "a rung before this one");
    expect(complaint([](json& j) { j["rungs"][0]["settings"]["color"] = "red"; }),
           "rungs[0].settings: unknown axis 'color'");
    expect(complaint([](json& j) { j["rungs"][0]["settings"]["path"] = "spiral"; }),
           "recursive, stack, loop");
    expect(complaint([](json& j) { j["rungs"][0]["settings"]["depth"] = 65; }), "1 to 64");
    expect(complaint([](json& j) { j["rungs"][0]["settings"]["depth"] = nullptr; }), "null");
    expect(complaint([](json& j) { j["rungs"][0]["spp"] = 0; }), "rungs[0].spp");
    expect(complaint([](json& j) { j["rungs"][0]["published"].erase("device"); }),
           "published.device is missing");
    expect(complaint([](json& j) { j["rungs"][0]["published"]["unit"] = "ms"; }), "a rate");
    expect(complaint([](json& j) { j["rungs"][0]["published"]["value"] = -1; }), "above 0");
    expect(complaint([](json& j) { j["rungs"][0]["references"] = {3}; }), "references[0]");
    expect(complaint([](json& j) {
               j.erase("spp");
               j["rungs"][1]["measures"] = "time";
           }),
           "spp is missing");
    const auto steps = [](json& j) {
        j["scene"] = "nbody-9";
        j["rungs"][1]["measures"] = "step";
    };
    EXPECT_EQ(complaint(steps), "");
    expect(complaint([](json& j) { j["rungs"][1]["measures"] = "step_gap"; }),
           "rungs[1].scene is \"vt9\", expected a scene that moves");
    expect(complaint([&](json& j) {
               steps(j);
               j["rungs"][1]["clock"] = "total";
           }),
           "rungs[1].clock");
    EXPECT_EQ(complaint([](json&) {}), "");
    EXPECT_NE(findLadder("nowhere").reason().find("voxel-tracer"), std::string::npos);
    EXPECT_NE(findLadder("./none.json").reason().find("none.json"), std::string::npos);
}

TEST(LadderFiles, ScenesLieInTheirFolder) {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-ladder-" + std::to_string(getpid()));
    fs::create_directories(folder / "ladders" / "scenes");
    const std::string text = toJson(*findScene("vt9")).dump();
    for (const char* name : {"outside.json", "ladders/beside.json", "ladders/scenes/below.json"})
        std::ofstream(folder / name) << text;
    fs::create_symlink("../outside.json", folder / "ladders" / "link.json");
    const auto reasonFor = [&](const char* scene) {
        json j = smallLadder();
        j["scene"] = scene;
        const auto ladder = ladderFromJson(j, folder / "ladders" / "l.json");
        return ladder ? std::string() : ladder.reason();
    };
    EXPECT_EQ(reasonFor("beside.json"), "");
    EXPECT_EQ(reasonFor("scenes/below.json"), "");
    EXPECT_EQ(reasonFor("scenes/../beside.json"), "");
    EXPECT_NE(reasonFor("../outside.json").find("in the ladder's folder"), std::string::npos);
    EXPECT_NE(reasonFor("link.json").find("in the ladder's folder"), std::string::npos);
    fs::remove_all(folder);
}

ClimbWish quickly() {
    ClimbWish wish;
    wish.seconds = .02;
    return wish;
}

std::vector<RungResult> climb(const Ladder& ladder, Machine& machine, const ClimbWish& wish) {
    LadderRun run(ladder, machine, wish);
    playToEnd(run);
    return run.results();
}

/// This machine, without its GPU.
Machine cpuOnly() {
    return {makeCpuRenderer(), nullptr, "there is no CUDA device"};
}

TEST(Measure, CountsEveryRayOfWholePassesOnce) {
    const Scene scene = sceneNamed("vt9");
    const auto renderer = makeCpuRenderer();
    renderer->setScene(scene);
    MeasureWish wish;
    wish.settings = defaultSettings(Backend::cpu, scene);
    wish.camera = scene.camera;
    wish.width = 64;
    wish.height = 36;
    wish.seconds = .5;
    const auto result = measure(*renderer, wish);
    ASSERT_TRUE(result) << result.reason();
    const Measurement& m = *result;
    EXPECT_GE(m.passes, wish.passes);
    EXPECT_EQ(m.samples, m.passes * m.passSamples);
    EXPECT_EQ(m.passSamples % wish.settings.samples, 0);
    EXPECT_EQ(m.rays.camera, 64u * 36u * static_cast<unsigned>(m.samples));
    EXPECT_NEAR(m.raysPerSample, 2.317, .03);
    EXPECT_GE(m.loopMs, m.kernelMs);
    EXPECT_LE(m.kernelRate.lower, m.kernelRate.median);
    EXPECT_LE(m.kernelRate.median, m.kernelRate.upper);
    EXPECT_NEAR(m.kernelRate.median, 1e3 * static_cast<double>(m.rays.total()) / m.kernelMs,
                .5 * m.kernelRate.median);
    EXPECT_GE(m.loopMs, 1e3 * wish.seconds * .5);
    EXPECT_GT(brightness(m), .1);
}

TEST(Measure, StopsWhenToldAndRefusesWhatCannotBe) {
    const Scene scene = sceneNamed("card");
    const auto renderer = makeCpuRenderer();
    renderer->setScene(scene);
    MeasureWish wish;
    wish.settings = defaultSettings(Backend::cpu, scene);
    wish.camera = scene.camera;
    wish.width = wish.height = 16;
    wish.seconds = 600;
    int calls = 0;
    const auto job = measuring(*renderer, wish);
    EXPECT_FALSE(playWhile(*job, [&] { return ++calls < 5; }));
    EXPECT_EQ(calls, 5);
    EXPECT_EQ(job->problem(), "");
    EXPECT_LT(job->share(), .01);
    wish.settings.variant.lightSampling = true;
    const auto refused = measure(*renderer, wish);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.reason().find("light"), std::string::npos);
}

TEST(Measure, QuartilesLieBetweenNeighbours) {
    const Spread s = spreadOf({5, 1, 4, 2, 3});
    EXPECT_EQ(s.median, 3);
    EXPECT_EQ(s.lower, 2);
    EXPECT_EQ(s.upper, 4);
    EXPECT_EQ(spreadOf({1, 2}).median, 1.5);
    EXPECT_EQ(spreadOf({}).median, 0);
}

TEST(RunLadder, MeasuresOneRungAfterTheOtherAndComparesThem) {
    const Ladder ladder = *read(smallLadder());
    Machine machine = cpuOnly();
    LadderRun run(ladder, machine, quickly());
    double last = 0;
    while (!run.step(5)) {
        EXPECT_EQ(run.label(), run.current() == 0 ? "recursion" : "loop");
        EXPECT_GE(run.share(), last);
        last = run.share();
    }
    EXPECT_EQ(run.share(), 1);
    const std::vector<RungResult>& results = run.results();
    ASSERT_EQ(results.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(results[i].problem, "");
        EXPECT_EQ(results[i].rung, static_cast<int>(i));
        EXPECT_GT(results[i].value.median, 1e5);
        EXPECT_FALSE(results[i].scaled);
    }
    const RungComparison first = comparisonOf(ladder, results, 0);
    EXPECT_FALSE(first.before);
    EXPECT_EQ(first.first, 1);
    const RungComparison c = comparisonOf(ladder, results, 1);
    ASSERT_TRUE(c.before && c.first && c.brightness);
    EXPECT_DOUBLE_EQ(*c.before, results[1].value.median / results[0].value.median);
    EXPECT_DOUBLE_EQ(*c.before, *c.first);
    EXPECT_NEAR(*c.brightness, 1, .2) << "1296 pixels are noisy";
}

TEST(RunLadder, TimesAreOfTheWholePicture) {
    json j = smallLadder();
    j["unit"] = "ms";
    j["measures"] = "time";
    j["spp"] = 3;
    j["rungs"][0]["published"]["unit"] = "s";
    j["rungs"][1]["spp"] = 1;
    const Ladder ladder = *read(j);
    Machine machine = cpuOnly();
    ClimbWish wish = quickly();
    auto results = climb(ladder, machine, wish);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].measured.passSamples, 3);
    EXPECT_FALSE(results[0].scaled);
    EXPECT_DOUBLE_EQ(results[0].value.median, results[0].measured.kernelPassMs.median / 1e3);
    EXPECT_EQ(results[1].measured.passSamples, 1);
    EXPECT_TRUE(results[1].scaled);
    EXPECT_DOUBLE_EQ(results[1].value.median, results[1].measured.kernelPassMs.median * 3 / 1e3);
    EXPECT_NEAR(*comparisonOf(ladder, results, 1).before,
                results[0].value.median / results[1].value.median, 1e-9);
    wish.width = 24;  // half the pixels: twice the time
    wish.height = 27;
    results = climb(ladder, machine, wish);
    EXPECT_TRUE(results[0].scaled);
    EXPECT_DOUBLE_EQ(results[0].value.median, results[0].measured.kernelPassMs.median * 2 / 1e3);
}

/// The time of a step, and what it costs to hand the bodies over.
TEST(RunLadder, MeasuresStepsOfASimulation) {
    const Ladder ladder = *read(json::parse(R"({
        "title": "Bodies", "scene": "nbody-1000", "size": [16, 9], "measures": "step", "unit": "ms",
        "settings": {"backend": "cpu", "threads": 1},
        "rungs": [
            {"name": "untiled", "why": "a", "settings": {"forces": "untiled", "opt": "O0"}},
            {"name": "registers", "why": "b", "settings": {"forces": "registers", "opt": "native"}},
            {"name": "gap", "why": "c", "settings": {"steps": 3}, "measures": "step_gap"}
        ]
    })"));
    Machine machine = cpuOnly();
    LadderRun run(ladder, machine, quickly());
    playToEnd(run);
    const std::vector<RungResult>& results = run.results();
    ASSERT_EQ(results.size(), 3u);
    for (const RungResult& r : results) {
        EXPECT_EQ(r.problem, "");
        EXPECT_GT(r.value.median, 0);
        EXPECT_GE(r.measured.passes, 5);
        EXPECT_GE(r.measured.loopMs, r.measured.kernelMs);
        EXPECT_EQ(r.measured.rays.total(), 0u);
    }
    EXPECT_EQ(results[2].measured.launches, 3 * results[2].measured.passes);
    EXPECT_GT(*comparisonOf(ladder, results, 1).before, 2);
    EXPECT_FALSE(comparisonOf(ladder, results, 2).before) << "a gap is no step";
    EXPECT_FALSE(comparisonOf(ladder, results, 1).brightness);
    const json report = reportOf(ladder, machine, quickly(), results);
    EXPECT_EQ(report["rungs"][1]["measures"], "step");
    EXPECT_EQ(report["rungs"][1]["measured"]["unit"], "ms");
    const Result<Study> study = ladderStudy(ladder, LadderStudy::steps, Backend::cpu);
    ASSERT_TRUE(study);
    EXPECT_NE(study->items[0].problem.find("rayscope ladder"), std::string::npos);
    EXPECT_FALSE(ladderStudy(ladder, LadderStudy::addOne, Backend::cpu));
}

TEST(RunLadder, WhatCannotRunSaysWhyAndTheRestGoesOn) {
    json j = smallLadder();
    const auto add = [&](json rung) {
        rung["why"] = "A test.";
        j["rungs"].push_back(std::move(rung));
    };
    add({{"name", "gpu"}, {"from", "loop"}, {"settings", {{"backend", "cuda"}}}});
    add({{"name", "maths"}, {"from", "loop"}, {"settings", {{"max_registers", "64"}}}});
    add({{"name", "hybrid"}, {"from", "loop"}, {"settings", {{"engine", "hybrid"}}}});
    add({{"name", "depth"}, {"from", "maths"}, {"settings", {{"depth", 1}}}});
    add({{"name", "scene"}, {"from", "loop"}, {"scene", "card"}});
    const Ladder ladder = *read(j);
    Machine machine = cpuOnly();
    const auto results = climb(ladder, machine, quickly());
    ASSERT_EQ(results.size(), 7u);
    EXPECT_EQ(results[2].problem, "there is no CUDA device");
    EXPECT_EQ(results[3].problem,
              "max_registers=64 means nothing on the cpu backend: a CPU's thread always has "
              "all registers");
    EXPECT_NE(results[4].problem.find("engine=hybrid"), std::string::npos);
    EXPECT_EQ(results[5].problem, "") << "what it inherits may mean nothing";
    EXPECT_EQ(results[6].problem, "");
    EXPECT_FALSE(comparisonOf(ladder, results, 2).before);
    EXPECT_TRUE(comparisonOf(ladder, results, 5).differs()) << "depth 1 is darker";
    // The nearest measured rung on its way is the loop.
    EXPECT_DOUBLE_EQ(*comparisonOf(ladder, results, 5).before,
                     results[5].value.median / results[1].value.median);
    ClimbWish only = quickly();
    only.only = Backend::cuda;
    EXPECT_EQ(climb(ladder, machine, only)[0].problem, "left out by --backend cuda");
}

TEST(RunLadder, StopsBetweenAndWithinRungs) {
    const Ladder ladder = *read(smallLadder());
    Machine machine = cpuOnly();
    LadderRun between(ladder, machine, quickly());
    while (between.results().empty()) between.step(5);
    between.cancel();
    EXPECT_TRUE(between.step(5));
    EXPECT_EQ(between.results().size(), 1u);
    ClimbWish slowly;
    slowly.seconds = 600;
    LadderRun within(ladder, machine, slowly);
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(within.step(5));
    within.cancel();
    EXPECT_TRUE(within.step(5));
    EXPECT_TRUE(within.results().empty());
    ClimbWish second = quickly();
    second.rung = 1;
    const auto one = climb(ladder, machine, second);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].rung, 1);
}

TEST(RunLadder, AClockAroundTheContextNeedsOne) {
    json j = smallLadder();
    j["rungs"][0]["clock"] = "total";
    const Ladder ladder = *read(j);
    Machine machine = cpuOnly();
    const auto results = climb(ladder, machine, quickly());
    EXPECT_NE(results[0].problem.find("context=inside"), std::string::npos);
    EXPECT_EQ(results[1].problem, "");
}

TEST(ChildRun, SaysWhyAProcessHasMeasuredNothing) {
    const Scene scene = sceneNamed("vt9");
    MeasureWish wish;
    wish.settings = defaultSettings(Backend::cpu, scene);
    wish.width = wish.height = 16;
    wish.mostSamples = 1;
    const auto reason = [&](const std::string& program, const std::string& sceneName = "vt9") {
        ChildRuns runs(program, sceneName, wish);
        playToEnd(runs);
        return runs.problem();
    };
    EXPECT_NE(reason(RAYSCOPE_PROGRAM).find("no context"), std::string::npos) << "on the CPU";
    EXPECT_NE(reason(RAYSCOPE_PROGRAM, "nowhere").find("unknown scene"), std::string::npos);
    EXPECT_NE(reason(testing::TempDir() + "rayscope-missing/rayscope").find("does not start"),
              std::string::npos);
    EXPECT_NE(reason("/bin/false").find("without a word"), std::string::npos);
}

TEST(ChildRun, DoesNotWaitForAProcessThatIsGivenUp) {
    const auto start = std::chrono::steady_clock::now();
    MeasureWish wish;
    wish.settings = defaultSettings(Backend::cpu, sceneNamed("vt9"));
    wish.settings.samples = 1;
    wish.width = wish.height = 1000;
    wish.mostSamples = 10000;  // for hours
    ChildRuns runs(RAYSCOPE_PROGRAM, "vt9", wish);
    EXPECT_FALSE(runs.step(1));
    runs.cancel();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

/// A program that reports what the render of a GPU would.
TEST(ChildRun, ReadsTheReport) {
    namespace fs = std::filesystem;
    const fs::path program = fs::temp_directory_path() / fmt::format("rayscope-child-{}", getpid());
    std::ofstream(program) << "#!/bin/sh\necho '"
                           << R"({"device": "H", "kernel_ms": 2,
        "wall_ms": 300, "context_ms": 200, "spp": 4, "mean_radiance": [1, 2, 3],
        "rays": {"camera": 100, "bounce": 50, "shadow": 0}})"
                           << "'\n";
    fs::permissions(program, fs::perms::owner_all);
    MeasureWish wish;
    wish.width = wish.height = 5;
    wish.mostSamples = 4;
    wish.passes = 2;
    ChildRuns runs(program.string(), "vt9", wish);
    playToEnd(runs);
    fs::remove(program);
    ASSERT_EQ(runs.problem(), "");
    const Measurement m = runs.measurement();
    EXPECT_EQ(runs.share(), 1);
    EXPECT_EQ(m.passes, 2);
    EXPECT_EQ(m.loopPassMs.median, 300);
    EXPECT_EQ(m.kernelPassMs.median, 2);
    EXPECT_EQ(m.raysPerSample, 1.5);
    EXPECT_EQ(brightness(m), 2);
    EXPECT_EQ(m.rays.total(), 300u);
}

/// A program that fails with the words that it was given.
TEST(ChildRun, RendersOnTheGpuThatWasChosen) {
    namespace fs = std::filesystem;
    const fs::path program = fs::temp_directory_path() / fmt::format("rayscope-echo-{}", getpid());
    std::ofstream(program) << "#!/bin/sh\necho \"$@\"\n";
    fs::permissions(program, fs::perms::owner_all);
    MeasureWish wish;
    wish.settings.backend = Backend::cuda;
    ChildRuns runs(program.string(), "vt9", wish, "3");
    playToEnd(runs);
    fs::remove(program);
    EXPECT_NE(runs.problem().find(" --device 3 "), std::string::npos) << runs.problem();
}

TEST(LadderReport, JsonAndCsvHoldEveryRung) {
    json j = smallLadder();
    j["rungs"].push_back(
        {{"name", "a, \"b\""},
         {"why", "A test."},
         {"settings", {{"backend", "cuda"}}},
         {"references", {{{"value", 2}, {"unit", "Grays/s"}, {"device", "H200"}}}}});
    const Ladder ladder = *read(j);
    Machine machine = cpuOnly();
    const auto results = climb(ladder, machine, quickly());
    const json report = reportOf(ladder, machine, quickly(), results);
    EXPECT_EQ(report["ladder"], "small");
    EXPECT_EQ(report["cuda"]["missing"], "there is no CUDA device");
    EXPECT_TRUE(report["complete"]);
    const json& loop = report["rungs"][1];
    EXPECT_EQ(loop["settings"]["path"], "loop");
    EXPECT_EQ(loop["changes"], json({{"path", "loop"}}));
    EXPECT_EQ(loop["measured"]["unit"], "Mrays/s");
    EXPECT_NEAR(loop["measured"]["median"], results[1].value.median / 1e6, 1e-6);
    EXPECT_TRUE(loop.contains("x_before") && loop.contains("kernel") && loop.contains("rays"));
    EXPECT_EQ(report["rungs"][0]["published"]["value"], 8);
    EXPECT_EQ(report["rungs"][2]["problem"], "there is no CUDA device");
    EXPECT_EQ(report["rungs"][2]["references"][0]["device"], "H200");

    std::istringstream lines(csvOf(ladder, results));
    std::vector<size_t> columns;
    std::string line, last;
    while (std::getline(lines, line)) {
        size_t count = 1;
        bool quoted = false;
        for (char c : line) {
            quoted ^= c == '"';
            count += c == ',' && !quoted;
        }
        columns.push_back(count);
        last = line;
    }
    ASSERT_EQ(columns.size(), 4u);
    for (size_t count : columns) EXPECT_EQ(count, columns[0]);
    EXPECT_TRUE(last.starts_with("\"a, \"\"b\"\"\",cuda,vt9")) << last;

    const std::string head = tableHead(ladder, machine, quickly());
    EXPECT_NE(head.find("48x27"), std::string::npos);
    EXPECT_NE(tableRow(ladder, results, 0).find("8 Mrays/s"), std::string::npos);
    EXPECT_NE(tableRow(ladder, results, 2).find("there is no CUDA"), std::string::npos);
    EXPECT_NE(tableFoot(ladder, results).find("a processor"), std::string::npos);
}

}  // namespace
}  // namespace rayscope
