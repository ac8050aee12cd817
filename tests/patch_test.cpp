// Differences of edited kernel sources, as screenshots carry them. Neither GPU nor toolkit.

#include "renderer/code/patch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "renderer/base/files.h"
#include "renderer/base/run_program.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/code/carried_kernels.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<KernelSource>;

TEST(Patch, IsWhatDiffWrites) {
    const Files before{{"core/a.h", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"},
                       {"core/b.h", "same\n"}};
    Files after = before;
    after[0].text = "one\ntwo\nthree\nfour\n5\nsix\nseven\neight\nnine";
    EXPECT_EQ(
        patchOf(before, after),
        "--- a/core/a.h\n+++ b/core/a.h\n@@ -2,7 +2,8 @@\n two\n three\n four\n-five\n+5\n six\n"
        " seven\n eight\n+nine\n\\ No newline at end of file\n");
    EXPECT_EQ(patchOf(before, before), "");
    EXPECT_EQ(filesOfPatch(patchOf(before, after)), std::vector<std::string>{"core/a.h"});
}

std::string randomText(std::mt19937& random, int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i)
        text += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    if (random() % 3 == 0 && !text.empty()) text.pop_back();
    return text;
}

/// Whatever changes, the patch gives it back.
TEST(Patch, OfAnyTwoTextsGivesTheSecond) {
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        Files before, after;
        for (const char* name : {"a.h", "b/c.cu"}) {
            before.push_back({name, randomText(random, static_cast<int>(random() % 30))});
            after.push_back({name, randomText(random, static_cast<int>(random() % 30))});
        }
        const std::string patch = patchOf(before, after);
        const auto made = patched(before, patch);
        ASSERT_TRUE(made) << made.reason() << "\n" << patch;
        EXPECT_EQ(*made, after) << patch;
    }
}

TEST(Patch, IsReadByThePatchProgram) {
    const std::string program = findProgram("patch", {});
    if (program.empty()) GTEST_SKIP() << "there is no program named patch";
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-patch-" + std::to_string(getpid()));
    fs::create_directories(folder);
    std::mt19937 random(2);
    for (int i = 0; i < 20; ++i) {
        const Files before{{"a.h", randomText(random, 20)}}, after{{"a.h", randomText(random, 22)}};
        ASSERT_TRUE(writeTextFile((folder / "a.h").string(), before[0].text));
        ASSERT_TRUE(writeTextFile((folder / "p").string(), patchOf(before, after)));
        const auto ran =
            runProgram({program, "-p1", "-s", "-d", folder.string(), "-i", "p"}, 4096, {});
        ASSERT_TRUE(ran);
        EXPECT_EQ(ran->text, "");
        EXPECT_EQ(*readFile((folder / "a.h").string(), 4096), after[0].text);
    }
    fs::remove_all(folder);
}

TEST(Patch, ThatDoesNotFitIsASentence) {
    const Files files{{"a.h", "1\n2\n3\n"}};
    const std::string head = "--- a/a.h\n+++ b/a.h\n";
    ASSERT_TRUE(patched(files, head + "@@ -2,1 +2,1 @@\n-2\n+x\n"));
    for (const char* wrong : {"@@ -2,1 +2,1 @@\n-x\n+2\n", "@@ -9,1 +9,1 @@\n-2\n+x\n",
                              "@@ -2,1 +2,1 @@\n-2\n", "@@ -2,1 +2,2 @@\n-2\n+x\n", "@@ 2 @@\n-2\n",
                              "@@ -3,1 +3,0 @@\n-3\n@@ -1,1 +1,0 @@\n-1\n", "@@ -0,1 +0,1 @@\n-1\n",
                              "@@ -99999999999,1 +1,1 @@\n-1\n", "@@ -2,9 +2,9 @@\n 2\n 3\n",
                              "@@ -2,1 +2,1 @@\n\n\n", "nonsense\n"}) {
        const auto made = patched(files, head + wrong);
        EXPECT_TRUE(!made || *made == files) << wrong;
        EXPECT_TRUE(made || made.reason().find("does not fit") != std::string::npos) << wrong;
    }
    EXPECT_FALSE(
        patched(files, "--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -0,0 +1,1 @@\n+x\n"));
    EXPECT_FALSE(patched(files, "--- a/a.h\n+++ b/b.h\n"));
    EXPECT_FALSE(patched(files, "--- a/a.h\n"));
}

