// Studies: which pairs they ask for, that they are measured and reported, and the search for the
// fastest settings.

#include "renderer/lab/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "renderer/choices/axes.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/lab/autotune.h"
#include "renderer/lab/studies.h"
#include "renderer/scene/field.h"
#include "renderer/scene/json.h"
#include "tests/made_up_renderer.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

std::map<std::string, const StudyItem*> byName(const Study& study) {
    std::map<std::string, const StudyItem*> result;
    for (const StudyItem& item : study.items) result[item.name] = &item;
    return result;
}

StudyWish smallStudy() {
    StudyWish wish;
    wish.width = 32;
    wish.height = 18;
    wish.seconds = .05;
    wish.work = false;
    return wish;
}

TEST(Switches, EveryOtherValueIsAskedForOnce) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene, {});
    const Study study = switchStudy(settings, scene);
    const auto items = byName(study);
    EXPECT_EQ(items.size(), study.items.size()) << "names are unique";
    for (const StudyItem& item : study.items) {
        EXPECT_EQ(item.a == settings, item.name.find("both with") == std::string::npos)
            << item.name;
        EXPECT_NE(canonical(item.b), canonical(settings)) << item.name;
        EXPECT_TRUE(findAxis(item.group)) << item.group;
    }
    ASSERT_TRUE(items.contains("engine=regeneration"));
    EXPECT_FALSE(items.contains("display=copy")) << "no kernel's time";
    for (const Axis& axis : axes()) {
        if (!axis.matters(settings) || axis.id == "backend") continue;
        const auto asked =
            std::count_if(study.items.begin(), study.items.end(),
                          [&](const StudyItem& item) { return item.group == axis.id; });
        EXPECT_EQ(static_cast<size_t>(asked), alternatives(axis, settings).size()) << axis.id;
    }
}

/// An array of structs is not what packets read: both sides are single paths.
TEST(Switches, ComparesWhatDiffersInOneChoiceAlone) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene, {"engine=packets"});
    const Study study = switchStudy(settings, scene);
    int both = 0;
    for (const StudyItem& item : study.items) {
        if (!item.problem.empty() || item.group == "engine") continue;
        const Axis& axis = *findAxis(item.group);
        Settings back = item.b;
        axis.set(back, axis.get(item.a));
        if (item.a == settings) continue;
        ++both;
        EXPECT_EQ(canonical(back), canonical(item.a)) << item.name;
        EXPECT_EQ(item.a.variant.engine, item.b.variant.engine) << item.name;
    }
    EXPECT_GE(both, 3);
    const auto items = byName(study);
    EXPECT_TRUE(items.contains("scene_layout=aos, both with engine=megakernel"));
    EXPECT_TRUE(items.contains("precision=double, both with engine=megakernel"));
}

TEST(Switches, AnEngineBringsWhatItNeeds) {
    const Scene scene = sceneNamed("vt9");
    const Study study = switchStudy(cpuSettings(scene, {}), scene);
    const auto items = byName(study);
    ASSERT_TRUE(items.contains("engine=wavefront"));
    EXPECT_EQ(items.at("engine=wavefront")->problem, "");
    EXPECT_NE(items.at("engine=hybrid")->problem.find("GPU"), std::string::npos);
}

TEST(Switches, NumbersAreHalvedAndDoubledWithinTheirRange) {
    Settings settings;
    settings.samples = 4;
    EXPECT_EQ(alternatives(*findAxis("samples"), settings), (std::vector<int>{2, 8}));
    settings.depth = kMaxDepth;
    EXPECT_EQ(alternatives(*findAxis("depth"), settings), (std::vector<int>{kMaxDepth / 2}));
    settings.depth = 1;
    EXPECT_EQ(alternatives(*findAxis("depth"), settings), (std::vector<int>{2}));
}

TEST(LadderStudy, StepsCompareEachRungWithTheOneItChanges) {
    const auto ladder = *findLadder("weekend");
    const auto study = *ladderStudy(ladder, LadderStudy::steps, Backend::cpu);
    size_t rungs = 0;
    for (const Rung& rung : ladder.rungs) rungs += rung.from >= 0;
    EXPECT_EQ(study.items.size(), rungs);
    for (const StudyItem& item : study.items) EXPECT_EQ(item.group, difference(item.a, item.b));
}

