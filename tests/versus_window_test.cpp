// A against B as it is seen: the pictures of two films, and the real program driven by real events.

#include <glad/gl.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "renderer/film/false_color.h"
#include "tests/back_buffer.h"
#include "tests/plain_film.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

TEST(VersusWindow, ShowsTwoFilmsAndTheirDifference) {
    if (!VirtualDisplay::available()) GTEST_SKIP() << "Xvfb is not installed (package xvfb)";
    const VirtualDisplay server;
    setenv("DISPLAY", server.name().c_str(), 1);
    Window window("test", 64, 48, false);
    Presenter presenter(std::string(RAYSCOPE_SOURCE_DIR) + "/shaders");
    const Size size{64, 48};
    const PlainFilm dark(size, .25f, .25f, .25f), bright(size, .25f, .375f, .3f);
    const DisplayTransform display = asItIs();
    Pinned pinned;
    const auto draw = [&](const PlainFilm& a, const PlainFilm& b) {
        presenter.draw(a.view(), b.view(), display, {}, pinned, 24, size);
    };
    draw(dark, bright);
    expectColor(pixelAt(20, 10), {.25f, .25f, .25f});
    expectColor(pixelAt(28, 10), {.25f, .375f, .3f});
    EXPECT_GT(pixelAt(24, 40)[0], 200) << "the line";
    pinned.showing = Showing::b;
    draw(dark, bright);
    expectColor(pixelAt(20, 10), {.25f, .375f, .3f});
    // The channel that differs most differs by half of full scale.
    pinned.showing = Showing::difference;
    pinned.gain = 2;
    EXPECT_EQ(fullScaleOf(pinned, display, {}), .25);
    EXPECT_EQ(fullScaleOf(pinned, display, {}, .01), .01 * 32) << "standard errors";
    EXPECT_EQ(fullScaleOf(pinned, display, {}, 0), .25) << "not known yet";
    draw(dark, bright);
    expectColor(pixelAt(20, 10), kMagnitude[4]);
    draw(dark, dark);
    pinned.withSign = true;
    draw(dark, bright);
    expectColor(pixelAt(20, 10), kSigned[6]);
    draw(bright, dark);
    expectColor(pixelAt(20, 10), kSigned[2]);
}

TEST(VersusWindow, PinsAndComparesOnOneScreen) {
    const std::string missing = Session::missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
    Session session({"--backend", "cpu", "--scene", "vt9", "--set", "engine=megakernel"});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 0; }, 30))
        << session.output();
    session.act("mousemove 300 300");
    session.act("key p");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["pinned"].is_object(); }));
    ASSERT_TRUE(session.click("axis.path"));
    ASSERT_TRUE(session.click("axis.path.recursive"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return setting(s, "path") == "recursive"; }));
    const auto bothTrace = [](const json& s) {
        return s["pinned"]["a"]["samples"] > 2 && s["pinned"]["b"]["samples"] > 2;
    };
    ASSERT_TRUE(session.waitFor(bothTrace)) << session.status().dump();
    const json before = session.status();
    EXPECT_EQ(before["pinned"]["settings"]["path"], "loop");
    EXPECT_EQ(before["settings"]["path"], "recursive");

    // The line moves, the camera does not.
    session.moveTo("wipe");
    session.act("sleep .3 mousedown 1 sleep .3 mousemove_relative -- 60 -90");
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["pinned"]["wipe"] > .55; }));
    session.act("mouseup 1");
    EXPECT_EQ(session.status()["camera"], before["camera"]);
    session.resize(1100, 640);
    const double share = session.status()["pinned"]["wipe"];
    EXPECT_TRUE(session.waitFor([&](const json& s) {
        const double line =
            s["drawn"]["wipe"][0].get<double>() + s["drawn"]["wipe"][2].get<double>() / 2;
        return s["window"][0] == 1100 && std::abs(line - share * 1100) < 2;
    }));

    // A race, its difference, and a picture that remembers all of it.
    session.act("key r");
    ASSERT_TRUE(session.click("tab.versus"));
    ASSERT_TRUE(session.click("button.race"));
    EXPECT_TRUE(session.waitFor(
        [](const json& s) { return s["pinned"]["racing"] == true && s["pinned"]["lead"] > 0; }));
    const json race = session.status()["pinned"];
    EXPECT_LT(std::abs(race["a"]["kernel_ms"].get<double>() - race["b"]["kernel_ms"].get<double>()),
              .5 * race["a"]["kernel_ms"].get<double>());
    ASSERT_TRUE(session.click("showing.difference"));
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["drawn"].contains("legend.difference"); }));
    const std::string path = session.screenshot();
    ASSERT_FALSE(path.empty());
    session.restart({path});
    ASSERT_TRUE(session.waitFor([&](const json& s) {
        return s["pinned"].is_object() && s["pinned"]["showing"] == "difference" &&
               s["pinned"]["settings"] == race["settings"] && bothTrace(s);
    })) << session.status().dump();
    session.act("key p");
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["pinned"].is_null(); }));
}

}  // namespace
}  // namespace rayscope::test
