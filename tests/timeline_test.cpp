// Zones, counters and frame marks, the trace that is made of them, and the view in the window.

#include "renderer/base/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "renderer/profile/chrome_trace.h"
#include "tests/trace_format.h"
#include "ui/timeline_view.h"

namespace rayscope {
namespace {

using Kind = TimelineEvent::Kind;

class Kept : public testing::Test {
protected:
    void TearDown() override { stopTimeline(); }

    static std::vector<TimelineEvent> named(const Timeline& timeline, const std::string& name) {
        std::vector<TimelineEvent> found;
        for (const TimelineEvent& e : timeline.events) {
            if (e.name == name) found.push_back(e);
        }
        return found;
    }
    static void checkAsTrace(const Timeline& timeline) {
        test::checkTrace(nlohmann::json::parse(chromeTrace(timeline)));
    }
};

TEST_F(Kept, ZonesLieWithinEachOther) {
    startTimeline();
    {
        const Zone outer("outer");
        const Zone inner("inner");
    }
    const Timeline timeline = copyTimeline();
    ASSERT_EQ(timeline.events.size(), 2u);
    const TimelineEvent &outer = timeline.events[0], &inner = timeline.events[1];
    EXPECT_STREQ(outer.name, "outer");
    EXPECT_LE(outer.began, inner.began);
    EXPECT_LE(inner.ended, outer.ended);
    EXPECT_EQ(outer.track, inner.track);
    EXPECT_EQ(depthsOf(timeline), (std::vector<int>{0, 1}));
    checkAsTrace(timeline);
}

TEST_F(Kept, NothingIsKeptWhileNobodyAsks) {
    startTimeline();
    stopTimeline();
    {
        const Zone zone("unseen");
        recordCounter("unseen", 1);
        markFrame();
    }
    EXPECT_TRUE(copyTimeline().events.empty());
    {
        const Zone zone("begun before");
        startTimeline();
    }
    EXPECT_TRUE(copyTimeline().events.empty());
    recordGpuZone("before", timelineNow() - 1'000'000'000, timelineNow());
    EXPECT_TRUE(copyTimeline().events.empty());
}

TEST_F(Kept, TheLastEventsReplaceTheFirst) {
    startTimeline(8);
    for (int i = 0; i < 20; ++i) recordCounter("count", i);
    const Timeline timeline = copyTimeline();
    EXPECT_EQ(timeline.dropped, 12u);
    ASSERT_EQ(timeline.events.size(), 8u);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(timeline.events[i].value, 12 + i);
    EXPECT_TRUE(copyTimeline(-1).events.empty());  // none ended after now
}

TEST_F(Kept, ThreadsWriteAtOnceAndNamesAreUsedAgain) {
    startTimeline();
    constexpr int kThreads = 8, kZones = 500;
    for (int round = 0; round < 2; ++round) {
        std::vector<std::thread> threads;
        std::atomic<int> ready{0};
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                nameThread("test thread " + std::to_string(i));
                for (++ready; ready < kThreads;) std::this_thread::yield();
                for (int n = 0; n < kZones; ++n) {
                    const Zone outer("outer"), inner("inner");
                }
            });
        }
        for (std::thread& t : threads) t.join();
    }
    const Timeline timeline = copyTimeline();
    EXPECT_EQ(named(timeline, "inner").size(), size_t{2} * kThreads * kZones);
    EXPECT_EQ(std::count(timeline.tracks.begin(), timeline.tracks.end(), "test thread 3"), 1);
    checkAsTrace(timeline);
}

TEST_F(Kept, GpuZonesOfTwoAnchorsDoNotOverlap) {
    startTimeline();
    const std::int64_t now = timelineNow();
    recordGpuZone("first", now, now + 2000);
    recordGpuZone("second", now + 1500, now + 4000);  // an anchor half a microsecond off
    recordGpuZone("swallowed", now + 3000, now + 3500);
    const Timeline timeline = copyTimeline();
    EXPECT_EQ(timeline.tracks[kGpuTrack], "GPU");
    EXPECT_EQ(timeline.tracks[kGlTrack], "OpenGL");
    EXPECT_EQ(named(timeline, "second")[0].began, now + 2000);
    EXPECT_EQ(named(timeline, "second")[0].ended, now + 4000);
    for (const int depth : depthsOf(timeline)) EXPECT_EQ(depth, 0);
    checkAsTrace(timeline);
}

TEST_F(Kept, TheTraceSaysEverything) {
    startTimeline();
    const std::int64_t now = timelineNow();
    {
        const Zone zone("quo\"ted \\ name");
        recordGpuZone("kernel", now, now + 1'234'567);
        recordCounter("rays/s", 5e9);
        recordCounter("rays/s", std::numeric_limits<double>::infinity());
        markFrame();
    }
    setGpuErrorMs(.004);
    const Timeline timeline = copyTimeline();
    const auto json = nlohmann::json::parse(chromeTrace(timeline));
    const test::TraceContents trace = test::checkTrace(json);
    EXPECT_EQ(trace.zones, (std::map<std::string, int>{{"quo\"ted \\ name", 1}, {"kernel", 1}}));
    EXPECT_EQ(trace.counters.at("rays/s"), 2);
    EXPECT_EQ(trace.frames, 1);
    EXPECT_TRUE(trace.tracksWithZones.contains("GPU"));
    EXPECT_EQ(json["otherData"]["gpu_error_ms"], .004);
    for (const auto& e : json["traceEvents"]) {
        if (e["name"] == "kernel") {
            EXPECT_DOUBLE_EQ(e["dur"], 1234.567);
        }
    }
    EXPECT_NE(
        writeChromeTrace(testing::TempDir() + "rayscope-missing/trace.json", timeline).reason(),
        "");
}