/// Up to the last rung of a megakernel: elsewhere, path means nothing.
TEST(LadderStudy, AddOneAndLeaveOneOutAreTheSameChangesFromBothEnds) {
    auto ladder = *findLadder("weekend");
    while (ladder.rungs.back().name != "AoS again") ladder.rungs.pop_back();
    const auto add = *ladderStudy(ladder, LadderStudy::addOne, Backend::cpu);
    const auto out = *ladderStudy(ladder, LadderStudy::leaveOneOut, Backend::cpu);
    std::set<std::string> added, left;
    for (const StudyItem& item : add.items) added.insert(item.group);
    for (const StudyItem& item : out.items) left.insert(item.group);
    EXPECT_EQ(added, left);
    EXPECT_TRUE(added.contains("accel"));
    for (const StudyItem& item : add.items) EXPECT_EQ(item.a, add.items[0].a);
    EXPECT_EQ(byName(add).count("accel=bvh"), 1u);
    EXPECT_EQ(byName(out).count("accel=brute"), 1u);
}

TEST(Sweep, ReadsAxesInAllSpellings) {
    const auto values = [](const char* text) {
        const auto axis = sweepAxisFrom(text);
        return axis ? axis->values : std::vector<std::string>{axis.reason()};
    };
    using Values = std::vector<std::string>;
    EXPECT_EQ(values("samples=1,4,7"), (Values{"1", "4", "7"}));
    EXPECT_EQ(values("samples=4..20"), (Values{"4", "8", "16", "20"}));
    EXPECT_EQ(values("samples=5..5"), (Values{"5"}));
    EXPECT_EQ(values("scene_layout"), (Values{"aos", "soa"}));
    EXPECT_EQ(values("spheres=8..32"), (Values{"8", "16", "32"}));
    EXPECT_EQ(values("depth").front(), "1");
    EXPECT_EQ(values("depth").back(), std::to_string(kMaxDepth));
    EXPECT_GE(values("scene").size(), 5u);
    for (const char* wrong : {"", "nothing=1", "samples=", "samples=0..4", "samples=8..4",
                              "samples=a..b", "scene_layout=neither", "scene=nowhere", "spheres=1",
                              "samples=1,,2", "depth=99", "spheres=8..99999999"}) {
        EXPECT_FALSE(sweepAxisFrom(wrong)) << wrong;
    }
}

TEST(Sweep, AGridHasACellForEveryPairAndABaseForEveryScene_long) {
    const Scene scene = sceneNamed("vt9");
    const auto x = *sweepAxisFrom("spheres=8,16,32");
    const auto y = *sweepAxisFrom("accel");
    const auto study = *sweepStudy(x, y, cpuSettings(scene, {}), scene);
    ASSERT_EQ(study.items.size(), x.values.size() * y.values.size());
    EXPECT_EQ(study.grid->columns, x.values);
    EXPECT_EQ(study.grid->rows, y.values);
    ASSERT_EQ(study.scenes.size(), 3u);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(study.scenes[i]->spheres.size(), size_t{8} << i);
    EXPECT_EQ(study.items[4].name, "accel=bvh spheres=16");
    EXPECT_EQ(study.items[4].scene, 1);
    EXPECT_EQ(valueOf(*findAxis("accel"), study.items[4].a), "brute");
    EXPECT_EQ(valueOf(*findAxis("accel"), study.items[4].b), "bvh");
}

/// Packets trace no triangles.
TEST(Sweep, SettingsAreFittedToEachSceneAndTheCellSaysSo) {
    const Scene scene = sceneNamed("vt9");
    Settings settings = cpuSettings(scene, {"engine=packets", "generator=lcg"});
    settings.depth = 7;
    const auto x = *sweepAxisFrom("scene=vt9,cornell-box,terrain-100");
    const auto study = *sweepStudy(x, {}, settings, scene);
    ASSERT_EQ(study.items.size(), 3u);
    EXPECT_EQ(study.items[0].fitted, "");
    EXPECT_EQ(study.items[0].b, settings);
    for (const int i : {1, 2}) {
        const StudyItem& item = study.items[static_cast<size_t>(i)];
        EXPECT_EQ(item.problem, "");
        EXPECT_NE(item.fitted.find("engine=megakernel"), std::string::npos) << item.fitted;
        EXPECT_EQ(item.b.variant.engine, Engine::megakernel);
        EXPECT_EQ(valueOf(*findAxis("generator"), item.b), "lcg") << "what was asked for stays";
        EXPECT_EQ(item.b.depth, 7);
    }
    // what the sweep asks for is not changed
    const auto engines = *sweepAxisFrom("engine=packets,megakernel");
    const auto grid = *sweepStudy(x, engines, settings, scene);
    EXPECT_NE(grid.items[1].problem, "");
    EXPECT_EQ(grid.items[4].problem, "");
}

