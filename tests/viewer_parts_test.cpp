// The viewer's arithmetic: flight, picking, layout, resolution, rates, figures.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <glm/geometric.hpp>
#include <set>
#include <sstream>

#include "renderer/choices/axes.h"
#include "renderer/lab/run_ladder.h"
#include "tests/made_up_renderer.h"
#include "tests/made_up_window.h"
#include "tests/pictured_square.h"
#include "ui/format.h"
#include "ui/ladder_panel.h"
#include "ui/plots.h"
#include "ui/rates.h"
#include "ui/steering.h"
#include "ui/stored_figures.h"
#include "ui/theme.h"
#include "ui/tracer.h"

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
    const auto middle = pick(scene, camera, 320, 240, {640, 480});
    ASSERT_TRUE(middle);
    EXPECT_EQ(middle->sphere, 1);
    expectNear(middle->point, {0, 0, -4});
    EXPECT_NEAR(focusedOn(camera, middle->point).focus, 4, 1e-9);
    EXPECT_FALSE(pick(scene, camera, 0, 0, {640, 480}));
    EXPECT_EQ(focusedOn(camera, {0, 0, 5}), camera);
}

TEST(Pick, AgreesWithTheCameraOffTheMiddle) {
    // 90 degrees: the upper edge is seen at 45 degrees.
    Scene scene;
    scene.spheres.push_back({{0, 4, -4}, .1, {}});
    EXPECT_TRUE(pick(scene, lookingDownZ(), 300, 1, {600, 600}));
    EXPECT_FALSE(pick(scene, lookingDownZ(), 300, 599, {600, 600}));
}

TEST(Pick, GoesThroughHoles) {
    Mesh square = squareWith({1, 1, {kWhite8}});  // from -1 to 1
    square.textures[0].albedo.picture = halves(kWhite8 & 0xffffff, kWhite8);
    Scene scene = twoSpheres();
    scene.meshes.push_back(placed(square));
    Camera camera = lookingDownZ();
    camera.from.z = 2;
    camera.to.z = 1;
    const auto at = [&](double x) { return pick(scene, camera, x, 310, {640, 640}); };
    for (const double x : {300, 340}) {
        ASSERT_TRUE(at(x));
        EXPECT_EQ(at(x)->sphere, -1) << "whole";
    }
    cutHoles(square.textures[0], .5);
    scene.meshes[0] = placed(square);
    ASSERT_TRUE(at(300));
    EXPECT_EQ(at(300)->sphere, 1) << "through the left half";
    EXPECT_EQ(at(340)->sphere, -1);
}

TEST(Pick, FindsTheFloor) {
    Scene scene;
    scene.floor = true;
    Camera camera;
    camera.from = {0, 0, 5};
    camera.to = {0, 1, 4};
    camera.up = {0, 0, 1};
    const auto found = pick(scene, camera, 50, 50, {100, 100});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->sphere, -1) << "no sphere";
    expectNear(found->point, {0, 5, 0});
}

/// Frames of a sixtieth of a second with a key held down.
void hold(Steering& steering, Key key, const SharedScene& scene, double seconds, Camera& camera) {
    Input input;
    input.held[static_cast<std::size_t>(key)] = true;
    const double frame = 1. / 60;
    for (double t = 0; t < seconds; t += frame)
        steering.steer(input, {scene, {640, 480}, t, frame, false, false}, camera);
}

TEST(Steering, SpheresStopTheCameraUnlessItMayPass) {
    Scene scene;
    scene.camera = lookingDownZ();
    scene.spheres.push_back({{0, 0, -50}, 10, {}});
    const SharedScene shared(scene);
    Camera camera = scene.camera;
    Steering steering(shared);
    hold(steering, Key::forward, shared, 30, camera);
    EXPECT_GT(camera.from.z, -40);
    EXPECT_LT(camera.from.z, -38) << "it comes near";
    expectNear(camera.to - camera.from, {0, 0, -2});
    EXPECT_EQ(steering.where(MovedScene(shared), camera), "");
    const double stopped = camera.from.z;
    hold(steering, Key::back, shared, .5, camera);
    EXPECT_NEAR(camera.from.z - stopped, 10, .4) << "nothing slows a way out";
    steering.flight.through = true;
    hold(steering, Key::forward, shared, 1, camera);
    EXPECT_LT(camera.from.z, -40);
    EXPECT_TRUE(steering.where(MovedScene(shared), camera).starts_with("Inside sphere 0"));
    steering.flight.through = false;
    hold(steering, Key::back, shared, 1, camera);
    EXPECT_GT(camera.from.z, -40) << "who is inside may leave";
}