Timeline made(std::vector<TimelineEvent> events) {
    Timeline timeline;
    timeline.tracks = {"GPU", "OpenGL", "main"};
    timeline.events = std::move(events);
    return timeline;
}

TEST(TimelineView, TheGpuIsIdleBetweenItsFirstAndItsLastWork) {
    const Timeline timeline = made({{Kind::zone, kGpuTrack, "a", 100, 200},
                                    {Kind::zone, kGlTrack, "draw", 200, 300},
                                    {Kind::zone, 2, "cpu", 150, 900},
                                    {Kind::zone, kGpuTrack, "b", 300, 400}});
    EXPECT_NEAR(*gpuIdle(timeline, 0, 1000), 1. / 3, 1e-12);
    EXPECT_NEAR(*gpuIdle(timeline, 150, 350), .5, 1e-12);
    EXPECT_EQ(*gpuIdle(timeline, 120, 180), 0);
    EXPECT_FALSE(gpuIdle(timeline, 500, 1000));
}

TEST(TimelineView, ZoomsAroundTheCursorAndPans) {
    TimelineView view;
    view.show(true);
    view.pause(true);
    view.zoom(.5, 4);
    view.pan(2);
    const auto timeAt = [&](double place) {
        return static_cast<double>(view.from()) +
               place * static_cast<double>(view.until() - view.from());
    };
    const double span = timeAt(1) - timeAt(0), before = timeAt(.3);
    view.zoom(.3, 3);
    EXPECT_NEAR(timeAt(.3), before, 2);
    EXPECT_LT(timeAt(1) - timeAt(0), .6 * span);
    view.zoom(.3, -3);
    EXPECT_NEAR(timeAt(.3), before, 4);
    EXPECT_NEAR(timeAt(1) - timeAt(0), span, 4);
    view.pan(-100);  // nothing comes after the end
    EXPECT_EQ(view.until(), view.end());
    view.zoom(0, 1000);
    EXPECT_GT(view.until(), view.from());
    view.reset();
    EXPECT_EQ(view.until(), view.end());
    view.show(false);
    EXPECT_FALSE(timelineRuns());
}

TEST(TimelineView, ShowsTheEndOfAFrameAndStandsStill) {
    TimelineView view;
    view.show(true);
    ASSERT_TRUE(timelineRuns());
    for (int i = 0; i < 5; ++i) {
        { const Zone zone("frame"); }
        markFrame();
    }
    view.refresh();
    std::vector<std::int64_t> frames;
    for (const TimelineEvent& e : view.timeline().events) {
        if (e.kind == Kind::frame) frames.push_back(e.began);
    }
    ASSERT_EQ(frames.size(), 5u);
    EXPECT_EQ(view.end(), frames[2]);
    view.pause(true);
    markFrame();
    view.refresh();
    EXPECT_EQ(view.end(), frames[2]);
    view.pause(false);
    view.refresh();
    EXPECT_EQ(view.end(), frames[3]);
    view.show(false);
}

TEST(TimelineView, LeavesATimelineAloneThatOthersKeep) {
    startTimeline(100);
    recordCounter("kept", 1);
    TimelineView view;
    view.show(true);
    view.show(false);
    EXPECT_TRUE(timelineRuns());
    EXPECT_EQ(copyTimeline().events.size(), 1u);
    stopTimeline();
}

TEST(TimelineView, DurationsReadWell) {
    EXPECT_EQ(durationText(12), "12 ns");
    EXPECT_EQ(durationText(1500), "1.5 us");
    EXPECT_EQ(durationText(1'250'000), "1.25 ms");
    EXPECT_EQ(durationText(26'700'000), "26.7 ms");
    EXPECT_EQ(durationText(150'000'000), "150 ms");
    EXPECT_EQ(durationText(2'500'000'000), "2.50 s");
}

TEST(TimelineView, EachKindOfZoneHasItsHue) {
    const auto kind = [](const char* name, int track) {
        TimelineEvent zone;
        zone.name = name;
        zone.track = track;
        return kindOf(zone);
    };
    constexpr int kMain = 2;
    EXPECT_EQ(kind("trace", kMain), ZoneKind::tracing);
    EXPECT_EQ(kind("launch", kMain), ZoneKind::tracing) << "at any depth";
    EXPECT_EQ(kind("megakernel", kGpuTrack), ZoneKind::tracing);
    EXPECT_EQ(kind("copy to host", kGpuTrack), ZoneKind::copying);
    EXPECT_EQ(kind("draw panels", kGlTrack), ZoneKind::drawing);
    EXPECT_EQ(kind("swap", kMain), ZoneKind::waiting);
    EXPECT_EQ(kind("compile", kMain), ZoneKind::compiling);
    EXPECT_EQ(kind("frame", kMain), ZoneKind::other);
}

}  // namespace
}  // namespace rayscope
