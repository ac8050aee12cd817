// The viewer's arithmetic: flight, picking, layout, resolution, rates, figures.

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/lab/run_ladder.h"
#include "ui/camera_control.h"
#include "ui/film_scale.h"
#include "ui/format.h"
#include "ui/ladder_climb.h"
#include "ui/layout.h"
#include "ui/pick.h"
#include "ui/plots.h"
#include "ui/rates.h"
#include "ui/steering.h"

namespace rayscope {
namespace {

constexpr double kQuarterTurn = 3.14159265358979323846 / 2;

using glm::distance;

void expectNear(const glm::dvec3& a, const glm::dvec3& b) {
    EXPECT_LT(distance(a, b), 1e-9);
}

Camera lookingDownZ() {
    Camera camera;
    camera.from = {0, 0, 0};
    camera.to = {0, 0, -2};
    camera.vfov = 90;
    return camera;
}

TEST(CameraControl, FliesAlongItsOwnAxes) {
    Flight flight;
    flight.speed = 3;
    const Camera camera = lookingDownZ();
    expectNear(flown(camera, flight, {1, 0, 0, false}, .5).from, {0, 0, -1.5});
    expectNear(flown(camera, flight, {0, 1, 0, false}, .5).from, {1.5, 0, 0});
    expectNear(flown(camera, flight, {0, 0, -1, false}, .5).from, {0, -1.5, 0});
    expectNear(flown(camera, flight, {1, 0, 0, true}, .5).to, {0, 0, -2 - 1.5 * kFastFactor});
}

TEST(CameraControl, TurnsRightAndUpForPositiveAngles) {
    const Camera camera = lookingDownZ();
    expectNear(turned(camera, kQuarterTurn, 0).to, {2, 0, 0});
    const Camera up = turned(camera, 0, kQuarterTurn / 2);
    expectNear(up.to, {0, std::sqrt(2.), -std::sqrt(2.)});
    expectNear(up.from, camera.from);
}

TEST(CameraControl, NeverTipsOverTheVertical) {
    Camera camera = lookingDownZ();
    for (int i = 0; i < 50; ++i) camera = turned(camera, .1, .2);
    const CameraFrame frame = cameraFrame(camera);
    EXPECT_LT(frame.forward.y, 1);
    EXPECT_GT(frame.forward.y, .99);
    EXPECT_GT(frame.up.y, 0);
    EXPECT_NEAR(distance(camera.from, camera.to), 2, 1e-9);
}

TEST(CameraControl, OrbitKeepsThePivotWhereItIsInThePicture) {
    Camera camera = lookingDownZ();
    const glm::dvec3 pivot{.5, .25, -3};
    const auto inView = [&](const Camera& c) {
        const CameraFrame f = cameraFrame(c);
        const glm::dvec3 p = pivot - c.from;
        return glm::dvec3{dot(p, f.right), dot(p, f.up), dot(p, f.forward)};
    };
    const glm::dvec3 before = inView(camera);
    camera = orbited(camera, pivot, .7, 0);
    camera = orbited(camera, pivot, 0, -.4);
    EXPECT_LT(distance(before, inView(camera)), 1e-9);
    EXPECT_GT(distance(camera.from, {0, 0, 0}), 1);
}

TEST(CameraControl, SpeedFollowsTheScenesScale) {
    Scene scene;
    scene.camera = lookingDownZ();
    EXPECT_DOUBLE_EQ(defaultSpeed(scene), 1) << "half the way to the target";
    scene.spheres.push_back({{0, 0, -50}, 10, {}});
    EXPECT_DOUBLE_EQ(defaultSpeed(scene), 20) << "half the way to the sphere";
    EXPECT_NEAR(changedSpeed(1, 1, 1), 1.2, 1e-12);
    EXPECT_NEAR(changedSpeed(changedSpeed(1, 3, 1), -3, 1), 1, 1e-12);
    EXPECT_DOUBLE_EQ(changedSpeed(1, 1000, 2), 2000);
    EXPECT_DOUBLE_EQ(changedSpeed(1, -1000, 2), .002);
}

Scene twoSpheres() {
    Scene scene;
    scene.spheres.push_back({{0, 0, -10}, 2, {}});
    scene.spheres.push_back({{0, 0, -5}, 1, {}});
    return scene;
}

TEST(Pick, FindsTheNearestSphereAndItsFocus) {
    const Scene scene = twoSpheres();
    const Camera camera = lookingDownZ();
    const auto middle = pick(scene, camera, 320, 240, 640, 480);
    ASSERT_TRUE(middle);
    EXPECT_EQ(middle->sphere, 1);
    expectNear(middle->point, {0, 0, -4});
    EXPECT_NEAR(focusedOn(camera, middle->point).focus, 4, 1e-9);
    EXPECT_FALSE(pick(scene, camera, 0, 0, 640, 480));
    EXPECT_EQ(focusedOn(camera, {0, 0, 5}), camera);
}

TEST(Pick, AgreesWithTheCameraOffTheMiddle) {
    // 90 degrees: the upper edge is seen at 45 degrees.
    Scene scene;
    scene.spheres.push_back({{0, 4, -4}, .1, {}});
    EXPECT_TRUE(pick(scene, lookingDownZ(), 300, 1, 600, 600));
    EXPECT_FALSE(pick(scene, lookingDownZ(), 300, 599, 600, 600));
}

TEST(Pick, FindsTheFloor) {
    Scene scene;
    scene.floor = true;
    Camera camera;
    camera.from = {0, 0, 5};
    camera.to = {0, 1, 4};
    camera.up = {0, 0, 1};
    const auto found = pick(scene, camera, 50, 50, 100, 100);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->sphere, -1) << "no sphere";
    expectNear(found->point, {0, 5, 0});
}

TEST(Steering, AClickTurnsNothingAndADragDoes) {
    const Scene scene = twoSpheres();
    Camera camera = lookingDownZ();
    Steering steering(scene);
    const Steering::Surroundings around{scene, {640, 480}, 1, .016, false, false};
    Input input;
    input.presses.push_back({MouseButton::left, 10, 10, false, false});
    input.buttons[0] = true;
    input.dx = 1;
    steering.steer(input, around, camera);
    EXPECT_EQ(camera, lookingDownZ());
    EXPECT_FALSE(steering.moving(1.05));
    input.presses.clear();
    input.dx = 40;
    steering.steer(input, around, camera);
    EXPECT_GT(camera.to.x, 0);
    EXPECT_TRUE(steering.moving(1.05));
    EXPECT_FALSE(steering.moving(2));
}

TEST(Steering, AltAndDragOrbitsAroundWhatIsUnderTheCursor) {
    const Scene scene = twoSpheres();
    Camera camera = lookingDownZ();
    Steering steering(scene);
    const Steering::Surroundings around{scene, {640, 480}, 1, .016, false, false};
    Input input;
    input.presses.push_back({MouseButton::left, 320, 240, false, true});
    input.buttons[0] = true;
    input.dx = 60;
    steering.steer(input, around, camera);
    const glm::dvec3 pivot{0, 0, -4};  // where the nearer sphere begins
    EXPECT_GT(distance(camera.from, {0, 0, 0}), .1);
    EXPECT_NEAR(distance(camera.from, pivot), 4, 1e-9);
    EXPECT_NEAR(dot(cameraFrame(camera).forward, pivot - camera.from), 4, 1e-9);
    EXPECT_FALSE(steering.flight.orbit) << "for this drag only";
}

TEST(Steering, KeysInATextFieldDoNotFly) {
    const Scene scene = twoSpheres();
    Camera camera = lookingDownZ();
    Steering steering(scene);
    Input input;
    input.held[static_cast<size_t>(Key::forward)] = true;
    steering.steer(input, {scene, {640, 480}, 1, .016, false, true}, camera);
    EXPECT_EQ(camera, lookingDownZ());
    steering.steer(input, {scene, {640, 480}, 1, .016, false, false}, camera);
    EXPECT_LT(camera.from.z, 0);
}

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

TEST(Layout, NothingOverlapsOrLeavesTheWindow) {
    for (const Size size : {Size{700, 400},
                            {1024, 768},
                            {1280, 720},
                            {1920, 1080},
                            {2560, 1440},
                            {3840, 2160},
                            {7680, 4320},
                            {1280, 2160}}) {
        for (float contentScale : {1.f, 1.5f, 2.f, 3.f}) {
            const LayoutWish wish{size.width, size.height, contentScale, false};
            const float scale = scaleFor(wish, 21);
            const Layout layout = layoutFor(wish, scale, 21 * kBodyFont * scale);
            ASSERT_TRUE(layout.panels && layout.strip) << size.width;
            EXPECT_FALSE(overlap(layout.kernel, layout.throughput)) << size.width;
            EXPECT_FALSE(overlap(layout.kernel, layout.status)) << size.width;
            EXPECT_FALSE(overlap(layout.throughput, layout.status)) << size.width;
            EXPECT_LE(layout.throughput.x + layout.throughput.width, size.width);
            EXPECT_FLOAT_EQ(layout.status.y + layout.status.height, size.height);
            EXPECT_GE(layout.free.width, size.width / 5.f) << size.width;
        }
    }
    EXPECT_FALSE(layoutFor({699, 900, 1, false}, 1, 200).panels);
    EXPECT_FALSE(layoutFor({800, 900, 1, false}, 1, 330).panels) << "no room for the picture";
    EXPECT_FALSE(layoutFor({1, 1, 1, false}, 1, 300).strip);
    EXPECT_FALSE(layoutFor({1280, 720, 1, true}, 1, 300).panels);
    EXPECT_NEAR(scaleFor({3840, 2160, 1, false}, 21), 2 * scaleFor({1920, 1080, 1, false}, 21), .1);
    EXPECT_EQ(scaleFor({1280, 720, 2, false}, 12), 1.8f) << "a dense monitor";
}

TEST(MovingDivisor, FitsOneSampleIntoTheBudget) {
    const Size full{1280, 720};
    const Pace pace{10000, 2.5};  // 230 ms for a full pass
    EXPECT_EQ(movingDivisor(full, {}, 20, 1), 4) << "pace not known";
    EXPECT_EQ(movingDivisor({100, 100}, {}, 20, 1), 1) << "small enough for any machine";
    EXPECT_EQ(movingDivisor(full, pace, 240, 1), 1);
    EXPECT_EQ(movingDivisor(full, pace, 30, 1), 3) << "230 / 9 = 25.6";
    EXPECT_EQ(movingDivisor(full, pace, 60, 3), 3) << "57.6 of 60 is too close to change";
    EXPECT_EQ(movingDivisor(full, pace, 80, 3), 2);
    EXPECT_EQ(movingDivisor(full, pace, .001, 1), 16);
    EXPECT_EQ(divided({1, 1}, 16), (Size{1, 1}));
    EXPECT_EQ(divided(full, 1.5), (Size{853, 480}));
}

TEST(LargestFilm, HalvesUntilThereIsMemory) {
    const auto limited = [](int width) {
        return [width](Size size) -> std::string { return size.width > width ? "too large" : ""; };
    };
    const FilmMemory all = largestFilm({1000, 500}, limited(1000));
    EXPECT_TRUE(all.allocated && all.problem.empty());
    EXPECT_EQ(all.divisor, 1);
    const FilmMemory quarter = largestFilm({1000, 500}, limited(300));
    EXPECT_TRUE(quarter.allocated);
    EXPECT_EQ(quarter.divisor, 4);
    EXPECT_EQ(quarter.problem, "too large");
    EXPECT_FALSE(largestFilm({1000, 500}, limited(100)).allocated);
}

FrameStats statsOf(double raysPerSecond, double ms) {
    FrameStats stats;
    stats.timedRays = static_cast<std::uint64_t>(raysPerSecond * ms / 1e3);
    stats.timedMs = stats.kernelMs = ms;
    stats.rays.camera = stats.timedRays / 2;
    stats.rays.bounce = stats.timedRays / 2;
    return stats;
}

TEST(Rates, SpreadIsThatOfTheFramesAveraged) {
    Rates rates;
    EXPECT_FALSE(rates.spread());
    for (int i = 0; i < 20; ++i) rates.add(statsOf(i % 2 == 0 ? 1e6 : 3e6, 20), .04 * i, .04, true);
    ASSERT_TRUE(rates.spread());
    EXPECT_NEAR(rates.spread()->lower, 1e6, 1);
    EXPECT_NEAR(rates.spread()->upper, 3e6, 1);
    rates.restart();
    EXPECT_FALSE(rates.spread());
}

TEST(Rates, FormTheRatioOfSettledRatesAcrossASwitch) {
    Rates rates;
    Settings before, after;
    after.variant.precision = Precision::float64;
    double now = 0;
    const auto run = [&](double rate, double seconds, bool settled) {
        for (const double end = now + seconds; now < end; now += .04) {
            rates.add(statsOf(rate, 20), now, .04, settled);
        }
    };
    run(1e6, 3, true);
    EXPECT_NEAR(*rates.raysPerSecond(), 1e6, 1);
    EXPECT_NEAR(*rates.wallRaysPerSecond(), .5e6, 1e3);
    EXPECT_FALSE(rates.ratio());
    rates.mark(before, after, now);
    EXPECT_FALSE(rates.raysPerSecond()) << "nothing of the kernel before";
    run(9e6, 1, false);  // still compiling: the old kernel goes on
    EXPECT_FALSE(rates.ratio());
    run(5e6, 2, true);
    ASSERT_TRUE(rates.ratio());
    EXPECT_NEAR(rates.ratio()->ratio, 5, 1e-3);
    EXPECT_EQ(rates.ratio()->label, "precision=double");
    ASSERT_EQ(rates.marks().size(), 1u);
    // A second switch before the first has settled is compared with the last settled rate.
    rates.mark(after, before, now);
    run(5e6, .1, true);
    Settings third;
    third.variant.path = Path::stack;
    rates.mark(before, third, now);
    run(10e6, 2, true);
    ASSERT_TRUE(rates.ratio());
    EXPECT_NEAR(rates.ratio()->ratio, 2, 1e-3);
    EXPECT_EQ(rates.ratio()->label, "path=stack precision=float");
}

/// The window's part in a climb: enters what it is told, and traces at a given rate.
struct FakeWindow {
    Backends backends{makeCpuRenderer(), nullptr};
    LadderClimb climb;
    State state;
    FrameStats settled;