TEST(Sweep, WhatCannotBeHadSaysWhyAndIsNoBase) {
    const Scene scene = sceneNamed("vt9");
    const auto x = *sweepAxisFrom("engine=hybrid,megakernel,wavefront");
    const auto study = *sweepStudy(x, {}, cpuSettings(scene, {}), scene);
    EXPECT_NE(study.items[0].problem, "");
    EXPECT_EQ(study.items[1].problem, "");
    EXPECT_EQ(study.items[2].a, study.items[1].b);
    const auto tile = *sweepAxisFrom("tile");
    EXPECT_FALSE(sweepStudy(tile, {}, cpuSettings(scene, {}), scene));
    EXPECT_FALSE(sweepStudy(x, x, cpuSettings(scene, {}), scene)) << "the same twice";
}

TEST(StudyJob, MeasuresEveryItemAndReportsIt) {
    const Scene scene = sceneNamed("vt9");
    Machine machine;
    machine.cpu = makeCpuRenderer();
    machine.noCuda = "there is none";
    const auto x = *sweepAxisFrom("opt=O0,O2");
    const auto y = *sweepAxisFrom("scene=vt9,field-40");
    const Settings settings = cpuSettings(scene, {});
    Study study = *sweepStudy(x, y, settings, scene);
    StudyItem cuda = study.items[0];
    cuda.b.backend = Backend::cuda;
    study.items.push_back(cuda);
    StudyJob job(machine, study, smallStudy());
    double share = 0;
    while (!job.step(5)) {
        EXPECT_GE(job.share(), share - .02);
        share = job.share();
    }
    EXPECT_EQ(job.share(), 1);
    for (size_t i = 0; i < 4; ++i) {
        const StudyItem& item = job.study().items[i];
        ASSERT_TRUE(item.result) << item.name << item.problem;
        EXPECT_FALSE(item.result->work);
        if (i % 2 == 0) continue;
        EXPECT_GT(item.result->speed.samples.value, 2) << "O2 is far from O0";
    }
    EXPECT_EQ(job.study().items[4].problem, "there is none");

    const State state{scene, scene.camera, settings, {}};
    const nlohmann::json report = reportOf(job.study(), smallStudy(), state);
    EXPECT_EQ(report.at("kind"), "sweep");
    EXPECT_EQ(report.at("items").size(), 5u);
    EXPECT_EQ(report.at("items")[3].at("scene"), "field-40");
    EXPECT_EQ(report.at("items")[3].at("settings_b").at("opt"), "O2");
    EXPECT_EQ(report.at("items")[4].at("problem"), "there is none");
    EXPECT_EQ(report.at("grid").at("rows"), y.values);
    const std::string csv = csvOf(job.study());
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
}

/// Fails as a device does, or for want of memory.
class FailingRenderer : public MadeUpRenderer {
public:
    FrameStats advance(const Settings& settings, const Camera& camera, MadeUpSession& session,
                       double budgetMs) override {
        if (settings.variant.path == Path::recursive) throw std::runtime_error("the device failed");
        if (settings.variant.path == Path::stack) throw std::bad_alloc();
        return MadeUpRenderer::advance(settings, camera, session, budgetMs);
    }
};

TEST(StudyJob, AnItemThatThrowsHasAProblemAndTheRestGoesOn) {
    const Scene scene = sceneNamed("vt9");
    Machine machine;
    machine.cpu = std::make_unique<FailingRenderer>();
    const auto x = *sweepAxisFrom("path=loop,recursive,stack,loop");
    Study study = *sweepStudy(x, {}, cpuSettings(scene, {}), scene);
    StudyJob job(machine, study, smallStudy());
    playToEnd(job);
    const std::vector<StudyItem>& items = job.study().items;
    EXPECT_EQ(items[1].problem, "the device failed");
    EXPECT_EQ(items[2].problem, "there is not enough memory");
    for (const size_t i : {0, 3}) EXPECT_TRUE(items[i].result) << items[i].problem;
}

TEST(Workbench, AGpuThatFailsIsLostWithItsContext) {
    Machine machine;
    machine.cpu = std::make_unique<MadeUpRenderer>();
    machine.cuda = std::make_unique<FailingRenderer>();
    Workbench workbench(machine);
    EXPECT_EQ(workbench.failed(std::bad_alloc(), true, "a row"), "there is not enough memory");
    EXPECT_EQ(workbench.failed(std::runtime_error("no thread"), false, "a row"), "no thread");
    EXPECT_NE(machine.cuda, nullptr);
    const std::string problem = "CUDA has failed in \"a row\": the device failed";
    EXPECT_EQ(workbench.failed(std::runtime_error("the device failed"), true, "a row"), problem);
    EXPECT_EQ(machine.cuda, nullptr);
    EXPECT_EQ(machine.noCuda, problem);
}

