// A against B without a window: turns, whose statistics are whose, the race, and what is pinned.

#include "ui/versus.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "tests/made_up_renderer.h"
#include "tests/made_up_window.h"
#include "tests/render_helper.h"
#include "ui/theme.h"
#include "ui/versus_panel.h"

namespace rayscope {
namespace {

constexpr int kWidth = 40, kHeight = 30;

/// A device that reports launches one call late, as CUDA does. A sample costs as many milliseconds
/// as the settings ask for in `depth`, and has the variance that they ask for in `blockX`.
class LateRenderer : public BareRenderer {
public:
    DeviceInfo device() const override { return {"late", ""}; }
    void setScene(const SharedScene&) override {}
    std::string unsupported(const Settings& settings) const override {
        return settings.depth == impossible ? "not this depth" : "";
    }
    void clear(Film& film) override { std::fill_n(film.pixels, film.width * film.height, Pixel{}); }
    FrameStats advance(const Settings& settings, const Camera&, MadeUpSession& session,
                       double budgetMs) override {
        Film& film = session.film();
        FrameStats& late = late_[&session];
        spentMs += budgetMs;
        const FrameStats reported = std::exchange(late, {});
        ready_[&session] = settings.depth != compiling;
        std::normal_distribution<float> noise(
            0, std::sqrt(static_cast<float>(settings.variant.blockX)));
        double left = budgetMs;
        for (; left >= settings.depth; left -= settings.depth) {
            for (int i = 0; i < film.width * film.height; ++i) {
                Pixel& p = film.pixels[i];
                p = {p.r + 5 + noise(random_), p.g + 5 + noise(random_), p.b + 5 + noise(random_),
                     p.samples + 1};
            }
            ++film.samples;
            late.rays.camera += static_cast<std::uint64_t>(film.width) * film.height;
            late.kernelMs += settings.depth;
            late.timedMs += settings.depth;
            late.timedRays += static_cast<std::uint64_t>(film.width) * film.height;
        }
        return reported;
    }
    FrameStats finish(MadeUpSession& session) override {
        return std::exchange(late_[&session], {});
    }
    KernelInfo kernel(const MadeUpSession& session) const override {
        KernelInfo info;
        info.ready = ready_.at(&session);
        return info;
    }

    int impossible = -1, compiling = -1;  ///< depths
    double spentMs = 0;                   ///< of all budgets

private:
    std::map<const Session*, FrameStats> late_;
    std::map<const Session*, bool> ready_;
    std::mt19937 random_{3};
};

/// What the window's tracers do, in plain memory.
class PlainFilms : public SideFilms {
public:
    PlainFilms(Backends& backends, const Settings& a, const Settings& b)
        : all_(backends), settings_{&a, &b} {}
    bool align() override {
        for (int i = 0; i < 2; ++i) {
            if (!stale_[i]) continue;
            pixels_[i].assign(kWidth * kHeight, Pixel{});
            films_[i] = {};
            films_[i].width = kWidth;
            films_[i].height = kHeight;
            films_[i].pixels = pixels_[i].data();
            if (sessions_[i] == nullptr || backends_[i] != settings_[i]->backend) {
                backends_[i] = settings_[i]->backend;
                sessions_[i] = all_.get(backends_[i]).open(films_[i]);
            }
            sessions_[i]->clear();
            ++numbers_[i];
            stale_[i] = false;
        }
        return true;
    }
    void restart(Side side) override { stale_[index(side)] = true; }
    FrameStats trace(Side side, double budgetMs) override {
        turns.push_back(side);
        return sessions_[index(side)]->advance(*settings_[index(side)], Camera{}, budgetMs);
    }
    FrameStats finish(Side side) override {
        return sessions_[index(side)] ? sessions_[index(side)]->finish() : FrameStats{};
    }
    KernelInfo kernel(Side side) const override { return sessions_[index(side)]->kernel(); }
    const Film& film(Side side) const override { return films_[index(side)]; }
    long number(Side side) const override { return numbers_[index(side)]; }
    std::vector<Pixel> fetch(Side side) override { return pixels_[index(side)]; }