    FakeWindow() {
        EXPECT_EQ(climb.choose("weekend"), "");
        state.scene = climb.sceneOf(0);
        state.settings = defaultSettings(Backend::cpu, state.scene);
        state.settings.depth = 7;  // of no rung
        backends.setScene(state.scene);
        climb.look(backends, state);
    }
    /// A frame in which `ms` of kernel time are traced; returns the rungs that were entered.
    std::vector<int> frame(double ms, double rate = 1e6) {
        climb.look(backends, state);
        settled += statsOf(rate, ms);
        climb.note(settled);
        std::vector<int> entered;
        while (const auto rung = climb.next(.03, "")) {
            climb.look(backends, state);
            const Standing& standing = climb.standings()[*rung];
            if (!standing.reason.empty()) {
                climb.skip(*rung, standing.reason);
                continue;
            }
            state.settings = standing.settings;
            settled = {};
            climb.entered(*rung);
            entered.push_back(*rung);
            break;
        }
        return entered;
    }
};

TEST(LadderClimb, EntersEveryPossibleRungUntilItIsMeasured) {
    FakeWindow window;
    LadderClimb& climb = window.climb;
    EXPECT_TRUE(window.frame(2000).empty()) << "nobody climbs yet";
    EXPECT_EQ(climb.current(), -1);
    climb.start();
    EXPECT_EQ(window.frame(0), std::vector<int>{0});
    EXPECT_EQ(climb.current(), 0);
    EXPECT_EQ(window.state.settings.variant.path, Path::recursive);
    EXPECT_TRUE(window.frame(400, 2e6).empty());
    EXPECT_TRUE(window.frame(400, 2e6).empty());
    EXPECT_FALSE(climb.standings()[0].rate);
    EXPECT_EQ(window.frame(400, 2e6), std::vector<int>{1});
    EXPECT_NEAR(*climb.standings()[0].rate, 2e6, 1);
    EXPECT_EQ(climb.current(), 1);
    size_t entered = 2;
    for (int i = 0; i < 50 && climb.climbing(); ++i) entered += window.frame(1100).size();
    EXPECT_FALSE(climb.climbing());
    size_t measured = 0;
    for (const Standing& s : climb.standings()) {
        measured += s.rate.has_value();
        EXPECT_NE(s.rate.has_value(), !s.skipped.empty());
    }
    EXPECT_EQ(measured, entered);
    EXPECT_GE(measured, 3u);
    EXPECT_FALSE(climb.standings().back().reason.empty() &&
                 climb.standings().back().skipped.empty() && !climb.standings().back().rate);
}

TEST(LadderClimb, EndsWhereTheSettingsAreSomebodyElses) {
    FakeWindow window;
    window.climb.start();
    window.frame(0);
    window.state.settings.depth = 3;
    EXPECT_TRUE(window.frame(2000).empty());
    EXPECT_FALSE(window.climb.climbing());
    EXPECT_FALSE(window.climb.standings()[0].rate) << "not the rung's";
    window.climb.start();
    window.frame(0);
    window.climb.cancel();
    EXPECT_TRUE(window.frame(2000).empty());
    EXPECT_TRUE(window.climb.standings()[0].rate) << "it is the rung all the same";
}

TEST(LadderClimb, GivesUpARungThatDoesNotRun) {
    FakeWindow window;
    window.climb.start();
    window.frame(0);
    EXPECT_EQ(window.climb.next(.03, "it does not compile"), 1);
    EXPECT_EQ(window.climb.standings()[0].skipped, "it does not compile");
    window.state.settings = window.climb.standings()[1].settings;
    window.climb.look(window.backends, window.state);
    window.climb.entered(1);
    EXPECT_FALSE(window.climb.next(59, ""));
    EXPECT_EQ(window.climb.next(2, ""), 2);
    EXPECT_NE(window.climb.standings()[1].skipped.find("minute"), std::string::npos);
}

TEST(LadderClimb, KeepsTheResultsOfLaddersShownBefore) {
    FakeWindow window;
    window.climb.start();
    window.frame(0);
    window.frame(1100);
    EXPECT_EQ(window.climb.choose("business-card"), "");
    EXPECT_FALSE(window.climb.climbing());
    EXPECT_EQ(window.climb.ladder()->name, "business-card");
    EXPECT_EQ(window.climb.choose("weekend"), "");
    EXPECT_TRUE(window.climb.standings()[0].rate);
    EXPECT_NE(window.climb.choose("nowhere"), "");
    EXPECT_EQ(window.climb.ladder()->name, "weekend");
}

TEST(Format, FiguresKeepThreeToFourDigits) {
    EXPECT_EQ(formatRate(4.5312e10), "45.31 G rays/s");
    EXPECT_EQ(formatRate(7.16e8), "716.0 M rays/s");
    EXPECT_EQ(formatRate(9.9999e8), "1.00 G rays/s");
    EXPECT_EQ(formatRate(1234), "1.23 k rays/s");
    EXPECT_EQ(formatRate(-1), "\u2014 rays/s");
    EXPECT_EQ(formatNumber(.0421), "0.042");
    EXPECT_EQ(formatNumber(12.34), "12.3");
    EXPECT_EQ(formatCount(1234567), "1 234 567");
    EXPECT_EQ(shorten("\u00e9\u00e9\u00e9", 5), "\u00e9...");
}

TEST(Plots, TicksAreRoundAndReachTheMaximum) {
    for (double maximum : {.013, 1., 7.3, 12.5, 99., 4.6e10}) {
        const std::vector<double> ticks = axisTicks(maximum, 4);
        EXPECT_GE(ticks.back(), maximum * .999);
        EXPECT_GE(ticks.size(), 3u);
        EXPECT_LE(ticks.size(), 7u);
    }
    EXPECT_EQ(axisTicks(30, 3), (std::vector<double>{0, 10, 20, 30}));
    EXPECT_GT(axisTicks(0, 4).back(), 0);
}

}  // namespace
}  // namespace rayscope