/// Files change around the lines that a patch is about.
TEST(Patch, FindsLinesThatHaveMoved) {
    const std::string patch =
        "diff -ru a/a.h b/a.h\n--- a/a.h\t2026-01-31\n+++ b/a.h\t2026-02-01\n"
        "@@ -2 +2,2 @@\n-two\n+2\n+2.5\n@@ -4,2 +5,1 @@\n four\n-five\n";
    const Files written{{"a.h", "one\ntwo\nthree\nfour\nfive\n"}};
    const Files changed{{"a.h", "one\n2\n2.5\nthree\nfour\n"}};
    const auto exact = patched(written, patch);
    ASSERT_TRUE(exact) << exact.reason();
    EXPECT_EQ(*exact, changed);
    EXPECT_EQ(*patched(written, patch, PatchLines::moved), changed);
    EXPECT_EQ(filesOfPatch(patch), std::vector<std::string>{"a.h"});

    const Files moved{{"a.h", "new\none\ntwo\nthree\nnew\nfour\nfive\n"}};
    EXPECT_FALSE(patched(moved, patch));
    const auto found = patched(moved, patch, PatchLines::moved);
    ASSERT_TRUE(found) << found.reason();
    EXPECT_EQ((*found)[0].text, "new\none\n2\n2.5\nthree\nnew\nfour\n");

    const Files gone{{"a.h", "one\nTWO\nthree\nfour\nfive\n"}};
    EXPECT_EQ(patched(gone, patch, PatchLines::moved).reason(),
              "line 4 of the difference does not fit these kernel sources: its lines are no longer "
              "there");
    const Files twice{{"a.h", "new\ntwo\ntwo\nthree\nfour\nfive\nsix\n"}};
    EXPECT_TRUE(patched(twice, patch, PatchLines::moved)) << "where it says";
    const Files either{{"a.h", "two\nnew\ntwo\nthree\nfour\nfive\n"}};
    EXPECT_NE(patched(either, patch, PatchLines::moved).reason().find("there twice"),
              std::string::npos);
    const Files before{{"a.h", "four\nfive\none\ntwo\n"}};
    EXPECT_FALSE(patched(before, patch, PatchLines::moved)) << "hunks keep their order";
}

/// A screenshot carries what was edited; what is read of it compiles nothing.
TEST(Patch, IsCarriedByAState) {
    if (embeddedKernelSources().empty()) GTEST_SKIP() << "built without the CUDA toolkit";
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-carried-" + std::to_string(getpid()));
    const std::string name = "renderer/core/path.h";
    ASSERT_EQ(copyKernelSources(folder.string(), name).reason(), "");
    const std::string text = *readFile((folder / name).string(), 1 << 20);
    ASSERT_TRUE(writeTextFile((folder / name).string(), text + "// mine\n"));
    ASSERT_EQ(setKernelSourceDirectory(kMine, folder.string()).reason(), "");
    State state;
    state.scene = sceneNamed("vt9");
    state.camera = state.scene->camera;
    state.settings = defaultSettings(Backend::cuda, state.scene);
    EXPECT_TRUE(withPatches(state).patches.empty()) << "nothing edited is used";
    state.settings.source = kMine;
    const State carried = withPatches(state);
    ASSERT_TRUE(carried.patches.contains("mine"));
    const auto read = stateFromJson(toJson(carried));
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(*read, carried);
    EXPECT_EQ(*patched(embeddedKernelSources(), read->patches.at("mine")), kernelSources(kMine));

    ASSERT_TRUE(
        writeTextFile((folder / name).string(), text + std::string(kMostPatchBytes, '/') + "\n"));
    EXPECT_TRUE(withPatches(state).patches.empty()) << "too much for a screenshot";
    ASSERT_TRUE(writeTextFile((folder / name).string(), text + "// \x1b[31m\n"));
    EXPECT_TRUE(withPatches(state).patches.empty()) << "a terminal would obey";
    EXPECT_TRUE(setKernelSourceDirectory(kMine, ""));
    fs::remove_all(folder);
    nlohmann::json wrong = toJson(carried);
    for (const nlohmann::json& value :
         {nlohmann::json(3), nlohmann::json(std::string(kMostPatchBytes + 1, 'x')),
          nlohmann::json("\x1b[31m")}) {
        wrong["kernels"]["mine"] = value;
        EXPECT_FALSE(stateFromJson(wrong));
    }
    wrong["kernels"] = {{"built_in", "x"}};
    EXPECT_FALSE(stateFromJson(wrong));
    wrong["kernels"] = {{"../mine", "x"}};
    EXPECT_FALSE(stateFromJson(wrong));
}

}  // namespace
}  // namespace rayscope
