// Rungs that the user adds to a ladder of their own.

#include "renderer/lab/own_ladder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

class OwnLadder : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }

    Settings with(std::vector<std::string> words, Backend backend = Backend::cuda) const {
        Settings settings = defaultSettings(backend, scene_);
        assignAll(settings, words);
        return settings;
    }
    /// Adds it, and expects the file to say these settings.
    int add(const SharedScene& scene, const Settings& settings) {
        const auto added = addRung(file_, scene, settings);
        EXPECT_TRUE(added) << added.reason();
        if (!added) return -1;
        const Ladder ladder = read();
        const auto found = findScene(ladder.rungs.back().scene);
        EXPECT_TRUE(found && *found == *scene);
        Settings expected = canonical(settings);
        Settings got = settingsOf(ladder, *added, scene, Backend::cpu);
        expected.display = got.display;
        EXPECT_EQ(describe(got), describe(expected));
        return *added;
    }
    Ladder read() const {
        const auto ladder = findLadder(file_);
        EXPECT_TRUE(ladder) << ladder.reason();
        return ladder ? *ladder : Ladder{};
    }

    const fs::path folder_ =
        fs::temp_directory_path() / ("rayscope-own-" + std::to_string(getpid()));
    const std::string file_ = (folder_ / "mine.json").string();
    SharedScene scene_ = sceneNamed("vt9");
};

TEST_F(OwnLadder, GrowsByWhatDiffers) {
    EXPECT_EQ(add(scene_, with({})), 0);
    EXPECT_EQ(add(scene_, with({"math=precise"})), 1);
    setSourceFolder(kMine, "/somewhere");
    Settings mine = with({"math=precise"});
    mine.source = kMine;
    EXPECT_EQ(add(scene_, mine), 2);
    const Ladder ladder = read();
    EXPECT_EQ(ladder.rungs[1].changes, (Assignments{{"math", "precise"}}));
    EXPECT_EQ(ladder.rungs[2].changes, (Assignments{{"source", "mine"}}));
    EXPECT_EQ(ladder.rungs[2].name, "source=mine");
    EXPECT_FALSE(addRung(file_, scene_, mine)) << "nothing is new";
    EXPECT_EQ(add(scene_, with({"math=precise"})), 3) << "and back";
    EXPECT_EQ(add(scene_, mine), 4);
    EXPECT_EQ(read().rungs[4].name, "source=mine 2");
    setSourceFolder(kMine, "");
}

/// Whatever follows on whatever, the file says what was added.
TEST_F(OwnLadder, SaysAnySettings) {
    int expected = 0;
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"engine=wavefront"}, {"engine=regeneration"}, {"path=stack"}, {"accel=bvh"}, {}})
        EXPECT_EQ(add(scene_, with(words)), expected++);
    EXPECT_EQ(add(scene_, with({}, Backend::cpu)), expected++);
    EXPECT_EQ(add(scene_, with({"engine=wavefront", "compaction=device"})), expected++);
    EXPECT_EQ(add(scene_, with({"engine=packets"}, Backend::cpu)), expected++);
}

TEST_F(OwnLadder, KeepsTheScene) {
    SharedScene edited = scene_;
    edited.change([](Scene& scene) {
        scene.name = "vt9-edited";
        scene.spheres.pop_back();
    });
    add(scene_, with({}));
    add(edited, with({}));
    EXPECT_TRUE(fs::exists(folder_ / "mine-vt9-edited.json"));
    edited.change([](Scene& scene) { scene.spheres.pop_back(); });
    add(edited, with({}));
    EXPECT_TRUE(fs::exists(folder_ / "mine-vt9-edited-2.json")) << "another scene of the same name";
    add(scene_, with({}));
}

TEST_F(OwnLadder, KeepsTheFigure) {
    add(scene_, with({}));
    RungResult result;
    result.rung = 0;
    result.value.median = 55.096e9;
    result.measured.device.name = "NVIDIA H200";
    ASSERT_TRUE(keepFigure(file_, result));
    const Rung rung = read().rungs[0];
    ASSERT_TRUE(rung.published);
    EXPECT_NEAR(rung.published->base(), 55.096e9, 1e7);
    EXPECT_EQ(rung.published->device, "NVIDIA H200");
    EXPECT_EQ(add(scene_, with({"math=precise"})), 1) << "it is a ladder still";
}

TEST_F(OwnLadder, LeavesWhatIsNoLadder) {
    std::ofstream(file_) << "{\"title\": 3}\n";
    const auto added = addRung(file_, scene_, with({}));
    ASSERT_FALSE(added);
    EXPECT_NE(added.reason().find("title"), std::string::npos) << added.reason();
    std::ofstream(file_) << "not JSON";
    EXPECT_FALSE(addRung(file_, scene_, with({})));
    std::ifstream in(file_);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "not JSON");
}

}  // namespace
}  // namespace rayscope
