// The real window on a GPU: what the CPU alone cannot show. Skips where there is no GPU or no
// display.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "renderer/backend/kernel_sources.h"
#include "renderer/backend/renderer.h"
#include "renderer/base/files.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string reasonToSkip() {
    if (std::string reason = Session::missing(); !reason.empty()) return reason;
    return cudaDevices().empty() ? "there is no GPU" : "";
}

bool traces(const json& status) {
    return status["samples"] >= 1 && !status["settings"].empty();
}

TEST(WindowGpu, TheBufferIsRegisteredAgainInEverySize) {
    if (const std::string reason = reasonToSkip(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cuda", "--scene", "vt9"}, 960, 600);
    ASSERT_TRUE(session.waitFor(traces, 60)) << session.output();
    const json display = session.status()["display"];
    for (const auto& [width, height] : {std::pair{1, 1},
                                        {1900, 1000},
                                        {333, 777},
                                        {64, 48},
                                        {1280, 720},
                                        {1281, 721},
                                        {960, 600}}) {
        session.resize(width, height);
        EXPECT_TRUE(session.waitFor([&, width = width, height = height](const json& s) {
            return s["window"] == json{width, height} && s["film"] == s["framebuffer"] && traces(s);
        })) << width
            << " x " << height;
    }
    EXPECT_EQ(session.status()["display"], display) << session.status()["toast"];
    EXPECT_EQ(session.status()["backend"], "cuda");
    EXPECT_TRUE(session.quit()) << session.output();
}

TEST(WindowGpu, AnotherGpuTakesOver) {
    if (const std::string reason = reasonToSkip(); !reason.empty()) GTEST_SKIP() << reason;
    if (cudaDevices().size() < 2) GTEST_SKIP() << "there is one GPU";
    Session session({"--backend", "cuda", "--scene", "vt9"}, 1280, 800);
    ASSERT_TRUE(session.waitFor(traces, 60)) << session.output();
    for (const char* gpu : {"gpu.1", "gpu.0"}) {
        ASSERT_TRUE(session.click("gpu"));
        ASSERT_TRUE(session.waitFor([&](const json& s) { return s["drawn"].contains(gpu); }));
        ASSERT_TRUE(session.click(gpu));
        ASSERT_TRUE(session.waitFor([&](const json& s) {
            return !s["drawn"].contains(gpu) && s["backend"] == "cuda" && traces(s);
        })) << gpu
            << session.status()["toast"];
    }
    EXPECT_TRUE(session.quit()) << session.output();
}

/// Saves the file with a statement where paths begin, or as it was.
void saveWith(const std::string& file, const std::string& before, const std::string& statement) {
    std::string source = before;
    const size_t at = source.find("        startPath<V>(launch, pixel, sample, rng);\n");
    ASSERT_NE(at, std::string::npos);
    std::ofstream(file) << source.insert(at, statement);
}

TEST(WindowGpu, AKernelThatNeverEndsIsNamedAndTheWindowLivesOn) {
    if (const std::string reason = reasonToSkip(); !reason.empty()) GTEST_SKIP() << reason;
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-endless-" + std::to_string(getpid()));
    ASSERT_EQ(copyKernelSources(folder.string()).reason(), "");
    const std::string file = (folder / "renderer/core/path.h").string();
    const std::string before = *readFile(file, 1 << 20);
    Session session({"--backend", "cuda", "--scene", "vt9", "--kernels", folder.string()}, 1280,
                    800);
    ASSERT_TRUE(session.waitFor(traces, 60)) << session.output();
    const auto says = [](const char* words) {
        return [words](const json& s) {
            return s["toast"].get<std::string>().find(words) != std::string::npos;
        };
    };
    saveWith(file, before,
             "        while (*reinterpret_cast<volatile const int*>(&launch.width) > 0) {}\n");
    const long frame = session.status()["frame"];
    ASSERT_TRUE(session.waitFor(says("its kernel was ended"), 60)) << session.status()["toast"];
    EXPECT_TRUE(says("the last good kernel goes on")(session.status()));
    EXPECT_EQ(session.status()["backend"], "cuda");
    EXPECT_GT(session.status()["frame"], frame + 100) << "the window stood still meanwhile";
    saveWith(file, before, "        if (launch.width == 7) rng = {};\n");
    EXPECT_TRUE(session.waitFor(says("compiled again"), 60)) << session.status()["toast"];
    EXPECT_TRUE(session.waitFor(traces));
    EXPECT_TRUE(session.quit()) << session.output();
    fs::remove_all(folder);
}

// Last: on an H200 the windows that came after it waited 19 s for a frame of OpenGL.
TEST(WindowGpu, AKernelThatFailsLeavesTheCpu) {
    if (const std::string reason = reasonToSkip(); !reason.empty()) GTEST_SKIP() << reason;
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-failing-" + std::to_string(getpid()));
    ASSERT_EQ(copyKernelSources(folder.string()).reason(), "");
    const std::string file = (folder / "renderer/core/path.h").string();
    Session session({"--backend", "cuda", "--scene", "vt9", "--kernels", folder.string()}, 1280,
                    800);
    ASSERT_TRUE(session.waitFor(traces, 60)) << session.output();
    ASSERT_EQ(session.status()["backend"], "cuda");
    // an address that nobody has, but not in the sample that the kernel is tried with
    saveWith(file, *readFile(file, 1 << 20),
             "        if (sample > 40) *reinterpret_cast<volatile int*>(8) = 1;\n");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["backend"] == "cpu"; }, 60))
        << session.output();
    EXPECT_TRUE(session.waitFor(traces));
    const std::string toast = session.status()["toast"];
    EXPECT_NE(toast.find("going on with the CPU"), std::string::npos) << toast;
    // what asks for the GPU again has a sentence
    for (const char* tab : {"tab.lab", "tab.why", "tab.scene", "tab.ladder"}) {
        ASSERT_TRUE(session.click(tab)) << tab;
        const long frame = session.status()["frame"];
        EXPECT_TRUE(session.waitFor([&](const json& s) { return s["frame"] > frame + 5; })) << tab;
    }
    EXPECT_TRUE(session.quit()) << session.output();
    fs::remove_all(folder);
}

}  // namespace
}  // namespace rayscope::test