    std::vector<Side> turns;

private:
    static size_t index(Side side) { return static_cast<size_t>(side); }
    Backends& all_;
    std::array<const Settings*, 2> settings_;
    std::array<Film, 2> films_;
    std::array<Backend, 2> backends_{};
    std::array<std::unique_ptr<Session>, 2> sessions_;
    std::array<std::vector<Pixel>, 2> pixels_;
    std::array<long, 2> numbers_{};
    std::array<bool, 2> stale_{true, true};
};

class VersusTest : public testing::Test {
protected:
    VersusTest() {
        a_.backend = b_.backend = Backend::cuda;
        a_.depth = 2;
        b_.depth = 5;
        auto cuda = std::make_unique<LateRenderer>();
        cuda_ = cuda.get();
        backends_ = std::make_unique<Backends>(std::make_unique<LateRenderer>(), std::move(cuda));
        films_ = std::make_unique<PlainFilms>(*backends_, a_, b_);
    }
    FrameStats frames(int count, double budgetMs = 20, bool moving = false) {
        FrameStats ofB;
        for (int i = 0; i < count; ++i) ofB += versus_.frame(*films_, {a_, b_, moving, budgetMs});
        return ofB;
    }
    double ms(Side side) const { return versus_.record(side).stats.kernelMs; }

