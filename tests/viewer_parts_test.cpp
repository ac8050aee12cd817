// The viewer's arithmetic: flight, picking, layout, resolution, rates, figures.

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "renderer/axes.h"
#include "renderer/core/vector.h"
#include "renderer/scene/json.h"
#include "tests/viewer_display.h"
#include "ui/camera_control.h"
#include "ui/film_scale.h"
#include "ui/format.h"
#include "ui/layout.h"
#include "ui/panels.h"
#include "ui/pick.h"
#include "ui/plots.h"
#include "ui/rates.h"
#include "ui/screenshot.h"
#include "ui/steering.h"
#include "ui/tracer.h"

namespace rayscope {
namespace {

constexpr double kQuarterTurn = 3.14159265358979323846 / 2;

double distance(Vec3<double> a, Vec3<double> b) {
    return std::sqrt(dot(a - b, a - b));
}

void expectNear(Vec3<double> a, Vec3<double> b) {
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
    const Vec3<double> pivot{.5, .25, -3};
    const auto inView = [&](const Camera& c) {
        const CameraFrame f = cameraFrame(c);
        const Vec3<double> p = pivot - c.from;
        return Vec3<double>{dot(p, f.right), dot(p, f.up), dot(p, f.forward)};
    };
    const Vec3<double> before = inView(camera);
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
    EXPECT_EQ(found->sphere, 0);
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
    const Vec3<double> pivot{0, 0, -4};  // where the nearer sphere begins
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

/// Panels drawn into no window at all: ImGui lays out the same.
class Panels : public testing::Test {
protected:
    Panels() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        backends_.setScene(state_.scene);
    }
    ~Panels() override { ImGui::DestroyContext(); }

    static Scene scene() {
        Scene scene;
        scene.name = "a scene with a name that is longer than any panel is wide";
        scene.spheres.push_back({{0, 0, 0}, 1, {}});
        return scene;
    }

    /// Two frames, after which windows that fit themselves to their contents have done so.
    void draw(const LayoutWish& wish, const std::function<void(const Ui&)>& contents) {
        ImGui::GetIO().DisplaySize = {static_cast<float>(wish.width),
                                      static_cast<float>(wish.height)};
        updateTheme(theme_, scaleFor(wish, 20), 1);
        sizes_ = measurePanels(theme_);
        layout_ = layoutFor(wish, theme_.scale, sizes_.width);
        for (int i = 0; i < 2; ++i) {
            drawn_.clear();
            ImGui::NewFrame();
            contents({theme_, sizes_, layout_, drawn_, requests_});
            ImGui::EndFrame();
        }
    }

    State state_{scene(), {}, defaultSettings(Backend::cpu, scene()), {}};
    Backends backends_;
    Theme theme_;
    PanelSizes sizes_;
    Layout layout_;
    Drawn drawn_;
    Requests requests_;
};

TEST_F(Panels, NoTextIsCutOffWithAnyFont) {
    for (const char* font : {"none", ""}) {
        for (const Size size : {Size{1280, 720}, {1920, 1080}, {3840, 2160}}) {
            theme_ = {};
            theme_.fontWish = font;
            for (Backend backend : {Backend::cpu, Backend::cuda}) {
                state_.settings = defaultSettings(backend, state_.scene);
                draw({size.width, size.height, 1, false}, [&](const Ui& ui) {
                    drawKernelPanel(ui, backends_, KernelInfo{}, {}, state_);
                });
                const ImGuiStyle& style = ImGui::GetStyle();
                for (const Axis& axis : axes()) {
                    if (!axis.appliesTo(backend)) continue;
                    const Rect label = drawn_.at("label." + std::string(axis.id)).rect;
                    const Rect control = drawn_.at("axis." + std::string(axis.id)).rect;
                    const std::string text(axis.label);
                    EXPECT_GE(label.width, textSize(theme_.body, text).x - 1) << text << font;
                    EXPECT_LE(label.x + label.width, control.x) << text << font;
                    for (const AxisValue& value : axis.values) {
                        if (axis.kind != AxisKind::choice) continue;
                        const float arrow = control.height, room = control.width - arrow;
                        EXPECT_LE(textSize(theme_.body, value.label).x + 2 * style.FramePadding.x,
                                  room + 1)
                            << value.label << font;
                    }
                }
                const Rect panel = drawn_.at("panel.kernel").rect;
                EXPECT_LE(panel.y + panel.height, layout_.status.y) << size.height;
                EXPECT_LE(panel.width, layout_.kernel.width);
            }
        }
    }
}

TEST_F(Panels, TheCompilersLogStaysBetweenThePanels) {
    const std::string log =
        "kernel.cu(12): error: identifier \"spheres\" is undefined\n1 error detected.\n";
    for (const Size size : {Size{500, 300}, {1280, 720}, {3840, 2160}}) {
        bool open = true;
        draw({size.width, size.height, 1, false}, [&](const Ui& ui) {
            drawKernelPanel(ui, backends_, KernelInfo{}, {}, state_);
            drawCompileLog(ui, log, &open);
        });
        EXPECT_TRUE(open);
        const Rect panel = drawn_.at("panel.compiler").rect;
        EXPECT_FALSE(overlap(panel, layout_.kernel) && layout_.panels) << size.width;
        EXPECT_FALSE(overlap(panel, layout_.status)) << size.width;
        EXPECT_GE(panel.width, 200) << size.width;
        ImGuiIO& io = ImGui::GetIO();
        const Rect button = drawn_.at("button.close_log").rect;
        io.MousePos = {button.x + button.width / 2, button.y + button.height / 2};
        for (bool down : {false, true, false}) {
            io.MouseDown[0] = down;
            draw({size.width, size.height, 1, false},
                 [&](const Ui& ui) { drawCompileLog(ui, log, &open); });
        }
        EXPECT_FALSE(open) << size.width;
    }
}

TEST_F(Panels, TheFallbackFontIsWiderAndHasADash) {
    theme_.fontWish = "none";
    draw({1280, 720, 1, false}, [](const Ui&) {});
    EXPECT_EQ(theme_.fontPath, "");
    EXPECT_EQ(textSize(theme_.body, "\u2014").x, textSize(theme_.body, "-").x);
    EXPECT_EQ(fitted(theme_.body, "abcdefghij", textSize(theme_.body, "abcdef").x), "abc...");
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

TEST(Screenshots, FindTheUsersPictures) {
    const std::string file =
        "# written by xdg-user-dirs-update\nXDG_MUSIC_DIR=\"$HOME/Musik\"\n"
        "XDG_PICTURES_DIR=\"$HOME/Bilder\"\n";
    EXPECT_EQ(picturesFolderIn(file, "/home/a"), "/home/a/Bilder");
    EXPECT_EQ(picturesFolderIn("XDG_PICTURES_DIR=\"/mnt/p\"\n", "/home/a"), "/mnt/p");
    EXPECT_EQ(picturesFolderIn("# XDG_PICTURES_DIR=\"/mnt/p\"\n", "/home/a"), "");
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

/// Every pixel gets the samples asked for, all of the same value; fails when told to.
class PlainRenderer : public Renderer {
public:
    explicit PlainRenderer(float value) : value_(value) {}
    DeviceInfo device() const override { return {"plain", ""}; }
    void setScene(const Scene&) override {}
    std::string unsupported(const Settings&) const override { return {}; }
    void clear(Film& film) override {
        std::fill_n(film.pixels, film.width * film.height, Pixel{});
        film.samples = film.passSamples = film.cursor = 0;
    }
    FrameStats advance(const Settings& settings, const Camera&, Film& film, double) override {
        if (failing) throw std::runtime_error("the device is gone");
        const float n = static_cast<float>(settings.samples);
        for (int i = 0; i < film.width * film.height; ++i) {
            Pixel& p = film.pixels[i];
            p = {p.r + n * value_, p.g + n * value_, p.b + n * value_, p.samples + n};
        }
        film.samples += settings.samples;
        return {};
    }
    FrameStats finish() override { return {}; }
    KernelInfo kernel() const override { return {}; }
    bool failing = false;

private:
    float value_;
};

TEST(Tracer, KeepsTheFilmAcrossBackendsAndAFailingDevice) {
    if (!test::VirtualDisplay::available()) GTEST_SKIP() << "Xvfb is not installed (package xvfb)";
    const test::VirtualDisplay server;
    setenv("DISPLAY", server.name().c_str(), 1);
    Window window("test", 64, 48, false);
    auto owned = std::make_unique<PlainRenderer>(3.f);
    PlainRenderer& cuda = *owned;
    Backends backends(std::make_unique<PlainRenderer>(1.f), std::move(owned));
    Tracer tracer;
    const Scene scene;
    Settings settings = defaultSettings(Backend::cpu, scene);
    settings.display = Display::host;
    settings.samples = 2;
    std::string message;
    const auto step = [&] {
        tracer.step(
            backends,
            {.scene = scene, .camera = scene.camera, .settings = settings, .framebuffer = {64, 48}},
            &message);
    };
    const auto expect = [&](float value, float samples) {
        const Pixel p = tracer.read().at(64 * 47 + 63);
        EXPECT_EQ(p.r, value);
        EXPECT_EQ(p.samples, samples);
        EXPECT_EQ(tracer.film().samples, static_cast<int>(samples));
        EXPECT_EQ(message, "");
    };
    step();
    step();
    expect(4, 4);
    settings.backend = Backend::cuda;
    step();
    expect(4 + 6, 6);
    cuda.failing = true;
    EXPECT_THROW(step(), std::runtime_error);
    tracer.forget();
    backends.loseCuda("gone");
    settings.backend = Backend::cpu;
    step();
    expect(4 + 6 + 2, 8);
    settings.depth = settings.depth + 1;  // another expectation: another film
    step();
    expect(2, 2);
}

FrameStats statsOf(double raysPerSecond, double ms) {
    FrameStats stats;
    stats.timedRays = static_cast<std::uint64_t>(raysPerSecond * ms / 1e3);
    stats.timedMs = stats.kernelMs = ms;
    stats.rays.camera = stats.timedRays / 2;
    stats.rays.bounce = stats.timedRays / 2;
    return stats;
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
