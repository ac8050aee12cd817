// One measurement step by step, by a renderer whose speed is made up, and when it has enough.

#include "renderer/lab/trial.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/made_up_renderer.h"

namespace rayscope {
namespace {

/// Of made-up milliseconds: a sample takes one.
TrialWish smallTrial() {
    TrialWish wish;
    wish.settings = settingsWith(Path::loop);
    wish.settings.samples = 2;
    wish.width = wish.height = 4;
    wish.passMs = 20;
    return wish;
}

TEST(Trial, PassesLastAsLongAsIsWished) {
    MadeUpRenderer renderer;
    Trial trial(renderer, smallTrial(), std::make_unique<FixedPasses>(7));
    playToEnd(trial);
    EXPECT_EQ(trial.problem(), "");
    EXPECT_EQ(trial.share(), 1);
    const Measurement m = trial.measurement();
    EXPECT_EQ(m.passes, 7);
    EXPECT_NEAR(m.passSamples, 20, 2);
    EXPECT_EQ(m.passSamples % 2, 0) << "whole launches";
    EXPECT_EQ(m.samples, 7 * m.passSamples);
    EXPECT_EQ(m.launches, m.samples / 2);
    EXPECT_EQ(m.rays.camera, 1000u * static_cast<unsigned>(m.samples));
    EXPECT_NEAR(m.kernelRate.median, 1e6, 2e4);
}

TEST(Trial, LaunchesAreWhole) {
    MadeUpRenderer renderer;
    TrialWish wish = smallTrial();
    wish.settings.samples = 100;
    Trial whole(renderer, wish, std::make_unique<FixedPasses>(2));
    playToEnd(whole);
    EXPECT_EQ(whole.passSamples(), 100) << "fewer samples would be slower ones";
    wish.mostSamples = 30;
    wish.wholeMs = 50;
    Trial picture(renderer, wish, std::make_unique<FixedPasses>(2));
    playToEnd(picture);
    EXPECT_EQ(picture.passSamples(), 30) << "the whole picture takes less than 50 ms";
}

/// A sample of 16 pixels takes a millisecond.
class SizedRenderer : public MadeUpRenderer {
    FrameStats advance(const Settings& settings, const Camera& camera, MadeUpSession& session,
                       double budgetMs) override {
        const double pixels = 1. * session.film().width * session.film().height;
        clock = [=](double ms, const Settings&) { return ms * pixels / 16; };
        return MadeUpRenderer::advance(settings, camera, session, budgetMs);
    }
};

TEST(Trial, APictureWhoseLaunchesTakeTooLongIsMadeSmaller) {
    SizedRenderer renderer;
    TrialWish wish = smallTrial();
    wish.width = 640;
    wish.height = 320;
    for (const auto& [most, width, height] : {std::tuple{100, 40, 20}, {26000, 640, 320}}) {
        wish.longestLaunchMs = most;
        Trial trial(renderer, wish, std::make_unique<FixedPasses>(2));
        playToEnd(trial);
        const Measurement m = trial.measurement();
        EXPECT_NEAR(m.width, width, 3);
        EXPECT_NEAR(m.height, height, 2);
        EXPECT_LE(m.kernelPassMs.median, 1.1 * most);
        EXPECT_EQ(m.passSamples % 2, 0) << "whole launches";
    }
}

TEST(Trial, WaitsUntilPassesAreStable) {
    MadeUpRenderer renderer;
    renderer.pace = [](int launch) { return launch < 60 ? 3 - launch / 30. : 1.; };
    TrialWish wish = smallTrial();
    wish.warmUpMs = 60e3;
    Trial trial(renderer, wish, std::make_unique<FixedPasses>(5));
    playToEnd(trial);
    EXPECT_EQ(trial.measurement().passes, 5);
    EXPECT_NEAR(trial.measurement().kernelRate.lower, 1e6, 3e4) << "the clock had risen";
}

TEST(Trial, SaysWhyThereIsNothing) {
    MadeUpRenderer refusing;
    refusing.refusal = "not here";
    Trial refused(refusing, smallTrial(), std::make_unique<FixedPasses>(1));
    EXPECT_TRUE(refused.step(1));
    EXPECT_EQ(refused.problem(), "not here");

    MadeUpRenderer broken;
    broken.broken = Path::loop;
    Trial uncompiled(broken, smallTrial(), std::make_unique<FixedPasses>(1));
    EXPECT_TRUE(uncompiled.step(1));
    EXPECT_EQ(uncompiled.problem(), "the kernel does not compile: made-up error");

    MadeUpRenderer late;
    late.loading = 1 << 30;
    TrialWish wish = smallTrial();
    wish.longestLoadMs = 5;
    Trial trial(late, wish, std::make_unique<FixedPasses>(1));
    playToEnd(trial);
    EXPECT_EQ(trial.problem(), "the kernel does not start");
}

TEST(Trial, AKernelThatIsGivenUpInAPassEndsIt) {
    MadeUpRenderer renderer;
    Trial trial(renderer, smallTrial(), std::make_unique<FixedPasses>(1 << 30));
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(trial.step(1));
    renderer.broken = Path::loop;
    EXPECT_TRUE(trial.step(1));
    EXPECT_NE(trial.problem().find("does not compile"), std::string::npos);
}

/// What others do between the turns of a pass, and how long it takes, is not measured.
TEST(Trial, TimesOnlyItsOwnTurns) {
    BusyRenderer renderer;
    TrialWish wish = smallTrial();
    wish.passMs = 2.5 * kTurnMs;
    wish.clock = PassClock::loop;
    Trial trial(renderer, wish, std::make_unique<FixedPasses>(5));
    double inStepsMs = 0;
    int steps = 0;
    for (bool ended = false; !ended; ++steps) {
        const Clock::time_point start = Clock::now();
        ended = trial.step(1);
        inStepsMs += millisecondsSince(start);
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
    }
    const Measurement m = trial.measurement();
    EXPECT_GE(steps, 10) << "passes are cut";
    EXPECT_LE(m.loopMs, inStepsMs);
    EXPECT_GE(m.loopMs, BusyRenderer::kMsOfSample * static_cast<double>(m.rays.camera) /
                            BusyRenderer::kRaysOfSample);
}

TEST(Trial, PassesThatAreRewoundTraceTheSameSamples) {
    MadeUpRenderer renderer;
    TrialWish wish = smallTrial();
    wish.rewinds = true;
    Trial trial(renderer, wish);
    while (!trial.prepare()) {
    }
    trial.setPassSamples(6);
    for (int i = 0; i < 3; ++i) {
        while (!trial.play(1)) {
        }
        EXPECT_EQ(trial.passes().back().rays.camera, 6000u);
    }
}

TEST(Stopping, EnoughTimeAsksForBothButNotForever) {
    EnoughTime criterion(2, 5);
    EXPECT_FALSE(criterion.enough({4, 3, {}}));
    EXPECT_FALSE(criterion.enough({9, 1.9, {}}));
    EXPECT_TRUE(criterion.enough({5, 2, {}}));
    EXPECT_TRUE(criterion.enough({2, 8, {}}));
    EXPECT_FALSE(criterion.enough({1, 80, {}})) << "one pass has no spread";
    EXPECT_EQ(criterion.share({1, 1, {}}), .5);
}

TEST(Stopping, AnIntervalIsLookedAtNowAndThen) {
    NarrowInterval criterion(.01, 60);
    int looks = 0;
    double half = .1;
    const auto at = [&](int passes, double seconds = 1) {
        return Evidence{passes, seconds, [&] {
                            ++looks;
                            return Interval{2, 2 - 2 * half, 2 + 2 * half};
                        }};
    };
    for (int passes = 1; passes <= 15; ++passes) EXPECT_FALSE(criterion.enough(at(passes)));
    EXPECT_EQ(looks, 2);
    half = .009;
    for (int passes = 16; passes < 18; ++passes) EXPECT_FALSE(criterion.enough(at(passes)));
    EXPECT_TRUE(criterion.enough(at(18)));
    EXPECT_TRUE(criterion.narrow());
    half = .1;
    EXPECT_TRUE(criterion.enough(at(19, 61))) << "the time is up";
    EXPECT_FALSE(criterion.narrow());
}

/// Counts to three, and what it has of its own with it.
class CountedSteps : public SteppedJob {
public:
    CountedSteps(int& alive, int throwsAt = 0) : alive_(alive), throwsAt_(throwsAt) {}
    double share() const override { return count_ / 3.; }

private:
    struct Own {
        explicit Own(int& alive) : alive(++alive) {}
        ~Own() { --alive; }
        int& alive;
    };
    Steps run() override {
        const Own own(alive_);
        for (; count_ < 3; co_await kPause) {
            if (++count_ == throwsAt_) throw std::runtime_error("failed");
        }
    }

    int& alive_;
    int throwsAt_, count_ = 0;
};

TEST(SteppedJob, GoesOnWhereItHasStopped) {
    int alive = 0;
    CountedSteps job(alive);
    EXPECT_FALSE(job.step(0));
    EXPECT_EQ(job.share(), 1 / 3.);
    EXPECT_EQ(alive, 1);
    playToEnd(job);
    EXPECT_EQ(job.share(), 1);
    EXPECT_EQ(alive, 0);
}

TEST(SteppedJob, EndsWhereItThrowsIsCancelledOrDestroyed) {
    int alive = 0;
    CountedSteps throwing(alive, 2);
    EXPECT_THROW(playToEnd(throwing), std::runtime_error);
    EXPECT_EQ(alive, 0);
    EXPECT_TRUE(throwing.step(1));
    {
        CountedSteps cancelled(alive);
        EXPECT_FALSE(cancelled.step(0));
        cancelled.cancel();
        EXPECT_TRUE(cancelled.step(1));
        EXPECT_EQ(cancelled.share(), 1 / 3.);
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace rayscope
