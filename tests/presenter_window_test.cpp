// Film, shaders and a failing device in a window of a virtual X server.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "renderer/choices/axes.h"
#include "tests/back_buffer.h"
#include "tests/made_up_renderer.h"
#include "tests/plain_film.h"
#include "tests/viewer_display.h"
#include "ui/present.h"
#include "ui/tracer.h"
#include "ui/window.h"

namespace rayscope {
namespace {

TEST(Presenter, NamesAShaderThatIsMissingOrDoesNotCompile) {
    if (!test::VirtualDisplay::available()) GTEST_SKIP() << "Xvfb is not installed (package xvfb)";
    const test::VirtualDisplay server;
    setenv("DISPLAY", server.name().c_str(), 1);
    Window window("test", 64, 48, false);
    const auto sentence = [](const std::string& folder) -> std::string {
        try {
            Presenter presenter(folder);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return {};
    };
    namespace fs = std::filesystem;
    const fs::path source = fs::path(RAYSCOPE_SOURCE_DIR) / "shaders";
    const fs::path folder = fs::path(testing::TempDir()) / "rayscope-shaders";
    fs::create_directories(folder);
    EXPECT_EQ(sentence(source), "");
    EXPECT_NE(sentence("/nowhere").find("/nowhere/present.vert"), std::string::npos);
    const auto copy = fs::copy_options::overwrite_existing;
    fs::copy_file(source / "present.vert", folder / "present.vert", copy);
    std::ofstream(folder / "present.frag") << "#version 450 core\nnonsense\nmore nonsense\n";
    const std::string broken = sentence(folder);
    EXPECT_NE(broken.find("present.frag does not compile"), std::string::npos) << broken;
    EXPECT_EQ(broken.find('\n'), std::string::npos) << broken;
    fs::remove_all(folder);
}

TEST(Presenter, APictureFromBeforeAResizeIsNotStretched) {
    if (!test::VirtualDisplay::available()) GTEST_SKIP() << "Xvfb is not installed (package xvfb)";
    const test::VirtualDisplay server;
    setenv("DISPLAY", server.name().c_str(), 1);
    Window window("test", 128, 48, false);
    Presenter presenter(std::string(RAYSCOPE_SOURCE_DIR) + "/shaders");
    const auto draw = [&](const FilmView& film) {
        presenter.draw(film, test::asItIs(), {}, {128, 48});
    };
    const test::PlainFilm before({64, 48}, .5f, .5f, .5f), after({128, 48}, .25f, .25f, .25f, 12);
    draw(before.view());
    const auto expectOld = [](int y) {
        for (const int x : {33, 64, 94}) test::expectColor(test::pixelAt(x, y), {.5f, .5f, .5f});
        for (const int x : {2, 30, 97, 126}) test::expectColor(test::pixelAt(x, y), {0, 0, 0});
    };
    expectOld(40);
    draw(after.view(2));
    expectOld(20);
    for (const int x : {2, 64, 126}) test::expectColor(test::pixelAt(x, 40), {.25f, .25f, .25f});
}

/// Every pixel gets the samples asked for, all of the same value; fails when told to.
class PlainRenderer : public BareRenderer {
public:
    explicit PlainRenderer(float value) : value_(value) {}
    DeviceInfo device() const override { return {"plain", ""}; }
    void setScene(const SharedScene&) override {}
    std::string unsupported(const Settings&) const override { return {}; }
    void clear(Film& film) override { std::fill_n(film.pixels, film.width * film.height, Pixel{}); }
    FrameStats advance(const Settings& settings, const Camera&, MadeUpSession& session,
                       double) override {
        Film& film = session.film();
        if (failing) throw std::runtime_error("the device is gone");
        const float n = static_cast<float>(settings.samples);
        for (int i = 0; i < film.width * film.height; ++i) {
            Pixel& p = film.pixels[i];
            p = {p.r + n * value_, p.g + n * value_, p.b + n * value_, p.samples + n};
        }
        film.samples += settings.samples;
        return {};
    }
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
        tracer.step(backends,
                    {.camera = scene.camera, .settings = &settings, .framebuffer = {64, 48}},
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

}  // namespace
}  // namespace rayscope
