// Frames of a window whose parts take what a test says, on a clock of its own.

#include "ui/budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace rayscope {
namespace {

class BudgetTest : public testing::Test {
protected:
    /// The mean of the last half of 400 frames, ms. `traceMs`, `jobMs`: what they take when they
    /// are given so much; `otherMs`: panels and drawing.
    double meanFrame(const std::function<double(double)>& traceMs, double otherMs,
                     const std::function<double(double)>& jobMs = {}) {
        constexpr int kFrames = 400;
        double begin = now_, half = 0;
        for (int i = 0; i < kFrames; ++i) {
            if (i == kFrames / 2) half = now_;
            budget_.beginFrame(now_, now_ - begin);
            begin = now_;
            pass(otherMs);
            const double share = jobMs ? .3 : 1;
            const double picture = share * budget_.milliseconds(false);
            budget_.begin(now_);
            pass(traceMs(picture));
            budget_.endTrace(now_, picture);
            const double job = (1 - share) * budget_.milliseconds(false);
            if (jobMs && budget_.affordsJob(job)) {
                budget_.begin(now_);
                pass(jobMs(job));
                budget_.endJob(now_, job);
                ++jobs_;
            }
            budget_.begin(now_);
            budget_.endSwap(now_, false);
        }
        return 1e3 * (now_ - half) / (kFrames - kFrames / 2);
    }

    FrameBudget budget_;
    int jobs_ = 0;

private:
    void pass(double ms) { now_ += 1e-3 * ms; }
    double now_ = 0;
};

double asGiven(double ms) {
    return ms;
}

TEST_F(BudgetTest, AtRestTracingTakesMostOfALongerFrame) {
    meanFrame(asGiven, 22);
    EXPECT_NEAR(budget_.millisecondsAtRest(), 66, .1) << "three times the rest";
    meanFrame(asGiven, 50);
    EXPECT_NEAR(budget_.millisecondsAtRest(), 50, .1) << "and a frame no longer than 100 ms";
    meanFrame(asGiven, 1);
    EXPECT_NEAR(budget_.millisecondsAtRest(), 25, .1) << "where drawing is short, no more";
}

TEST_F(BudgetTest, TracingGetsWhatTheRestOfAFrameLeaves) {
    EXPECT_NEAR(meanFrame(asGiven, 22), 40, .1);
    EXPECT_NEAR(meanFrame(asGiven, 5), 30, .1) << "and no more than 25 ms";
}

TEST_F(BudgetTest, WhatTakesLongerThanItIsGivenIsGivenLess) {
    EXPECT_NEAR(meanFrame([](double ms) { return ms + 8; }, 22), 40, .5);
}

TEST_F(BudgetTest, WhatTakesLessThanItIsGivenIsGivenNoMore) {
    EXPECT_NEAR(meanFrame([](double ms) { return ms / 4; }, 30), 30 + 10 / 4., .1);
}

TEST_F(BudgetTest, FramesWithoutAJobMakeUpForOneThatTookLong) {
    EXPECT_LT(meanFrame(asGiven, 18, [](double) { return 60; }), 42);
    EXPECT_GT(jobs_, 60) << "it goes on";
}

TEST_F(BudgetTest, AJobThatKeepsToItsTimeHasEveryFrame) {
    meanFrame(asGiven, 18, [](double ms) { return ms + .5; });
    EXPECT_GT(jobs_, 390);
}

TEST_F(BudgetTest, AJobGoesOnInAWindowThatIsSlowWithoutIt) {
    meanFrame(asGiven, 60, [](double) { return 60; });
    EXPECT_GT(jobs_, 20);
}

/// A device that is given work at the swap, which then takes `swapMs`.
double leftAfter(FrameBudget& budget, double swapMs, int frames) {
    double left = 0;
    for (int i = 0; i < frames; ++i) {
        left = budget.aheadMs() - swapMs;
        budget.swapped(std::max(left, 0.));
    }
    return left;
}

TEST(FilledFrames, TheDeviceHasALittleLeftWhenTheSwapEnds) {
    FrameBudget budget;
    EXPECT_NEAR(leftAfter(budget, 7, 100), 2, .1);
    EXPECT_NEAR(leftAfter(budget, 1, 100), 2, .1) << "nor more, as pictures wait for it";
    EXPECT_LT(leftAfter(budget, 100, 100), 0) << "there is a limit";
    EXPECT_LE(budget.aheadMs(), 25);
}

TEST(FilledFrames, WholePicturesTakeWhatADisplaysIntervalLeaves) {
    FrameBudget budget;
    budget.setRefreshRate(60);
    double now = 0, longest = 0;
    for (int i = 0; i < 400; ++i) {
        budget.beginFrame(now, 1. / 60);
        const double ms = budget.wholeMs() + 6;  // with drawing
        if (i > 100) longest = std::max(longest, ms);
        now += 1e-3 * ms;
        budget.endSwap(now, true);
    }
    EXPECT_LT(longest, 18.5);
    const double before = budget.wholeMs();
    EXPECT_GT(before, 9);
    budget.beginFrame(now, 1. / 60);
    budget.endSwap(now += .01, true);
    budget.beginFrame(now, .01);
    budget.endSwap(now += 1, true);
    EXPECT_GE(budget.wholeMs(), before) << "a frame without such a picture says nothing";
}

TEST(FilledFrames, FramesAreNotDrawnForMorePicturesThanTheDisplayShows) {
    FrameBudget budget;
    budget.setRefreshRate(100);
    budget.beginFrame(5, .01);
    EXPECT_NEAR(budget.untilNextFrame(5.002), .0077, 1e-9);
    EXPECT_EQ(budget.untilNextFrame(5.01), 0);
    budget.setRefreshRate(0);  // unknown
    EXPECT_NEAR(budget.untilNextFrame(5.002), .0077, 1e-9);
}

}  // namespace
}  // namespace rayscope