TEST(Steering, TheCameraSlidesAlongWhatItCannotEnter) {
    Scene scene;
    scene.camera.from = {0, 1, 0};
    scene.camera.to = {0, 0, -1};  // 45 degrees down to the ground
    scene.spheres.push_back({{0, -1e5, 0}, 1e5, {}});
    const SharedScene shared(scene);
    Camera camera = scene.camera;
    Steering steering(shared);
    steering.flight.speed = 1;
    hold(steering, Key::forward, shared, 10, camera);
    EXPECT_GT(camera.from.y, 0);
    EXPECT_LT(camera.from.y, .2);
    EXPECT_NEAR(camera.from.z, -10 * std::sqrt(.5), .2) << "along the ground as fast as before";
}

TEST(Steering, TrianglesAndTheFloorStopTheCamera) {
    Mesh mesh;
    mesh.corners = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    mesh.faces = {{{0, 1, 2}, 0}, {{0, 2, 3}, 0}};
    mesh.materials = {materialOfKind(MaterialKind::lambert, 1)};
    Scene scene = sceneOf(mesh, 1);
    scene.camera.from = {1, 0, 5};
    scene.camera.to = {1, 0, 0};
    const SharedScene shared(scene);
    Camera camera = scene.camera;
    Steering steering(shared);
    // the triangles' hierarchy is made beside
    for (int i = 0; i < 1000; ++i) {
        Camera unmoved = scene.camera;
        hold(steering, Key::forward, shared, 1. / 60, unmoved);
        usleep(1000);
    }
    hold(steering, Key::forward, shared, 60, camera);
    EXPECT_GT(camera.from.z, 0);
    EXPECT_LT(camera.from.z, .5);

    Scene card;
    card.floor = true;
    card.camera.from = {0, 0, 5};
    card.camera.to = {0, 0, 0};
    card.camera.up = {0, 1, 0};
    const SharedScene floored(card);
    Steering above(floored);
    camera = card.camera;
    hold(above, Key::forward, floored, 30, camera);
    EXPECT_GT(camera.from.z, 0);
    EXPECT_LT(camera.from.z, .5);
}

TEST(Steering, AClickTurnsNothingAndADragDoes) {
    const Scene scene = twoSpheres();
    Camera camera = lookingDownZ();
    Steering steering(scene);
    const Steering::Surroundings around{SharedScene(scene), {640, 480}, 1, .016, false, false};
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
    const Steering::Surroundings around{SharedScene(scene), {640, 480}, 1, .016, false, false};
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
    steering.steer(input, {SharedScene(scene), {640, 480}, 1, .016, false, true}, camera);
    EXPECT_EQ(camera, lookingDownZ());
    steering.steer(input, {SharedScene(scene), {640, 480}, 1, .016, false, false}, camera);
    EXPECT_LT(camera.from.z, 0);
}

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

constexpr float kEms = 21;  ///< width of a panel

Layout layoutOf(LayoutWish wish) {
    const float scale = scaleFor(wish, kEms);
    return layoutFor(wish, scale, kEms * kBodyFont * scale);
}

