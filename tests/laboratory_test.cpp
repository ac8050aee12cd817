// The viewer's laboratory, without a window: experiments, the history, what controls say.

#include "ui/laboratory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "renderer/choices/axes.h"
#include "tests/made_up_renderer.h"
#include "tests/made_up_window.h"
#include "tests/render_helper.h"
#include "ui/feature.h"
#include "ui/lab_panel.h"

namespace rayscope {
namespace {

Machine cpuOnly() {
    Machine machine;
    machine.cpu = makeCpuRenderer();
    machine.noCuda = "there is no GPU";
    return machine;
}

class LaboratoryTest : public testing::Test {
protected:
    LaboratoryTest() {
        const Scene scene = sceneNamed("vt9");
        state_ = {scene, scene.camera, cpuSettings(scene, {}), {}};
    }

    /// Until the end, or for so many answered items.
    std::string work(int items = 1000) {
        std::string message;
        const auto answered = [&] {
            int count = 0;
            for (const StudyItem& item : lab_.study().items) count += item.result.has_value();
            return count;
        };
        while (lab_.running() && message.empty() && answered() < items) message = lab_.step(20);
        return message;
    }

    State state_;
    Laboratory lab_{cpuOnly};
};

LabChoice sweepOf(const std::string& x, const std::string& y) {
    return {Experiment::sweep, "", x, y};
}

TEST_F(LaboratoryTest, ASweepEndsInTheHistory) {
    EXPECT_EQ(lab_.shown(), nullptr);
    EXPECT_EQ(lab_.start(sweepOf("scene_layout", "none"), state_, 64, 36), "");
    EXPECT_TRUE(lab_.running());
    EXPECT_NE(lab_.start(sweepOf("scene_layout", "none"), state_, 64, 36), "") << "one at a time";
    EXPECT_NE(work().find("done"), std::string::npos);
    EXPECT_FALSE(lab_.running());
    ASSERT_EQ(lab_.history().size(), 1u);
    ASSERT_EQ(lab_.study().items.size(), 2u);
    EXPECT_TRUE(lab_.study().items[1].result);
    EXPECT_EQ(lab_.shown()->state, state_);
    EXPECT_EQ(lab_.shown()->json().at("items").size(), 2u);
    EXPECT_FALSE(lab_.shown()->json().at("date").get<std::string>().empty());
}

TEST_F(LaboratoryTest, ControlsKnowWhatTheirAlternativesAreWorth) {
    ASSERT_EQ(lab_.start({Experiment::switches, "", "", ""}, state_, 64, 36), "");
    work(2);  // of compiler=clang and opt=O0
    const Study* switches = lab_.switchesOf(state_).study;
    ASSERT_NE(switches, nullptr) << "while it is under way";
    const Axis& opt = *findAxis("opt");
    const StudyItem* slow = worth(switches, opt, 0);
    ASSERT_NE(slow, nullptr);
    ASSERT_TRUE(slow->result);
    EXPECT_LT(slow->result->speed.samples.value, .5) << "opt=O0";
    EXPECT_EQ(bestOf(switches, opt), slow) << "the only one so far";
    EXPECT_EQ(bestOf(switches, *findAxis("path")), nullptr);

    lab_.cancel();
    EXPECT_FALSE(lab_.running());
    EXPECT_EQ(lab_.history().size(), 1u) << "what is known stays";
    State other = state_;
    other.settings.seed = 7;
    EXPECT_NE(lab_.switchesOf(other).study, nullptr);
    other.settings.depth = 3;
    EXPECT_EQ(lab_.switchesOf(other).study, nullptr);
    other = state_;
    other.scene = sceneNamed("card");
    EXPECT_EQ(lab_.switchesOf(other).study, nullptr);
}

TEST_F(LaboratoryTest, AResultSaysWhereItWasMeasuredAndThatItIsElsewhere) {
    ASSERT_EQ(lab_.start({Experiment::switches, "", "", ""}, state_, 64, 36), "");
    const LabRecord& record = *lab_.shown();
    EXPECT_EQ(record.where(), "vt9, its own camera, 16x9");
    EXPECT_EQ(record.elsewhere(state_), "");
    EXPECT_FALSE(lab_.switchesOf(state_).otherView);
    State shown = state_;
    shown.camera.from.x += 1;
    EXPECT_EQ(record.elsewhere(shown), "another view");
    EXPECT_TRUE(lab_.switchesOf(shown).otherView);
    shown.enter(sceneNamed("card"));
    EXPECT_EQ(record.elsewhere(shown), "another scene");
    lab_.cancel();
    state_.camera.from = {1, 2, 3};
    ASSERT_EQ(lab_.start({Experiment::autotune, "", "", ""}, state_, 64, 36), "");
    EXPECT_TRUE(lab_.shown()->where().starts_with("vt9, camera at (1, 2, 3) to "));
    EXPECT_EQ(lab_.shown()->elsewhere(state_), "");
}

TEST_F(LaboratoryTest, AnExperimentSaysFromItsStartHowLongItTakes) {
    for (const Experiment experiment : {Experiment::switches, Experiment::autotune}) {
        ASSERT_EQ(lab_.start({experiment, "", "", ""}, state_, 64, 36), "");
        EXPECT_NE(lab_.timeLeft(), "");
        lab_.cancel();
    }
    ASSERT_EQ(lab_.start(sweepOf("scene_layout", "none"), state_, 64, 36), "");
    EXPECT_EQ(lab_.doing(), "sweep: " + lab_.timeLeft());
    EXPECT_NE(lab_.timeLeft(), "0 s");
    work();
    EXPECT_EQ(lab_.doing(), "");
}

TEST_F(LaboratoryTest, NothingIsKeptOfNothing) {
    ASSERT_EQ(lab_.start({Experiment::switches, "", "", ""}, state_, 64, 36), "");
    lab_.cancel();
    EXPECT_TRUE(lab_.history().empty());
    EXPECT_EQ(lab_.shown(), nullptr);
    EXPECT_NE(lab_.start({Experiment::steps, "no-such-ladder", "", ""}, state_, 64, 36), "");
    EXPECT_NE(lab_.start(sweepOf("no_such_axis", "none"), state_, 64, 36), "");
    EXPECT_FALSE(lab_.running());
}

TEST_F(LaboratoryTest, EveryAxisThatASweepOffersCanBeSwept) {
    for (const std::string& name : sweepAxes(state_.settings)) {
        EXPECT_EQ(lab_.start(sweepOf(name, "none"), state_, 16, 9), "") << name;
        EXPECT_GE(lab_.study().items.size(), 2u) << name;
        lab_.cancel();
    }
}

TEST_F(LaboratoryTest, ACancelledSearchSaysSo) {
    ASSERT_EQ(lab_.start({Experiment::autotune, "", "", ""}, state_, 64, 36), "");
    for (int i = 0; i < 5; ++i) lab_.step(5);
    ASSERT_NE(lab_.shown(), nullptr);
    EXPECT_TRUE(lab_.shown()->tuned);
    lab_.cancel();
    ASSERT_EQ(lab_.history().size(), 1u);
    EXPECT_FALSE(lab_.shown()->tuned->proof());
    EXPECT_EQ(lab_.shown()->json().at("kind"), "autotune");
    EXPECT_EQ(lab_.shown()->csv().rfind("round,", 0), 0u);
}

TEST_F(LaboratoryTest, TheHistoryKeepsTheNewest) {
    const auto search = [&] {
        ASSERT_EQ(lab_.start({Experiment::autotune, "", "", ""}, state_, 64, 36), "");
        lab_.cancel();
    };
    for (int i = 0; i < 70; ++i) {
        state_.settings.seed = static_cast<unsigned>(i + 1);
        search();
    }
    ASSERT_EQ(lab_.history().size(), 64u);
    EXPECT_EQ(lab_.history().front()->state.settings.seed, 7u);
    EXPECT_EQ(lab_.shownIndex(), 63);
    state_.scene.change([](Scene& scene) {
        scene.spheres.resize(400000, scene.spheres[0]);  // more than any scene has
    });
    for (int i = 0; i < 3; ++i) search();
    EXPECT_EQ(lab_.history().size(), 2u);
}

/// Expects to be given the hierarchy of its scene before it walks it.
class WalkingRenderer : public MadeUpRenderer {
public:
    int advanced = 0;
    void setScene(const SharedScene& scene) override {
        spheres_ = scene->spheres.size();
        given_ = 0;
    }
    void giveHierarchy(const SharedBvh& built) override { given_ = built->list.size(); }
    FrameStats advance(const Settings& settings, const Camera& camera, MadeUpSession& session,
                       double budgetMs) override {
        EXPECT_TRUE(!walksSahTree(settings) || given_ == spheres_);
        ++advanced;
        return MadeUpRenderer::advance(settings, camera, session, budgetMs);
    }

private:
    size_t spheres_ = 0, given_ = 0;
};

TEST_F(LaboratoryTest, NoFrameWaitsForTheHierarchyOfALargeScene) {
    auto renderer = std::make_unique<WalkingRenderer>();
    const WalkingRenderer& walking = *renderer;
    Laboratory lab([&] { return Machine{std::move(renderer), nullptr, "no GPU"}; });
    state_.scene = sceneNamed("field-30000");
    state_.settings.variant.accel = Accel::bvh;
    ASSERT_EQ(lab.start({Experiment::switches, "", "", ""}, state_, 64, 36), "");
    EXPECT_EQ(lab.step(0), "");
    EXPECT_EQ(walking.advanced, 0) << "its hierarchy takes longer than nothing";
    for (int i = 0; i < 10000 && !lab.study().items[0].result; ++i) lab.step(20);
    EXPECT_TRUE(lab.study().items[0].result);
}

/// Fails after some passes, as a GPU does that falls off.
class FailingRenderer : public BareRenderer {
public:
    DeviceInfo device() const override { return {"failing", ""}; }
    void setScene(const SharedScene&) override {}
    std::string unsupported(const Settings&) const override { return {}; }
    FrameStats advance(const Settings&, const Camera&, MadeUpSession&, double) override {
        throw std::runtime_error("an illegal memory access");
    }
};

TEST_F(LaboratoryTest, AFailingDeviceEndsTheExperimentWithASentence) {
    Laboratory lab([] {
        Machine machine;
        machine.cpu = std::make_unique<FailingRenderer>();
        return machine;
    });
    ASSERT_EQ(lab.start(sweepOf("scene_layout", "none"), state_, 64, 36), "");
    std::string message;
    while (lab.running()) message = lab.step(5);
    EXPECT_NE(message.find("illegal memory access"), std::string::npos);
}

TEST_F(LaboratoryTest, ARecordIsSavedAsTwoFilesWithFreshNames) {
    ASSERT_EQ(lab_.start(sweepOf("scene_layout", "none"), state_, 64, 36), "");
    work();
    const auto folder = std::filesystem::path(testing::TempDir()) / "laboratory";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    for (int i = 0; i < 2; ++i) {
        const std::string stem =
            freshStem(folder.string(), stemOf(*lab_.shown()), {".json", ".csv"});
        EXPECT_EQ(save(*lab_.shown(), stem), "");
    }
    int json = 0, csv = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path());
        if (entry.path().extension() == ".json")
            json += nlohmann::json::parse(file).at("kind") == "sweep";
        else
            csv += entry.path().extension() == ".csv";
    }
    EXPECT_EQ(json, 2);
    EXPECT_EQ(csv, 2);
    EXPECT_NE(save(*lab_.shown(), "/nowhere/at/all"), "");
}

