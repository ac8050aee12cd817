// The Code tab as it is seen: the real program.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "renderer/base/files.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/choices/state.h"
#include "renderer/code/patch.h"
#include "renderer/lab/lesson.h"
#include "renderer/scene/json.h"
#include "tests/run_time_compiler.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

#define SKIP_WHERE_MISSING()                                                                    \
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason; \
    SKIP_WITHOUT_NVRTC()

bool drawn(const json& status, const char* name) {
    return status["drawn"].contains(name);
}

/// Kernels of packets are in a header.
const std::vector<std::string> kSinglePaths{"--scene", "vt9",   "--backend",
                                            "cpu",     "--set", "engine=megakernel"};

TEST(CodeWindow, ShowsTheKernelAndWhatDiffersFromA) {
    SKIP_WHERE_MISSING();
    Session session(kSinglePaths, 1280, 720);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 0; }));
    ASSERT_TRUE(session.click("tab.code"));
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["code"]["pairs"] == 1 && drawn(s, "code.text") && s["code"]["rows"] > 50;
    })) << session.status()["code"];
    EXPECT_EQ(session.status()["code"]["problem"], "");
    EXPECT_EQ(session.status()["code"]["kernels"], json::array({"megakernel"}));

    EXPECT_FALSE(drawn(session.status(), "code.ptx")) << "a CPU has none";
    ASSERT_TRUE(session.click("code.sass"));
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["code"]["rows"] > 500; }));
    ASSERT_TRUE(session.click("code.search"));
    session.act("type mulss");
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["code"]["found"] > 50; }));
    const int before = session.status()["code"]["first_line"];
    session.act(
        "keydown Return sleep .3 keyup Return sleep .3 keydown Return sleep .3 keyup Return");
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["code"]["first_line"] != before; }));
    ASSERT_TRUE(session.click("panel.status"));  // so that keys are no text any more
    session.act("key p");
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return !s["pinned"].is_null() && s["code"]["relation"] == "noise";
    })) << session.status()["code"];
    ASSERT_TRUE(session.click("axis.precision"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return drawn(s, "axis.precision.double"); }));
    ASSERT_TRUE(session.click("axis.precision.double"));
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["code"]["relation"] == "different" && !s["code"]["busy"]; }));
    ASSERT_TRUE(session.click("code.diff"));
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["code"]["changes"] > 100; }));
}

TEST(CodeWindow, SamplesStandBesideTheirLines) {
    SKIP_WHERE_MISSING();
    Session session(kSinglePaths, 1280, 720);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 0; }));
    ASSERT_TRUE(session.click("tab.code"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["code"]["pairs"] == 1; }));
    ASSERT_TRUE(session.click("code.count"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return drawn(s, "code.hot.0"); }))
        << session.status()["code"] << session.output();
    EXPECT_GT(session.status()["code"]["hot"], 20);
    EXPECT_FALSE(drawn(session.status(), "code.idle")) << "a CPU has no warps";
    const int before = session.status()["code"]["first_line"];
    ASSERT_TRUE(session.click("code.hot.0"));
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["code"]["first_line"] != before; }));
}

TEST(CodeWindow, SourcesAreEditedInTheUsersEditorAndErrorsHaveTheirLine) {
    SKIP_WHERE_MISSING();
    Session session(kSinglePaths, 1280, 720);
    // An editor that notes its words, then breaks the file it was given.
    const std::string editor = session.folder() + "/editor";
    std::ofstream(editor) << "#!/bin/sh\necho \"$1\" \"$2\" > " << session.folder()
                          << "/words\necho 'int broken = ;' >> \"$2\"\n";
    chmod(editor.c_str(), 0755);
    setenv("RAYSCOPE_EDITOR", (editor + " +{line}").c_str(), 1);
    session.restart(kSinglePaths);
    unsetenv("RAYSCOPE_EDITOR");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 0; }));
    ASSERT_TRUE(session.click("tab.code"));
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["code"]["pairs"] == 1 && drawn(s, "code.edit"); }));
    ASSERT_TRUE(session.click("code.edit"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return drawn(s, "code.error.0"); }))
        << session.status()["code"];
    std::ifstream words(session.folder() + "/words");
    std::string line, file;
    words >> line >> file;
    EXPECT_EQ(line.front(), '+');
    EXPECT_TRUE(file.ends_with("/rayscope-kernels/renderer/cpu/kernels/paths.cpp")) << file;
    const std::string problem = session.status()["code"]["problem"];
    EXPECT_NE(problem.find("paths.cpp:"), std::string::npos) << problem;

    ASSERT_TRUE(session.click("code.error.0"));
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["code"]["first_line"] > 60; }))
        << session.status()["code"] << session.status()["drawn"]["code.text"];
    // Mended again: the code is back, without a click.
    std::ifstream in(file);
    std::string text(std::istreambuf_iterator<char>(in), {});
    text.resize(text.rfind("int broken"));
    std::ofstream(file) << text;
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["code"]["problem"] == ""; }));
}