TEST(Layout, NothingOverlapsOrLeavesTheWindow) {
    for (const Size size : {Size{500, 300},
                            {640, 400},
                            {700, 400},
                            {849, 1200},
                            {850, 400},
                            {1024, 768},
                            {1280, 720},
                            {1920, 1080},
                            {2560, 1440},
                            {3840, 2160},
                            {7680, 4320},
                            {3840, 300},
                            {1280, 2160}}) {
        for (float contentScale : {1.f, 1.5f, 2.f, 3.f}) {
            for (const bool docked : {false, true}) {
                const LayoutWish wish{size.width, size.height, contentScale, false, docked, docked};
                const Layout layout = layoutOf(wish);
                ASSERT_TRUE(layout.panels && layout.strip) << size.width;
                std::vector<Rect> all{layout.throughput, layout.status};
                if (!layout.folded) all.push_back(layout.kernel);
                for (const Rect& rect : {layout.timeline, layout.pane}) {
                    if (rect.height > 0) all.push_back(rect);
                }
                for (size_t i = 0; i < all.size(); ++i) {
                    EXPECT_GE(all[i].x, 0) << size.width;
                    EXPECT_GE(all[i].y, 0) << size.width;
                    EXPECT_GT(all[i].height, 10) << size.width;
                    EXPECT_LE(all[i].x + all[i].width, size.width);
                    EXPECT_LE(all[i].y + all[i].height, size.height);
                    EXPECT_FALSE(overlap(all[i], layout.free)) << size.width << " " << i;
                    for (size_t k = 0; k < i; ++k)
                        EXPECT_FALSE(overlap(all[i], all[k])) << size.width << " " << i << k;
                }
                EXPECT_GE(layout.free.width, size.width / 5.f) << size.width;
            }
        }
    }
    EXPECT_FALSE(layoutOf({1, 1, 1, false}).strip);
    EXPECT_FALSE(layoutOf({1280, 720, 1, true}).panels);
    EXPECT_NEAR(scaleFor({3840, 2160, 1, false}, 21), 2 * scaleFor({1920, 1080, 1, false}, 21), .1);
    EXPECT_EQ(scaleFor({1280, 720, 2, false}, 12), 1.8f) << "a dense monitor";
}

TEST(Layout, NarrowWindowsFoldTheirPanelsIntoOne) {
    EXPECT_FALSE(layoutOf({850, 600}).folded);
    for (const Size size : {Size{849, 600}, {700, 400}, {640, 400}, {500, 300}}) {
        const Layout layout = layoutOf({size.width, size.height});
        EXPECT_TRUE(layout.folded && layout.panels) << size.width;
        EXPECT_EQ(layout.kernel, layout.throughput);
        EXPECT_EQ(layout.free.x,
                  layout.status.x + (size.width - layout.throughput.width - layout.free.width) / 3);
    }
    EXPECT_TRUE(layoutOf({1600, 1000, 2}).folded) << "of a dense monitor";
    EXPECT_TRUE(layoutFor({900, 900}, 1, 400).folded) << "letters are wide";
    EXPECT_FALSE(layoutOf({320, 400}).panels) << "no room for the picture";
}

TEST(Layout, PanelsAreAsWideAsTheyWereDraggedWhereThePictureHasRoom) {
    const Layout usual = layoutOf({1600, 900});
    const float em = kBodyFont * usual.scale, least = usual.kernel.width;
    LayoutWish wish{1600, 900};
    wish.left = 1;
    EXPECT_EQ(layoutOf(wish).kernel.width, least) << "no text is cut off";
    wish.left = least / em + 5;
    EXPECT_NEAR(layoutOf(wish).kernel.width, least + 5 * em, 1);
    EXPECT_EQ(layoutOf(wish).throughput, usual.throughput);
    wish.right = least / em + 2;
    EXPECT_NEAR(layoutOf(wish).throughput.width, least + 2 * em, 1);
    wish.left = wish.right = 900;
    const Layout widest = layoutOf(wish);
    EXPECT_GE(widest.free.width, 1600 / 5.f);
    EXPECT_FALSE(overlap(widest.kernel, widest.free) || overlap(widest.throughput, widest.free));
}

TEST(Layout, TextIsAsLargeAsItIsWished) {
    LayoutWish wish{3840, 2160};
    const float usual = scaleFor(wish, kEms);
    wish.text = 1.2f;
    EXPECT_NEAR(scaleFor(wish, kEms), 1.2f * usual, .07) << "whole pixels of a font of 15";
    wish.text = 2.5f;
    EXPECT_TRUE(layoutOf(wish).panels) << "less where the panels would not fit";
}