TEST(StudyJob, ComparesTheWorkWhereItIsAskedTo) {
    const Scene scene = sceneNamed("vt9");
    Machine machine;
    machine.cpu = makeCpuRenderer();
    Study study;
    study.scenes.push_back(scene);
    StudyItem item;
    item.a = cpuSettings(scene, {});
    item.b = cpuSettings(scene, {"depth=3"});
    study.items.push_back(item);
    StudyWish wish = smallStudy();
    wish.work = true;
    StudyJob job(machine, study, wish);
    while (!job.step(50)) {
    }
    ASSERT_TRUE(job.study().items[0].result);
    EXPECT_TRUE(job.study().items[0].result->different());
    EXPECT_NE(rowOf(job.study(), job.study().items[0]).find("DIFFERENT"), std::string::npos);
}

TEST(Field, TheSameNumberGivesTheSameScene) {
    EXPECT_EQ(fieldScene(50), fieldScene(50));
    EXPECT_EQ(fieldScene(2).spheres.size(), 2u);
    EXPECT_EQ(fieldCount("field-1000"), 1000);
    for (const char* wrong : {"field-", "field-1", "field-x", "field-12x", "field-100001",
                              "fields-9", "field--5", "vt9"})
        EXPECT_FALSE(fieldCount(wrong)) << wrong;
    const auto found = findScene("field-7");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->spheres.size(), 7u);
}

TEST(Autotune, LeavesAloneWhatChangesThePicture) {
    for (const char* id : {"depth", "seed", "light_sampling", "random", "precision", "backend"}) {
        const Axis* axis = findAxis(id);
        if (axis == nullptr) continue;
        EXPECT_FALSE(tunable(*axis)) << id;
    }
    for (const char* id : {"engine", "scene_layout", "block", "accel"})
        EXPECT_TRUE(tunable(*findAxis(id))) << id;
}

TEST(Autotune, FindsTheOptimisedBuildAndProvesIt_long) {
    const Scene scene = sceneNamed("vt9");
    Machine machine;
    machine.cpu = makeCpuRenderer();
    machine.cpu->setScene(scene);
    const Settings settings = cpuSettings(scene, {"opt=O0"});
    AutotuneWish wish;
    wish.view = scene.camera;
    wish.width = 32;
    wish.height = 18;
    wish.candidates = 6;
    wish.seconds = .02;
    Autotune job(machine, settings, scene, wish);
    while (!job.step(50)) EXPECT_LT(job.share(), 1);
    EXPECT_EQ(job.share(), 1);
    EXPECT_GE(job.rounds().size(), 3u);
    EXPECT_EQ(job.winner().variant.engine == Engine::packets, widestPackets() > 0);
    EXPECT_NE(job.winner().variant.opt, Opt::O0);
    ASSERT_TRUE(job.proof());
    EXPECT_GT(job.proof()->speed.samples.lower, 1);
    EXPECT_FALSE(job.proof()->different());
    std::map<Engine, std::vector<size_t>> climbs;
    for (const AutotuneRound& round : job.rounds()) {
        const Settings& beside = round.reference.settings;
        const auto ofLaunches = [&](const Candidate& c) {
            return c.settings.samples != beside.samples;
        };
        if (round.name == "changes of the best") {
            if (std::ranges::any_of(round.candidates, ofLaunches)) {
                EXPECT_TRUE(std::ranges::all_of(round.candidates, ofLaunches));
                continue;
            }
            climbs[beside.variant.engine].push_back(round.candidates.size());
        } else if (round.name != "the best changes together") {
            EXPECT_EQ(difference(beside, settings), "");
        }
        for (const Candidate& c : round.candidates) {
            EXPECT_EQ(c.settings.depth, settings.depth);
            EXPECT_EQ(c.settings.variant.random, settings.variant.random);
        }
    }
    EXPECT_GE(climbs.size(), 1u);
    for (const auto& [engine, sizes] : climbs) {
        for (size_t i = 1; i < sizes.size(); ++i)
            EXPECT_LT(sizes[i], sizes[0]) << "without what has lost";
    }
    const char* const change = widestPackets() > 0 ? "--set engine=packets" : "--set opt=";
    EXPECT_NE(winnerText(job).find(change), std::string::npos) << winnerText(job);
    const State state{scene, scene.camera, settings, {}};
    const nlohmann::json report = reportOf(job, wish, state);
    EXPECT_EQ(report.at("rounds").size(), job.rounds().size());
    EXPECT_TRUE(report.contains("proof"));
}

}  // namespace
}  // namespace rayscope