TEST_F(LaboratoryTest, AScreenshotCarriesTheResults_long) {
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(lab_.start(sweepOf("scene_layout", "none"), state_, 64, 36), "");
        work();
    }
    const nlohmann::json here = resultsOf(lab_.history(), state_);
    ASSERT_EQ(here.size(), 2u);
    EXPECT_FALSE(here[0].at("state").contains("scene")) << "the screenshot has it";
    EXPECT_EQ(here[0].at("items").size(), 2u);
    State other = state_;
    other.scene = sceneNamed("card");
    EXPECT_EQ(resultsOf(lab_.history(), other)[0].at("state").at("scene").at("name"), "vt9");
}

TEST_F(LaboratoryTest, AScreenshotCarriesResultsOfLargeScenesOnlyAsFarAsTheyFit_long) {
    LabHistory history;
    const auto found = [&](const char* date, std::size_t spheres) {
        LabRecord record;
        record.date = date;
        record.state = state_;
        auto sphere = state_.scene->spheres[0];
        sphere.center = {1. / 3, 1. / 7, 1. / 9};  // long numbers: some 150 bytes a sphere
        record.state.scene.change([&](Scene& scene) { scene.spheres.resize(spheres, sphere); });
        history.push_back(std::make_shared<const LabRecord>(record));
    };
    found("1", 5);
    found("2", 99999);
    found("3", 100000);
    found("4", state_.scene->spheres.size());
    const auto dates = [&](const State& state) {
        std::string all;
        for (const nlohmann::json& report : resultsOf(history, state))
            all += report.at("date").get<std::string>();
        return all;
    };
    EXPECT_EQ(dates(state_), "431");
    EXPECT_EQ(dates(history[2]->state), "4321");
}

