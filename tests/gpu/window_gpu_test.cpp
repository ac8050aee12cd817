// The real window on a GPU: what the CPU alone cannot show. Skips where there is no GPU or no
// display.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "renderer/compile/kernel_sources.h"
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

/// The window on vt9 with a copy of the kernels that a test edits.
class EditedKernelOnGpu : public testing::Test {
protected:
    void SetUp() override {
        if (const std::string reason = reasonToSkip(); !reason.empty()) GTEST_SKIP() << reason;
        ASSERT_EQ(copyKernelSources(folder_.string()).reason(), "");
        source_ = *readFile(file_, 1 << 20);
        session_ = std::make_unique<Session>(
            std::vector<std::string>{"--backend", "cuda", "--scene", "vt9", "--kernels",
                                     folder_.string()},
            1280, 800);
        ASSERT_TRUE(session_->waitFor(traces, 60)) << session_->output();
        ASSERT_EQ(session_->status()["backend"], "cuda");
    }
    void TearDown() override {
        if (session_) {
            EXPECT_TRUE(session_->quit()) << session_->output();
        }
        fs::remove_all(folder_);
    }

    /// Saves the kernels with a statement where paths begin.
    void saveWith(const std::string& statement) {
        std::string source = source_;
        const size_t at = source.find("        startPath<V>(launch, pixel, sample, rng);\n");
        ASSERT_NE(at, std::string::npos);
        std::ofstream(file_) << source.insert(at, statement);
    }

    std::unique_ptr<Session> session_;

private:
    const fs::path folder_ =
        fs::temp_directory_path() / ("rayscope-edited-" + std::to_string(getpid()));
    const std::string file_ = (folder_ / "renderer/core/path.h").string();
    std::string source_;
};

TEST_F(EditedKernelOnGpu, ThatNeverEndsIsNamedAndTheWindowLivesOn) {
    Session& session = *session_;
    const auto says = [](const char* words) {
        return [words](const json& s) {
            return s["toast"].get<std::string>().find(words) != std::string::npos;
        };
    };
    saveWith("        while (launch.width > 0) __nanosleep(100);\n");
    const long frame = session.status()["frame"];
    ASSERT_TRUE(session.waitFor(says("its kernel was ended"), 60)) << session.status()["toast"];
    EXPECT_TRUE(says("the last good kernel goes on")(session.status()));
    EXPECT_EQ(session.status()["backend"], "cuda");
    EXPECT_GT(session.status()["frame"], frame + 100) << "the window stood still meanwhile";
    saveWith("        if (launch.width == 7) rng = {};\n");
    EXPECT_TRUE(session.waitFor(says("compiled again"), 60)) << session.status()["toast"];
    EXPECT_TRUE(session.waitFor(traces));
}

// Last: on an H200 the windows that came after it waited 19 s for a frame of OpenGL.
TEST_F(EditedKernelOnGpu, ThatFailsLeavesTheCpu) {
    Session& session = *session_;
    // an address that nobody has, but not in the sample that the kernel is tried with
    saveWith("        if (sample > 40) *reinterpret_cast<volatile int*>(8) = 1;\n");
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
}

}  // namespace
}  // namespace rayscope::test
