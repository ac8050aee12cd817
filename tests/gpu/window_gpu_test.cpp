// The real window on a GPU: what the CPU alone cannot show. Skips where there is no GPU or no
// display.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "renderer/backend/kernel_sources.h"
#include "renderer/backend/renderer.h"
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

// Last: on an H200 the windows that came after it waited 19 s for a frame of OpenGL.
TEST(WindowGpu, AKernelThatFailsLeavesTheCpu) {
    if (const std::string reason = reasonToSkip(); !reason.empty()) GTEST_SKIP() << reason;
    const fs::path folder =
        fs::temp_directory_path() / ("rayscope-failing-" + std::to_string(getpid()));
    ASSERT_EQ(copyKernelSources(folder.string()).reason(), "");
    const fs::path file = folder / "renderer/core/path.h";
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    std::string source = text.str();
    const std::string place = "        startPath<V>(launch, pixel, sample, rng);\n";
    const size_t at = source.find(place);
    ASSERT_NE(at, std::string::npos);

    Session session({"--backend", "cuda", "--scene", "vt9", "--kernels", folder.string()}, 1280,
                    800);
    ASSERT_TRUE(session.waitFor(traces, 60)) << session.output();
    ASSERT_EQ(session.status()["backend"], "cuda");
    // an address that nobody has
    source.insert(at, "        if (launch.width > 0) *reinterpret_cast<volatile int*>(8) = 1;\n");
    std::ofstream(file) << source;
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