/// B is `speed` times as fast in samples a second, with a picture of `noise` times A's variance.
StudyItem answered(const std::string& name, double speed, Verdict verdict, double noise = 1) {
    StudyItem item;
    item.name = name;
    item.group = "light_sampling";
    PairResult& result = item.result.emplace();
    result.speed.samples = result.speed.rays = {speed, .99 * speed, 1.01 * speed};
    result.speed.measurable = speed != 1;
    for (int i = 0; i < 2; ++i) {
        Measurement& side = result.speed.sides[static_cast<size_t>(i)];
        side.width = side.height = 16;
        side.noise = Noise{i == 0 ? 1 : noise, .02};
    }
    result.work.emplace().verdict = verdict;
    return item;
}

/// More rays a second are no gain where each is worth less.
TEST(LabRows, WhereSamplesDifferInWorkTheEfficiencyRanks) {
    colors::accent = {1, 0, 0, 1};
    colors::text = {0, 1, 0, 1};
    colors::warning = {0, 0, 1, 1};
    Study study;
    study.kind = "switches";
    study.items = {answered("light_sampling=off", 1.34, Verdict::sameExpectation, 2),
                   answered("depth=3", 3, Verdict::different),
                   answered("opt=O3", 1.1, Verdict::sameRays),
                   answered("sampling=closed_form", .9, Verdict::sameExpectation, .5),
                   answered("path=stack", .8, Verdict::identical)};
    StudyItem& impossible = study.items.emplace_back();
    impossible.name = "compaction=device";
    impossible.problem = "there is none";
    std::vector<std::string> words;
    for (const size_t i : orderOf(study, -1))
        words.push_back(study.items[i].name + " " + ratioWord(study.items[i]));
    EXPECT_EQ(words, (std::vector<std::string>{"sampling=closed_form 1.80x", "opt=O3 1.10x",
                                               "path=stack 0.80x", "light_sampling=off 0.67x",
                                               "depth=3 3.00x", "compaction=device \u2013"}));
    const auto color = [&](size_t i) { return packed(ratioColor(study.items[i])); };
    EXPECT_EQ(color(0), packed(colors::text)) << "rays a second are no gain";
    EXPECT_EQ(color(1), packed(colors::warning));
    EXPECT_EQ(color(2), packed(colors::accent));
    EXPECT_EQ(color(3), packed(colors::accent)) << "fewer rays a second, less noise";
    EXPECT_EQ(color(4), packed(colors::text));
    EXPECT_EQ(bestOf(&study, *findAxis("light_sampling")), &study.items[3]);
    EXPECT_NE(rowOf(study, study.items[0]).find("efficiency 0.670x"), std::string::npos);
    // that nobody has compared
    study.items[0].result->work.reset();
    EXPECT_TRUE(worthOf(study.items[0])) << "both have the same paths";
    study.items[0].b.variant.lightSampling = true;
    EXPECT_FALSE(worthOf(study.items[0]));
    EXPECT_NE(color(0), packed(colors::accent));
}

TEST_F(LaboratoryTest, AClickTakesTheSettings) {
    Backends backends(makeCpuRenderer(), nullptr);
    backends.setScene(state_.scene);
    const Scene scene = state_.scene;
    MadeUpWindow window(backends, state_);
    LabTab tab([] { return openMachine(); });
    Settings settings = cpuSettings(scene, {"scene_layout=aos"});
    tab.take(settings, scene, window.frame);
    EXPECT_EQ(window.said(), "");
    EXPECT_EQ(valueOf(*findAxis("scene_layout"), state_.settings), "aos");

    tab.take(settings, sceneNamed("card"), window.frame);
    EXPECT_EQ(window.said(), "");
    EXPECT_EQ(state_.scene->name, "card");

    settings.backend = Backend::cuda;
    tab.take(settings, state_.scene, window.frame);
    EXPECT_NE(window.said(), "");
    EXPECT_EQ(state_.settings.backend, Backend::cpu);
}

}  // namespace
}  // namespace rayscope
