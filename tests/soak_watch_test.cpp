// What the soak would find, it must be able to find.

#include "tests/soak_watch.h"

#include <gtest/gtest.h>

namespace rayscope::test {
namespace {

using nlohmann::json;

json seen(double time, long frame, bool paused = false, double longestMs = 30) {
    return {{"time", time}, {"frame", frame}, {"paused", paused}, {"longest_frame_ms", longestMs}};
}

TEST(SoakWatch, SecondsWithFewFramesAreCounted) {
    FrameWatch watch;
    EXPECT_FALSE(watch.look(seen(10, 100)));
    EXPECT_FALSE(watch.look(seen(10.5, 115)));
    EXPECT_EQ(watch.look(seen(11, 130)), 30);
    EXPECT_FALSE(watch.look(seen(11, 130))) << "the same status once more";
    EXPECT_EQ(watch.look(seen(13, 150, false, 900)), 10);
    EXPECT_EQ(watch.seconds(), 2);
    EXPECT_EQ(watch.slowSeconds(), 1);
    EXPECT_EQ(watch.lowestRate(), 10);
    EXPECT_EQ(watch.longestMs(), 900);
    EXPECT_EQ(watch.frames(), 150);
}

TEST(SoakWatch, APausedOrHiddenWindowOwesNoFrames) {
    FrameWatch watch;
    watch.look(seen(0, 0));
    watch.look(seen(.5, 1, true));
    EXPECT_FALSE(watch.look(seen(1.5, 2)));
    EXPECT_EQ(watch.look(seen(2.5, 42)), 40);
    watch.skip();
    EXPECT_FALSE(watch.look(seen(20, 43)));
    EXPECT_EQ(watch.look(seen(21, 68)), 25);
    EXPECT_EQ(watch.slowSeconds(), 0);
}

/// 30 samples of about 200 MB.
std::vector<double> samples(double perSample) {
    std::vector<double> bytes;
    for (int i = 0; i < 30; ++i) bytes.push_back(200e6 + i % 3 * 4e6 + i * perSample);
    return bytes;
}

TEST(SoakWatch, GrowthIsToldFromNoiseAndFromTheFirstMinutes) {
    EXPECT_FALSE(growthOf(samples(0))->grows());
    EXPECT_TRUE(growthOf(samples(4e6))->grows());
    std::vector<double> warming = samples(0);
    for (size_t i = 10; i < warming.size(); ++i) warming[i] += 300e6;
    EXPECT_FALSE(growthOf(warming)->grows());
    EXPECT_FALSE(growthOf({1, 2, 3, 4}).has_value()) << "too few to judge";
}

TEST(SoakWatch, OutputIsAComplaintUnlessItIsTheSanitizersFrame) {
    EXPECT_EQ(complaintIn(""), "");
    EXPECT_EQ(complaintIn("rayscope: display=interop belongs to cuda\n"), "");
    EXPECT_EQ(complaintIn("rayscope: CUDA has failed\n"), "rayscope: CUDA has failed");
    EXPECT_EQ(complaintIn("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"), "");
    EXPECT_EQ(complaintIn("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 2 errors\n"),
              "========= ERROR SUMMARY: 2 errors");
    EXPECT_EQ(complaintIn("\nWARNING: ThreadSanitizer: data race (pid=1)\n"),
              "WARNING: ThreadSanitizer: data race (pid=1)");
}

}  // namespace
}  // namespace rayscope::test