    Settings a_, b_;
    LateRenderer* cuda_ = nullptr;
    std::unique_ptr<Backends> backends_;
    std::unique_ptr<PlainFilms> films_;
    Versus versus_;
};

TEST_F(VersusTest, TakeTurnsAndKeepTheirOwnStatistics) {
    // Launched before A was pinned, reported afterwards: of no side.
    films_->align();
    films_->trace(Side::b, 1000);
    films_->turns.clear();
    const long film = films_->number(Side::b);
    FrameStats ofB = frames(1);
    EXPECT_EQ(ofB.kernelMs, 1000);
    EXPECT_GT(films_->number(Side::b), film) << "both begin together";
    ofB += frames(8);
    EXPECT_EQ(films_->turns.size(), 9u);
    for (size_t i = 1; i < films_->turns.size(); ++i)
        EXPECT_NE(films_->turns[i], films_->turns[i - 1]);
    for (Side side : kSides) {
        const SideRecord& record = versus_.record(side);
        // The last turn was A's, and has not been reported yet.
        EXPECT_EQ(record.stats.kernelMs, 80) << static_cast<int>(side);
        EXPECT_EQ(record.samples(), 80 / (side == Side::a ? 2 : 5));
        EXPECT_EQ(*record.raysPerSecond(), kWidth * kHeight * (side == Side::a ? 500. : 200.));
    }
    EXPECT_EQ(ofB.kernelMs, 1000 + 80);
}

TEST_F(VersusTest, BothTogetherGetTheBudget) {
    frames(10, 20, false);
    EXPECT_EQ(cuda_->spentMs, 10 * 20);
    films_->turns.clear();
    frames(10, 20, true);
    EXPECT_EQ(cuda_->spentMs, 20 * 20);
    EXPECT_EQ(films_->turns.size(), 20u) << "both in every frame";
    EXPECT_EQ(std::count(films_->turns.begin(), films_->turns.end(), Side::a), 10);
}

TEST_F(VersusTest, BackendsOfTheirOwnWorkToo) {
    a_.backend = Backend::cpu;
    frames(8);
    frames(1);
    EXPECT_EQ(ms(Side::a), 80);
    EXPECT_EQ(ms(Side::b), 80);
}

TEST_F(VersusTest, ARaceGivesBothTheSameKernelTime) {
    frames(6);
    versus_.startRace();
    b_.depth = 19;  // with a budget of 20 it uses 19, A uses 20
    double largest = 0;
    for (int i = 0; i < 200; ++i) {
        frames(1);
        largest = std::max(largest, std::abs(ms(Side::a) - ms(Side::b)));
    }
    EXPECT_LE(largest, 40) << "a turn, and one that is not reported yet";
    EXPECT_GT(ms(Side::a), 1800);
    EXPECT_TRUE(versus_.racing());
    b_.depth = 7;
    frames(1);
    EXPECT_LE(ms(Side::a) + ms(Side::b), 20) << "both begin again";
    versus_.stopRace();
    films_->turns.clear();
    frames(10);
    EXPECT_EQ(std::count(films_->turns.begin(), films_->turns.end(), Side::a), 5);
}

TEST_F(VersusTest, AChangeRestartsTheSideThatChanged) {
    frames(20);
    b_.depth = 4;
    frames(2);
    EXPECT_GT(ms(Side::a), 100);
    EXPECT_LE(ms(Side::b), 20);
    b_.display = Display::copy;
    frames(4);
    EXPECT_GT(ms(Side::b), 20) << "the way to the screen changes no film";
}

TEST_F(VersusTest, AFilmByAnotherKernelIsCalledSoAndGoesAway) {
    frames(4);
    b_.depth = 6;
    cuda_->compiling = 6;
    versus_.startRace();
    frames(9);
    EXPECT_TRUE(versus_.record(Side::b).foreign);
    EXPECT_FALSE(versus_.record(Side::a).foreign);
    EXPECT_GE(std::count(films_->turns.begin(), films_->turns.end(), Side::a), 5)
        << "A need not wait for it";
    EXPECT_FALSE(versus_.record(Side::b).noise.noise());
    const long film = films_->number(Side::b);
    cuda_->compiling = -1;
    frames(3);
    EXPECT_FALSE(versus_.record(Side::b).foreign);
    EXPECT_GT(films_->number(Side::b), film);
    EXPECT_LE(ms(Side::b), 40);
}

TEST_F(VersusTest, TheLeadIsVarianceTimesTime) {
    a_.variant.blockX = 8;
    b_.variant.blockX = 2;
    versus_.startRace();
    EXPECT_FALSE(leadOf(versus_.record(Side::a), versus_.record(Side::b)));
    frames(300);
    const auto lead = leadOf(versus_.record(Side::a), versus_.record(Side::b));
    ASSERT_TRUE(lead);
    // A takes 2 ms a sample of variance 8, B 5 ms a sample of variance 2.
    EXPECT_NEAR(lead->ratio, 5. * 2 / (2. * 8), 4 * lead->spread * lead->ratio);
    EXPECT_LT(lead->spread, .1);
    EXPECT_TRUE(lead->clear());
    const SideRecord& a = versus_.record(Side::a);
    EXPECT_NEAR(*a.error(), std::sqrt(8 / a.samples()) / 5, .1 * *a.error());
    ASSERT_GT(a.history.size(), 4u);
    EXPECT_LT(a.history.back().error, a.history.front().error / 2);
}

TEST_F(VersusTest, TheSameOnBothSidesIsNoLead) {
    b_ = a_;
    versus_.startRace();
    frames(300);
    const auto lead = leadOf(versus_.record(Side::a), versus_.record(Side::b));
    ASSERT_TRUE(lead);
    EXPECT_FALSE((Lead{1.01, .02}).clear());
    EXPECT_TRUE((Lead{.9, .02}).clear());
    EXPECT_NEAR(lead->ratio, 1, 4 * lead->spread);
}

/// What keys and the tab ask for, on a window that has never traced.
class PinTest : public testing::Test {
protected:
    PinTest() {
        auto cuda = std::make_unique<LateRenderer>();
        cuda_ = cuda.get();
        backends_ = std::make_unique<Backends>(std::make_unique<LateRenderer>(), std::move(cuda));
        state_.settings = defaultSettings(Backend::cuda, state_.scene);
        window_ = std::make_unique<MadeUpWindow>(*backends_, state_);
    }
    /// What is said of it.
    std::string ask(void (VersusTab::*action)(Frame&)) {
        (tab_.*action)(window_->frame);
        return window_->said();
    }
    std::string unpinImpossible() { return tab_.unpinImpossible(window_->frame); }