TEST(Layout, AWindowIsNoLargerThanTheScreenLeaves) {
    const Area work{0, 30, 1400, 870};
    const auto expect = [&](const Area& area, int x, int y, int width, int height) {
        EXPECT_EQ(area.x, x);
        EXPECT_EQ(area.y, y);
        EXPECT_EQ(area.width, width);
        EXPECT_EQ(area.height, height);
    };
    expect(within(work, {}, {0, 0, 1600, 900}), 0, 30, 1400, 870);
    expect(within(work, {2, 24, 2, 2}, {0, 0, 1600, 900}), 2, 54, 1396, 844);
    expect(within(work, {}, {500, 100, 800, 600}), 500, 100, 800, 600);
    expect(within(work, {}, {900, 600, 800, 600}), 600, 300, 800, 600);
    expect(within({}, {}, {0, 0, 800, 600}), 0, 0, 800, 600);
}

TEST(Layout, TheTimelineAndTheCodeAreAsWideAsTheWindow) {
    for (const int width : {640, 1280, 3840}) {
        const Layout without = layoutOf({width, 720});
        const Layout layout = layoutOf({width, 720, 1, false, true, true});
        for (const Rect& rect : {layout.timeline, layout.pane})
            EXPECT_EQ(rect.width, width - 2 * layout.timeline.x) << width;
        EXPECT_EQ(layout.timeline.y + layout.timeline.height,
                  without.kernel.y + without.kernel.height);
        EXPECT_LT(layout.kernel.height, without.kernel.height);
    }
}

