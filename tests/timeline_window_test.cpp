// The timeline in the real program under a virtual X server.

#include <gtest/gtest.h>

#include <fstream>

#include "tests/trace_format.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

TraceContents contentsOf(const std::string& path) {
    std::ifstream file(path);
    return checkTrace(json::parse(file, nullptr, false));
}

void expectFrames(const TraceContents& trace) {
    EXPECT_GT(trace.frames, 3);
    for (const char* name : {"frame", "poll", "panels", "trace", "map", "launch", "upload",
                             "present", "swap", "work"}) {
        EXPECT_TRUE(trace.zones.contains(name)) << name;
    }
    EXPECT_GT(trace.counters.at("rays/s"), 3);
    EXPECT_TRUE(trace.tracksWithZones.contains("main"));
    EXPECT_TRUE(trace.tracksWithZones.contains("OpenGL"));
}

TEST(TimelineWindow, ShowsZoomsPansPausesAndSaves) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "vt9"});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 30))
        << session.output();
    EXPECT_FALSE(session.status()["timeline"]["shown"].get<bool>());
    session.act("mousemove 480 200 key t");
    // the film is brought into its texture some times a second
    const double shown = session.status()["time"].get<double>() + 1;
    ASSERT_TRUE(session.waitFor(
        [&](const json& s) { return s["drawn"].contains("timeline.zones") && s["time"] > shown; }));
    EXPECT_GT(session.status()["timeline"]["events"], 60);
    const json drawn = session.status()["drawn"];
    EXPECT_LE(drawn["panel.timeline"][1].get<double>() + drawn["panel.timeline"][3].get<double>(),
              drawn["panel.status"][1]);

    ASSERT_TRUE(session.click("timeline.pause"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["timeline"]["paused"].get<bool>(); }));
    const json before = session.status()["timeline"];
    session.moveTo("timeline.zones");
    session.act("click --repeat 3 4");
    EXPECT_TRUE(session.waitFor([&](const json& s) {
        const json& t = s["timeline"];
        return t["from_ms"] > before["from_ms"] && t["until_ms"] < before["until_ms"];
    }));
    const json camera = session.status()["camera"], zoomed = session.status()["timeline"];
    session.act("mousedown 1 sleep 0.2 mousemove_relative 60 0 sleep 0.3 mouseup 1");
    EXPECT_TRUE(session.waitFor(
        [&](const json& s) { return s["timeline"]["until_ms"] < zoomed["until_ms"]; }));
    EXPECT_EQ(session.status()["camera"], camera) << "dragging flew the camera";
    EXPECT_EQ(session.status()["timeline"]["events"], before["events"]) << "it did not stand still";

    ASSERT_TRUE(session.click("timeline.save"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["trace"] != ""; }));
    const std::string path = session.status()["trace"];
    expectFrames(contentsOf(path.starts_with("/") ? path : session.folder() + "/" + path));

    ASSERT_TRUE(session.click("timeline.close"));
    EXPECT_TRUE(session.waitFor([](const json& s) {
        return !s["timeline"]["shown"].get<bool>() && !s["drawn"].contains("panel.timeline");
    }));
    ASSERT_TRUE(session.click("button.timeline"));
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["timeline"]["shown"].get<bool>(); }));
}

TEST(TimelineWindow, TheWholeRunIsWrittenWhenItEnds) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    const std::string path = testing::TempDir() + "rayscope-viewer-trace.json";
    std::remove(path.c_str());
    Session session({"--backend", "cpu", "--scene", "vt9", "--trace", path}, 640, 400);
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["frame"] > 60 && s["samples"] >= 4; }, 60));
    EXPECT_TRUE(session.quit()) << session.output();
    expectFrames(contentsOf(path));
}

}  // namespace
}  // namespace rayscope::test
