// Maps and the Why tab as they are seen: the presenter's colours, and the real program.

#include <glad/gl.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "renderer/film/false_color.h"
#include "renderer/film/image_files.h"
#include "tests/back_buffer.h"
#include "tests/viewer_session.h"
#include "ui/present.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

/// The window's colours are those of the file that the command line writes, rows from the top.
TEST(WhyWindow, MapsHaveTheColoursOfTheCommandLine) {
    if (!VirtualDisplay::available()) GTEST_SKIP() << "Xvfb is not installed (package xvfb)";
    const VirtualDisplay server;
    setenv("DISPLAY", server.name().c_str(), 1);
    Window window("test", 64, 48, false);
    Presenter presenter(std::string(RAYSCOPE_SOURCE_DIR) + "/shaders");
    CostMap map{64, 48, std::vector<float>(64 * 48, 1), 8, ""};
    for (int x = 0; x < 64; ++x) map.values[static_cast<size_t>(x)] = 4.5f;  // the topmost row
    const auto expect = [&](int y, size_t value) {
        const Picture wanted = falseColors(map);
        const std::array<int, 3> seen = pixelAt(30, y);
        for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(seen[c], wanted.rgb[3 * value + c], 1.1);
    };
    presenter.drawMap(map, 1, {64, 48});
    expect(47, 0);
    expect(10, 64);
    map.values.assign(map.values.size(), 7);
    presenter.drawMap(map, 2, {64, 48});
    expect(47, 0);
    expect(10, 64);
}

TEST(WhyWindow, TheTabAndTheMapsFollowAtRest) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--scene", "vt9", "--backend", "cpu"}, 1280, 720);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 0; }));
    ASSERT_TRUE(session.click("tab.why"));
    EXPECT_TRUE(session.waitFor([](const json& s) {
        return s["why"]["lanes"] > .2 && s["drawn"].contains("plot.divergence");
    }));
    EXPECT_TRUE(session.status()["drawn"].contains("why.model")) << "a CPU has no warps";
    if (!session.status()["drawn"].contains("view.shown")) {  // folded, as the window is low
        ASSERT_TRUE(session.click("group.View"));
    }
    ASSERT_TRUE(session.click("view.shown"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("view.shown.1"); }));
    ASSERT_TRUE(session.click("view.shown.1"));
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("legend.map"); }));
    EXPECT_EQ(session.status()["view"]["shown"], "rays");
    const auto state = readState(session.screenshot());
    ASSERT_TRUE(state) << state.reason();
    EXPECT_EQ(state->view.shown, Shown::rays);
    const int maps = session.status()["why"]["maps"];
    session.act("keydown w sleep .3 keyup w");
    EXPECT_TRUE(session.waitFor([&](const json& s) {
        return s["why"]["maps"] > maps && s["drawn"].contains("legend.map");
    }));
}

TEST(WhyWindow, WithoutAGpuTheCountersPageSaysSo) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--scene", "vt9", "--backend", "cpu"}, 1280, 720);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 0; }));
    ASSERT_TRUE(session.click("tab.why"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("why.counters"); }));
    ASSERT_TRUE(session.click("why.counters"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("button.count"); }));
    EXPECT_FALSE(session.status()["drawn"]["button.count"][4].get<bool>());
    ASSERT_TRUE(session.click("why.paths"));
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("why.lanes"); }));
    EXPECT_EQ(session.status()["why"]["counts"], 0);
}

}  // namespace
}  // namespace rayscope::test