TEST(MovingDivisor, FitsOneSampleIntoTheBudget) {
    const Size full{1280, 720};
    const Throughput known{10000, 2.5};  // 230 ms for a full pass
    EXPECT_EQ(movingDivisor(full, {}, 20, 1), 4) << "throughput not known";
    EXPECT_EQ(movingDivisor({100, 100}, {}, 20, 1), 1) << "small enough for any machine";
    EXPECT_EQ(movingDivisor(full, known, 240, 1), 1);
    EXPECT_EQ(movingDivisor(full, known, 30, 1), 3) << "230 / 9 = 25.6";
    EXPECT_EQ(movingDivisor(full, known, 60, 3), 3) << "57.6 of 60 is too close to change";
    EXPECT_EQ(movingDivisor(full, known, 80, 3), 2);
    EXPECT_EQ(movingDivisor(full, known, .001, 1), 16);
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

/// Every ratio stands in a row of that name in docs/measurements.md.
TEST(StoredFigures, AreThoseOfTheMeasurements) {
    const std::string source = RAYSCOPE_SOURCE_DIR;
    std::ifstream file(source + "/docs/measurements.md");
    std::set<std::string> rows;  // "engine=wavefront 0.22"
    for (std::string line; std::getline(file, line);) {
        std::vector<std::string> cells;
        std::istringstream parts(line);
        for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
        if (cells.size() < 5 || cells[1].size() < 3) continue;
        const auto trimmed = [](const std::string& s) { return s.substr(1, s.size() - 2); };
        if (cells[4].size() > 2) rows.insert(trimmed(cells[1]) + " " + trimmed(cells[4]));
    }
    int found = 0;
    for (const Axis& axis : axes()) {
        for (int i = 0; i < static_cast<int>(axis.values.size()); ++i) {
            const std::string text = storedFigure(axis, i);
            if (text.empty()) continue;
            const std::size_t from = text.find(": ") + 2;
            const std::string ratio = text.substr(from, text.find('x', from) - from);
            EXPECT_TRUE(rows.contains(std::string(axis.id) + "=" +
                                      axis.values[static_cast<std::size_t>(i)].id + " " + ratio))
                << axis.id << ": " << text;
            ++found;
        }
    }
    EXPECT_GT(found, 50);
    const Axis& engine = *findAxis("engine");
    EXPECT_EQ(storedFigure(engine, engine.values.find("wavefront")),
              "NVIDIA H200, vt9: 0.22x of the defaults");
    EXPECT_EQ(storedFigure("voxel-tracer", "uber kernel"), "NVIDIA H200: 32,335 Mrays/s");
    EXPECT_EQ(storedFigure("voxel-tracer", "no such rung"), "");
    EXPECT_EQ(storedFigure("no such ladder", "uber kernel"), "");
}

TEST(Plots, TheAxisOfTheFramesTimesGrowsWithThem) {
    const auto times = [](int fast, int slow, double ms) {
        std::deque<double> all(static_cast<std::size_t>(fast), 16.);
        all.insert(all.end(), static_cast<std::size_t>(slow), ms);
        return all;
    };
    EXPECT_EQ(histogramMs({}), 60);
    EXPECT_EQ(histogramMs(times(100, 0, 0)), 60);
    EXPECT_EQ(histogramMs(times(99, 1, 500)), 60) << "one of a hundred is in the last bar";
    EXPECT_EQ(histogramMs(times(50, 50, 90)), 120);
    EXPECT_EQ(histogramMs(times(50, 50, 500)), 600);
    EXPECT_EQ(histogramMs(times(0, 10, 1e6)), 6000);
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
    EXPECT_TRUE(rates.ratio()->gain());
    // more rays, each of which is worth less
    Settings fourth = third;
    fourth.variant.lightSampling = !fourth.variant.lightSampling;
    rates.mark(third, fourth, now);
    run(20e6, 2, true);
    ASSERT_TRUE(rates.ratio());
    EXPECT_TRUE(rates.ratio()->clear());
    EXPECT_FALSE(rates.ratio()->gain());
}

/// The rates of two views have nothing to do with each other.
TEST(Rates, ARatioIsOfOneView) {
    Rates rates;
    Settings before, after;
    after.variant.precision = Precision::float64;
    Camera here, there;
    there.from.x = 1;
    double now = 0;
    const auto run = [&](const Camera& camera, bool moving, double rate) {
        for (const double end = now + 2; now < end; now += .04) {
            rates.look(camera, moving);
            rates.add(statsOf(rate, 20), now, .04, !moving);
        }
    };
    run(here, false, 1e6);
    rates.mark(before, after, now);
    run(here, false, 5e6);
    ASSERT_TRUE(rates.ratio());
    run(there, true, 7e6);
    EXPECT_FALSE(rates.ratio()) << "on the way";
    run(here, false, 5e6);
    ASSERT_TRUE(rates.ratio()) << "home again";
    EXPECT_NEAR(rates.ratio()->ratio, 5, 1e-3);
    EXPECT_NEAR(*rates.raysPerSecond(), 5e6, 1) << "nothing of the way";
    run(there, false, 8e6);
    EXPECT_FALSE(rates.ratio());
    EXPECT_FALSE(rates.measuring());
    rates.mark(after, before, now);
    run(there, false, 2e6);
    ASSERT_TRUE(rates.ratio());
    EXPECT_NEAR(rates.ratio()->ratio, .25, 1e-3);
}

TEST(Rates, MarksSayWhatChanged) {
    Rates rates;
    Settings before, after;
    after.variant.path = Path::stack;
    Camera here, there;
    there.from.x = 1;
    double now = 0;
    const auto run = [&](const Camera& camera, bool moving) {
        for (int i = 0; i < 10; ++i, now += .04) {
            rates.look(camera, moving);
            rates.add(statsOf(1e6, 20), now, .04, !moving);
        }
    };
    run(here, false);
    EXPECT_TRUE(rates.marks().empty()) << "where it began is no jump";
    run(there, true);
    run(there, false);
    rates.mark(before, after, now);
    run(there, false);
    rates.name("a rung", now);
    rates.mark(after, before, now);
    run(there, false);
    rates.enter("scene vt46", now);
    run(here, false);
    rates.mark(before, after, now);
    std::vector<std::string> labels;
    for (const SwitchMark& mark : rates.marks()) labels.push_back(mark.label);
    EXPECT_EQ(labels, (std::vector<std::string>{"view", "path=stack", "a rung", "scene vt46",
                                                "path=stack"}));
}

TEST(Rates, ARatioSaysHowCertainItIs) {
    Rates rates;
    Settings before, after;
    after.variant.precision = Precision::float64;
    double now = 0;
    const auto run = [&](double rate) {
        for (int i = 0; i < 50; ++i, now += .04)
            rates.add(statsOf(rate * (i % 2 == 0 ? .9 : 1.1), 20), now, .04, true);
    };
    run(1e6);
    rates.mark(before, after, now);
    run(1.01e6);
    ASSERT_TRUE(rates.ratio());
    EXPECT_FALSE(rates.ratio()->clear()) << rates.ratio()->halfWidth;
    rates.mark(after, before, now);
    run(2e6);
    EXPECT_TRUE(rates.ratio()->clear());
    EXPECT_LT(rates.ratio()->halfWidth, .2);
}

/// The upper half of the picture takes a quarter of the time of the lower one.
TEST(Rates, FiguresAreOfWholePasses) {
    Rates rates;
    for (int pass = 0; pass < 3; ++pass) {
        rates.add(statsOf(4e6, 10), pass, .04, true, false);
        EXPECT_EQ(rates.firstLook(), pass == 0);
        EXPECT_NEAR(*rates.raysPerSecond(), pass == 0 ? 4e6 : 1.6e6, 1);
        rates.add(statsOf(1e6, 40), pass + .5, .04, true, true);
        EXPECT_NEAR(*rates.raysPerSecond(), 1.6e6, 1);
        EXPECT_NEAR(rates.frameMs(), 40, 1e-6);
    }
    for (const RatePoint& point : rates.history()) EXPECT_NEAR(point.raysPerSecond, 1.6e6, 1);
    EXPECT_EQ(rates.history().size(), 3u);
}

template <class Made = MadeUpRenderer>
Machine madeUpMachine() {
    return {std::make_unique<Made>(), nullptr, "there is no GPU"};
}

ClimbWish quickly() {
    ClimbWish wish;
    wish.seconds = .005;
    wish.width = wish.height = 8;
    return wish;
}

/// The tab in a window of nothing else.
struct FakeWindow {
    Backends backends{std::make_unique<MadeUpRenderer>(), nullptr};
    State state;
    MadeUpWindow window{backends, state};
    LadderTab tab;
    const LadderClimb& climb;
    std::string message;

    explicit FakeWindow(const std::string& ladder = "weekend",
                        std::function<Machine()> open = madeUpMachine<>)
        : tab(std::move(open), quickly()), climb(tab.climb()) {
        window.frame.tab = tab.id();
        choose(ladder);
        EXPECT_EQ(window.said(), "");
        state.scene = climb.standings()[0].scene;
        state.settings = defaultSettings(Backend::cpu, state.scene);
        state.settings.depth = 7;  // of no rung
        backends.setScene(state.scene);
        tab.step(window.frame);
    }
    void choose(const std::string& ladder) { tab.choose(ladder, window.frame); }
    void start() { tab.start(window.frame); }
    /// The rung that the window is in.
    int frame() {
        tab.step(window.frame);
        if (tab.working()) tab.work(window.frame, 1);
        message = window.said();
        return climb.current();
    }
    /// Until nothing is measured any more; the rungs that were shown.
    std::set<int> play() {
        std::set<int> shown;
        const Clock::time_point start = Clock::now();
        while (climb.measuring() && millisecondsSince(start) < 30e3) shown.insert(frame());
        EXPECT_FALSE(climb.measuring());
        return shown;
    }
};

TEST(LadderClimb, ShowsEveryPossibleRungWhileItIsMeasured_alone) {
    FakeWindow window;
    const LadderClimb& climb = window.climb;
    EXPECT_EQ(window.frame(), -1) << "nobody climbs yet";
    EXPECT_FALSE(climb.measuring());
    window.start();
    EXPECT_TRUE(climb.climbing());
    EXPECT_EQ(window.frame(), 0);
    EXPECT_EQ(window.state.settings.variant.path, Path::recursive);
    EXPECT_FALSE(climb.standings()[0].result);
    const std::set<int> shown = window.play();
    EXPECT_EQ(window.message, "The climb has ended");
    EXPECT_FALSE(climb.climbing());
    size_t measured = 0;
    for (size_t i = 0; i < climb.standings().size(); ++i) {
        const Standing& s = climb.standings()[i];
        measured += s.measured();
        EXPECT_NE(s.measured(), !s.skipped().empty());
        EXPECT_EQ(s.measured(), shown.contains(static_cast<int>(i))) << i;
        EXPECT_EQ(s.measured(), s.reason.empty()) << s.reason;
    }
    EXPECT_GE(measured, 3u);
    EXPECT_EQ(climb.current(), *shown.rbegin()) << "the last one stays";
}

TEST(LadderClimb, GoesBackToBeforeIt_alone) {
    FakeWindow window;
    const Settings before = window.state.settings;
    window.start();
    window.play();
    EXPECT_NE(window.state.settings, before);
    EXPECT_EQ(window.tab.enter(0, window.window.frame), "") << "from a rung to another";
    window.tab.goBack(window.window.frame);
    EXPECT_EQ(window.state.settings, before);
    EXPECT_FALSE(window.climb.measuring());
    window.tab.goBack(window.window.frame);
    EXPECT_EQ(window.state.settings, before) << "there is nothing more";
    window.state.settings.depth = 9;
    EXPECT_EQ(window.tab.enter(1, window.window.frame), "");
    window.tab.goBack(window.window.frame);
    EXPECT_EQ(window.state.settings.depth, 9);
}

TEST(LadderClimb, SaysFromItsStartHowLongItTakes_alone) {
    FakeWindow window;
    EXPECT_FALSE(window.climb.secondsLeft());
    window.start();
    ASSERT_TRUE(window.climb.secondsLeft());
    EXPECT_GT(*window.climb.secondsLeft(), 1);
    const std::string first = fmt::format("climbing 1 of {}: ", window.climb.standings().size());
    EXPECT_TRUE(window.tab.doing().starts_with(first)) << window.tab.doing();
}

TEST(LadderReach, ACpuOpensALadderThatItCanRun) {
    const Backends cpu(makeCpuRenderer(), nullptr);
    const Backends both(makeCpuRenderer(), std::make_unique<MadeUpRenderer>());
    LadderReaches reaches;
    const std::vector<std::string> all = ladderNames();
    const std::string first = reaches.first(all, cpu, Backend::cpu);
    EXPECT_FALSE(reaches.of(first, cpu, Backend::cpu).hardly()) << first;
    const LadderReach& gpu = reaches.of("voxel-tracer", cpu, Backend::cpu);
    EXPECT_TRUE(gpu.hardly());
    EXPECT_NE(gpu.sentence().find("; the others need a GPU (there is no CUDA device)"),
              std::string::npos)
        << gpu.sentence();
    EXPECT_EQ(reaches.first(all, both, Backend::cuda), "voxel-tracer");
    EXPECT_EQ(reaches.of("voxel-tracer", both, Backend::cuda).why, "");
    EXPECT_EQ(reaches.first({}, cpu, Backend::cpu), "");
}

TEST(LadderClimb, EndsWhereTheSettingsAreSomebodyElses_alone) {
    FakeWindow window;
    const LadderClimb& climb = window.climb;
    window.start();
    window.frame();
    window.state.settings.depth = 3;
    window.frame();
    EXPECT_FALSE(climb.measuring());
    EXPECT_FALSE(climb.standings()[0].result) << "it was not measured to its end";
    window.start();
    while (!climb.standings()[0].result) window.frame();
    window.tab.cancel();
    EXPECT_TRUE(climb.standings()[0].measured()) << "what is known stays";
    EXPECT_FALSE(climb.standings()[1].result);
}

TEST(LadderClimb, MeasuresTheRungThatIsEntered_alone) {
    FakeWindow window;
    EXPECT_EQ(window.tab.enter(1, window.window.frame), "");
    EXPECT_TRUE(window.climb.measuring());
    EXPECT_FALSE(window.climb.climbing());
    EXPECT_EQ(window.climb.target(), 1);
    EXPECT_EQ(window.play(), std::set<int>{1});
    EXPECT_EQ(window.message, "");
    EXPECT_TRUE(window.climb.standings()[1].measured());
    EXPECT_FALSE(window.climb.standings()[0].result);
}

TEST(LadderClimb, GivesUpARungThatDoesNotRun_alone) {
    FakeWindow window("weekend", [] {
        auto renderer = std::make_unique<MadeUpRenderer>();
        renderer->broken = Path::recursive;
        return Machine{std::move(renderer), nullptr, "there is no GPU"};
    });
    window.start();
    window.play();
    EXPECT_EQ(window.climb.standings()[0].skipped(), "the kernel does not compile: made-up error");
    EXPECT_EQ(window.climb.figure(0), "");
    EXPECT_TRUE(window.climb.standings()[1].measured());
}

TEST(LadderClimb, KeepsTheResultsOfLaddersShownBefore_alone) {
    FakeWindow window;
    window.start();
    while (!window.climb.standings()[0].result) window.frame();
    window.choose("business-card");
    EXPECT_EQ(window.window.said(), "");
    EXPECT_FALSE(window.climb.climbing());
    EXPECT_EQ(window.climb.ladder()->name, "business-card");
    window.choose("weekend");
    EXPECT_EQ(window.window.said(), "");
    EXPECT_TRUE(window.climb.standings()[0].measured());
    window.choose("nowhere");
    EXPECT_NE(window.window.said(), "");
    EXPECT_EQ(window.climb.ladder()->name, "weekend");
}

/// A ladder whose rungs are measured by clocks that the window's own rate knows nothing of.
class LadderFile {
public:
    LadderFile() {
        std::ofstream(path_) << R"({
            "title": "Clocks", "scene": "vt9", "size": [8, 8], "spp": 4, "unit": "Mrays/s",
            "settings": {"backend": "cpu", "samples": 1},
            "rungs": [
                {"name": "rate", "why": "A test.", "clock": "loop"},
                {"name": "time", "why": "A test.", "clock": "loop", "measures": "time"},
                {"name": "gap", "why": "A test.", "clock": "loop", "measures": "gap"},
                {"name": "kernel", "why": "A test.", "clock": "kernel"}
            ]})";
    }
    ~LadderFile() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                  ("rayscope-clocks-" + std::to_string(getpid()) + ".json");
};