/// A lesson where nothing can be measured: its task, its place in the code, and what an edit does
/// to the machine code.
TEST(CodeWindow, ALessonShowsItsTaskAndWhatMoves) {
    SKIP_WHERE_MISSING();
    const auto lesson = findLesson("doubles");
    ASSERT_TRUE(lesson) << lesson.reason();
    Session session({"lesson", "doubles", "--device", "200"}, 1280, 720);
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["samples"] > 0 && s.contains("lesson") && s["code"]["pairs"] == 1 &&
               drawn(s, "code.text") && drawn(s, "lesson.task");
    })) << session.output();
    EXPECT_EQ(session.status()["lesson"]["name"], "doubles");
    EXPECT_EQ(session.status()["lesson"]["changed"], false);
    EXPECT_EQ(session.status()["lesson"]["code"], 0) << "nothing has moved";
    const int line = lineOf(*lesson, *weakSources(*lesson));
    EXPECT_TRUE(session.waitFor([&](const json& s) {
        return std::abs(s["code"]["first_line"].get<int>() - line) <= 2;
    })) << session.status()["code"];

    const auto solved = solvedSources(*lesson);
    ASSERT_TRUE(solved) << solved.reason();
    const std::string folder = session.folder() + "/rayscope-lesson-doubles/";
    for (const KernelSource& source : *solved)
        ASSERT_TRUE(writeTextFile(folder + source.name, source.text));
    EXPECT_TRUE(session.waitFor([](const json& s) {
        return s["lesson"]["changed"] == true && s["lesson"]["code"] == 2;
    })) << session.status()["lesson"];
    EXPECT_EQ(session.status()["lesson"]["measured"], 0);
    ASSERT_TRUE(session.click("lesson.task"));
    EXPECT_TRUE(session.quit());
}

/// Somebody else's kernels: nothing of them is compiled before they have been seen.
TEST(CodeWindow, KernelsOfAPictureAreShownBeforeTheyAreUsed) {
    SKIP_WHERE_MISSING();
    Session session({"--scene", "vt9", "--backend", "cpu"}, 1280, 720);
    std::vector<KernelSource> edited = embeddedKernelSources();
    const auto path = std::ranges::find(edited, "renderer/core/path.h", &KernelSource::name);
    ASSERT_NE(path, edited.end());
    path->text += "int broken = ;\n";
    State state;
    state.scene = *findScene("vt9");
    state.camera = state.scene->camera;
    state.settings = defaultSettings(Backend::cpu, state.scene);
    state.settings.source = kMine;
    state.patches["mine"] = patchOf(embeddedKernelSources(), edited);
    const std::string file = session.folder() + "/picture.json";
    std::ofstream(file) << toJson(state);
    session.restart({file});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 0; }))
        << session.output();
    EXPECT_NE(session.status()["toast"].get<std::string>().find("source=mine"), std::string::npos)
        << session.status()["toast"];
    ASSERT_TRUE(session.click("tab.code"));
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["code"]["pairs"] == 1 && drawn(s, "code.offer.mine"); }));
    EXPECT_EQ(session.status()["code"]["offered"], json::array({"mine"}));
    EXPECT_EQ(session.status()["code"]["problem"], "") << "it has been compiled unseen";
    EXPECT_FALSE(drawn(session.status(), "code.use"));

    ASSERT_TRUE(session.click("code.offer.mine"));
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return drawn(s, "code.use") && s["code"]["rows"] == 7;
    })) << session.status()["code"];
    const std::string copy = session.folder() + "/rayscope-kernels/renderer/core/path.h";
    EXPECT_FALSE(std::filesystem::exists(copy));
    ASSERT_TRUE(session.click("code.use"));
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["code"]["problem"].get<std::string>().find("path.h:") != std::string::npos;
    })) << session.status()["code"];
    EXPECT_EQ(session.status()["code"]["offered"], json::array());
    EXPECT_EQ(*readFile(copy, 1 << 20), path->text);
}

}  // namespace
}  // namespace rayscope::test