    LateRenderer* cuda_ = nullptr;
    std::unique_ptr<Backends> backends_;
    State state_;
    std::unique_ptr<MadeUpWindow> window_;
    VersusTab tab_;
};

TEST_F(PinTest, PinsUnpinsAndSwaps) {
    for (const auto action :
         {&VersusTab::unpin, &VersusTab::swap, &VersusTab::showNext, &VersusTab::race})
        EXPECT_EQ(ask(action), "");
    EXPECT_FALSE(state_.pinned || tab_.versus().racing()) << "nothing is pinned";
    const Settings first = state_.settings;
    EXPECT_NE(ask(&VersusTab::pin), "");
    ASSERT_TRUE(state_.pinned);
    EXPECT_EQ(state_.pinned->settings, first);
    state_.settings.depth = 3;
    state_.pinned->wipe = .3;
    ask(&VersusTab::swap);
    EXPECT_EQ(state_.settings, first);
    EXPECT_EQ(state_.pinned->settings.depth, 3);
    ask(&VersusTab::race);
    EXPECT_TRUE(tab_.versus().racing());
    tab_.stopRace();
    EXPECT_FALSE(tab_.versus().racing());
    ask(&VersusTab::pin);
    EXPECT_EQ(state_.pinned->settings, first);
    EXPECT_EQ(state_.pinned->wipe, .3) << "stays where it was";
    EXPECT_NE(ask(&VersusTab::unpin), "");
    EXPECT_FALSE(state_.pinned);
    EXPECT_EQ(state_.settings, first);
}

TEST_F(PinTest, AKeyPinsAndUnpins) {
    tab_.key({Key::pin}, window_->frame);
    EXPECT_TRUE(state_.pinned);
    tab_.key({Key::pin}, window_->frame);
    EXPECT_FALSE(state_.pinned);
}

TEST_F(PinTest, ShowsOneAfterTheOther) {
    ask(&VersusTab::pin);
    std::vector<Showing> seen;
    for (int i = 0; i < 4; ++i) {
        seen.push_back(state_.pinned->showing);
        ask(&VersusTab::showNext);
    }
    EXPECT_EQ(seen, (std::vector{Showing::split, Showing::difference, Showing::a, Showing::b}));
    EXPECT_EQ(state_.pinned->showing, Showing::split);
}

TEST_F(PinTest, GivesUpWhatCannotBeHadAndSaysWhy) {
    EXPECT_EQ(unpinImpossible(), "") << "nothing is pinned";
    ask(&VersusTab::pin);
    EXPECT_EQ(unpinImpossible(), "");
    EXPECT_TRUE(state_.pinned);
    cuda_->impossible = state_.pinned->settings.depth;
    EXPECT_NE(unpinImpossible().find("not this depth"), std::string::npos);
    EXPECT_FALSE(state_.pinned);
    cuda_->impossible = -1;
    ask(&VersusTab::pin);
    backends_->loseCuda("the device is gone");
    EXPECT_NE(unpinImpossible().find("the device is gone"), std::string::npos);
    EXPECT_FALSE(state_.pinned);
}

TEST(TakeAlong, FollowsTheSceneOrSaysWhyNot) {
    const Scene vt9 = sceneNamed("vt9"), card = sceneNamed("card");
    std::optional<Pinned> pinned;
    std::string reason;
    takeAlong(pinned, vt9, card, &reason);
    EXPECT_FALSE(pinned) << "nothing was";
    pinned.emplace(defaultSettings(Backend::cpu, vt9));
    pinned->settings.variant.path = Path::recursive;
    takeAlong(pinned, vt9, card, &reason);
    ASSERT_TRUE(pinned);
    EXPECT_EQ(pinned->settings.depth, card.depth);
    EXPECT_EQ(pinned->settings.variant.path, Path::recursive);
    EXPECT_EQ(reason, "");
    pinned.emplace(defaultSettings(Backend::cpu, vt9));
    pinned->settings.variant.lightSampling = true;  // the card has no lights to sample
    takeAlong(pinned, vt9, card, &reason);
    EXPECT_FALSE(pinned);
    EXPECT_NE(reason.find("A is no longer pinned"), std::string::npos);
}

TEST(Wipe, StaysWhereItCanBeSeen) {
    const Layout wide = layoutFor({1600, 900, 1, false}, 1, 300);
    EXPECT_EQ(wipePlace(wide, {1600, 900}, .5), 800);
    EXPECT_EQ(wipePlace(wide, {1600, 900}, 0), wide.free.x) << "not under a panel";
    EXPECT_EQ(wipePlace(wide, {1600, 900}, 1), std::round(wide.free.x + wide.free.width));
    const Layout bare = layoutFor({1600, 900, 1, true}, 1, 300);
    EXPECT_EQ(wipePlace(bare, {1600, 900}, .1), 160);
    const Layout narrow = layoutFor({400, 300, 1, true}, 1, 300);
    EXPECT_EQ(wipePlace(narrow, {400, 300}, .1), 40) << "the same share";
    const Layout tiny = layoutFor({3, 2, 1, true}, 1, 300);
    EXPECT_LE(wipePixel(tiny, {3, 2}, {3, 2}, .5), 3) << "not beyond a window of a few pixels";
}

}  // namespace
}  // namespace rayscope