/// Of each rung, as the command line and the window have measured it.
struct RungFigures {
    std::vector<RungResult> shell, window;
    double waited = 0;  ///< part of the time in which the program had no core
};

RungFigures climbTwice(const std::string& ladder) {
    const Clock::time_point start = Clock::now();
    const std::clock_t before = std::clock();
    ClimbWish wish = quickly();
    wish.seconds = .05;
    Machine machine = madeUpMachine<BusyRenderer>();
    LadderRun shell(*findLadder(ladder), machine, wish);
    playToEnd(shell);
    RungFigures figures{shell.results(), {}, 0};
    FakeWindow window(ladder, madeUpMachine<BusyRenderer>);
    window.start();
    window.play();
    for (const Standing& standing : window.climb.standings()) {
        EXPECT_TRUE(standing.measured()) << standing.skipped();
        if (standing.measured()) figures.window.push_back(*standing.result);
    }
    EXPECT_TRUE(window.climb.figure(1).ends_with(" ms"));
    EXPECT_TRUE(window.climb.figure(0).ends_with(" Mrays/s"));
    const double ms = 1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    figures.waited = 1 - ms / millisecondsSince(start);
    return figures;
}

/// Rungs are timed by the clock of the wall: while other programs have the core, once more.
TEST(LadderClimb, TheFigureOfARungIsThatOfTheCommandLine_alone) {
    const LadderFile file;
    const Clock::time_point start = Clock::now();
    RungFigures figures = climbTwice(file.path());
    while (figures.waited > .1 && millisecondsSince(start) < 20e3)
        figures = climbTwice(file.path());
    const double ms = BusyRenderer::kMsOfSample;
    const double kernelRate = 1e3 * BusyRenderer::kRaysOfSample / (ms * BusyRenderer::kKernelShare);
    const double loopRate = 1e3 * BusyRenderer::kRaysOfSample / ms;
    const std::array<double, 4> truth{loopRate, 4 * ms / 1e3,
                                      ms * (1 - BusyRenderer::kKernelShare) / 1e3, kernelRate};
    ASSERT_EQ(figures.window.size(), truth.size());
    for (size_t rung = 0; rung < truth.size(); ++rung) {
        SCOPED_TRACE(fmt::format("rung {}, without a core {:.0f} % of the time", rung,
                                 100 * figures.waited));
        const double here = figures.window[rung].value.median;
        const double there = figures.shell[rung].value.median;
        EXPECT_NEAR(here, there, .3 * there);
        EXPECT_NEAR(here, truth[rung], .3 * truth[rung])
            << "the window's own rate is that of the kernel";
    }
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
