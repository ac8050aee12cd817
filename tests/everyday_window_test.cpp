// Undo, bookmarks, the clipboard and what is remembered, by real keys in the real program.

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

TEST(EverydayWindow, KeysTakeBackFlyToBookmarksAndPaste) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    const std::vector<std::string> start{"--backend", "cpu",   "--scene",
                                         "vt9",       "--set", "engine=megakernel"};
    Session session(start, 1280, 800);
    const auto hasPath = [&](const char* path) {
        return session.waitFor([&](const json& s) { return setting(s, "path") == path; });
    };
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 30));
    ASSERT_TRUE(session.click("axis.path"));
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["drawn"].contains("axis.path.stack"); }));
    ASSERT_TRUE(session.click("axis.path.stack"));
    ASSERT_TRUE(hasPath("stack"));
    session.act("key ctrl+c");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["toast"] != ""; }));
    session.act("key ctrl+z");
    EXPECT_TRUE(hasPath("loop"));
    session.act("key ctrl+shift+z");
    EXPECT_TRUE(hasPath("stack"));
    session.act("key ctrl+shift+z");
    EXPECT_TRUE(session.waitFor(
        [](const json& s) { return s["toast"] == "There is nothing to do again"; }));
    session.act("key ctrl+z");
    EXPECT_TRUE(hasPath("loop"));
    session.act("key ctrl+v");
    EXPECT_TRUE(hasPath("stack"));

    session.act("key ctrl+2");
    const json camera = session.status()["camera"];
    const std::string memory = session.folder() + "/state/rayscope/window.json";
    const auto kept = [&](const json&) {  // while the program runs, which may be killed
        std::ifstream file(memory);
        const json read = json::parse(file, nullptr, false);
        return read.is_object() && read["bookmarks"].contains("vt9");
    };
    EXPECT_TRUE(session.waitFor(kept));
    session.act("keydown w sleep .4 keyup w");
    ASSERT_TRUE(session.waitFor([&](const json& s) { return s["camera"] != camera; }));
    session.act("key 2");
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["camera"] == camera; }));

    ASSERT_TRUE(session.click("view.look"));
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["drawn"].contains("view.look.light"); }));
    ASSERT_TRUE(session.click("view.look.light"));
    ASSERT_TRUE(session.click("tab.ladder"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["tab"] == "ladder"; }));
    ASSERT_TRUE(session.quit());
    std::ifstream file(memory);
    EXPECT_EQ(json::parse(file, nullptr, false)["light"], true);
    session.restart(start);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["tab"] == "ladder"; }, 30));
    EXPECT_EQ(session.status()["settings"]["path"], "loop") << "a run begins like the one before";
    ASSERT_TRUE(session.click("scene"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("last"); }));
    EXPECT_FALSE(session.status()["drawn"].contains("recent.0"));
    ASSERT_TRUE(session.click("last"));
    EXPECT_TRUE(hasPath("stack"));
    session.act("keydown w sleep .4 keyup w");
    ASSERT_TRUE(session.waitFor([&](const json& s) { return s["camera"] != camera; }));
    session.act("key 2");
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["camera"] == camera; }));
}

TEST(EverydayWindow, SeveralDevicesTraceOnePicture) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--device", "cpu,cpu", "--scene", "vt9"}, 1280, 800);
    ASSERT_TRUE(session.click("tab.throughput"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 6; }));
    const json status = session.status();
    ASSERT_EQ(status["devices"].size(), 2u);
    for (const json& device : status["devices"]) {
        EXPECT_GT(device["samples"], 0);
        EXPECT_GT(device["rays_per_second"], 0);
    }
    EXPECT_GT(status["efficiency"], 0);
    EXPECT_LE(status["efficiency"], 1);
    EXPECT_TRUE(status["drawn"].contains("device"));
    session.act("keydown w sleep 1 keyup w");
    EXPECT_TRUE(session.waitFor([](const json& s) { return !s["moving"] && s["samples"] >= 4; }));
    ASSERT_TRUE(session.click("axis.scene_layout"));
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["drawn"].contains("axis.scene_layout.aos"); }));
    ASSERT_TRUE(session.click("axis.scene_layout.aos"));
    EXPECT_TRUE(session.waitFor(
        [](const json& s) { return setting(s, "scene_layout") == "aos" && s["samples"] >= 8; }));
    EXPECT_TRUE(session.quit());
}

/// The engine that the window begins with is nobody's choice, and a click may take it along.
TEST(EverydayWindow, TheFirstEngineGivesWayToAClick) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "vt9"}, 1280, 800);
    const auto hasEngine = [&](const json& engine) {
        return session.waitFor([&](const json& s) { return setting(s, "engine") == engine; });
    };
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 30));
    const json first = session.status()["settings"]["engine"];
    ASSERT_TRUE(session.click("axis.precision"));
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["drawn"].contains("axis.precision.double"); }));
    ASSERT_TRUE(session.click("axis.precision.double"));
    EXPECT_TRUE(hasEngine("megakernel"));
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["drawn"].contains("button.defaults"); }));
    ASSERT_TRUE(session.click("button.defaults"));
    EXPECT_TRUE(hasEngine(first));
}

TEST(EverydayWindow, WhatTheMouseDidBeforeAPressIsNoDrag) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "vt9"});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 30));
    const json camera = session.status()["camera"];
    for (int i = 0; i < 5; ++i) {  // most of them within a frame
        session.act(
            "mousemove 350 450 sleep .2 mousemove 550 250 mousedown 1 sleep .2 mouseup 1 sleep .2");
        EXPECT_EQ(session.status()["camera"], camera);
    }
    session.act("mousedown 1 sleep .2 mousemove_relative 60 0 sleep .2 mouseup 1");
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["camera"] != camera; }));
    EXPECT_TRUE(session.quit());
}

TEST(EverydayWindow, ASwitchDoesNotWaitForThePassUnderWay) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "vt9", "--set", "engine=megakernel", "--set",
                     "samples=1024"});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 30));
    ASSERT_TRUE(session.click("axis.path"));
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["drawn"].contains("axis.path.stack"); }));
    const int before = session.status()["samples"];  // then a pass of seconds
    ASSERT_TRUE(session.click("axis.path.stack"));
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["samples"] == before + 1; }, 8))
        << "the first pass of unknown speed has one sample; now " << session.status()["samples"];
}

TEST(EverydayWindow, APastedStateIsJudgedByItsOwnScene) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "vt46", "--set", "light_sampling=on"}, 1280,
                    800);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 120));
    session.act("key ctrl+c");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["toast"] != ""; }));
    ASSERT_TRUE(session.click("scene"));
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["drawn"].contains("scene.weekend"); }));
    ASSERT_TRUE(session.click("scene.weekend"));  // it has no light
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["scene"] == "weekend" && setting(s, "light_sampling") == "off";
    }));
    session.act("key ctrl+v");
    EXPECT_TRUE(session.waitFor([](const json& s) {
        return s["scene"] == "vt46" && setting(s, "light_sampling") == "on";
    })) << session.status()["toast"];
}

TEST(EverydayWindow, PastesFromOtherProgramsButNeverWaitsForThem) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    if (std::system("command -v xclip >/dev/null") != 0) GTEST_SKIP() << "xclip is missing";
    Session session({"--backend", "cpu", "--scene", "vt9"});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 30));
    const std::string number = session.folder() + "/holder";
    const std::string hold = "echo '--set depth=7' | DISPLAY=" + session.display() +
                             " xclip -selection clipboard -quiet 2>/dev/null & echo $! > " + number;
    ASSERT_EQ(std::system(("{ " + hold + "; }").c_str()), 0);
    int holder = 0;
    std::ifstream(number) >> holder;
    ASSERT_GT(holder, 0);
    const auto pasted = [](const json& s) { return setting(s, "depth") == 7; };
    for (int i = 0; i < 10 && !pasted(session.status()); ++i) {  // it may not hold it yet
        session.act("key ctrl+v");
        session.waitFor(pasted, 1);
    }
    EXPECT_TRUE(pasted(session.status())) << session.status()["toast"];

    kill(holder, SIGSTOP);
    session.act("key ctrl+v");
    const int frame = session.status()["frame"];
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["frame"] > frame + 10; }, 60));
    EXPECT_TRUE(session.waitFor([](const json& s) {
        return s["toast"].get<std::string>().find("does not answer") != std::string::npos;
    })) << session.status()["toast"];
    kill(holder, SIGCONT);
    kill(holder, SIGTERM);
}

TEST(EverydayWindow, LargeStatesAreCopiedAndPastedWhereTheClipboardTakesThem) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "field-3000", "--set", "accel=bvh"}, 1280, 800);
    const auto says = [&](const char* words) {
        return session.waitFor([&](const json& s) {
            return s["toast"].get<std::string>().find(words) != std::string::npos;
        });
    };
    const auto shows = [&](const char* scene) {
        return session.waitFor([&](const json& s) { return s["scene"] == scene; });
    };
    const auto choose = [&](const std::string& scene) {
        return session.click("scene") && session.waitFor([&](const json& s) {
            return s["drawn"].contains("scene." + scene);
        }) && session.click("scene." + scene) &&
               shows(scene.c_str());
    };
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 120));
    session.act("key ctrl+c");
    ASSERT_TRUE(says("Copied"));
    ASSERT_TRUE(choose("vt9"));
    session.act("key ctrl+v");
    EXPECT_TRUE(shows("field-3000")) << session.status()["toast"];
    ASSERT_TRUE(session.quit());

    session.restart({"--backend", "cpu", "--scene", "field-30000", "--set", "accel=bvh"});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 120));
    session.act("key ctrl+c");
    EXPECT_TRUE(says("F12")) << session.status()["toast"];
}

TEST(EverydayWindow, APathIsRenderedBesideThePictureAndThePictureIsCopied) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "vt9"}, 640, 480);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] >= 1; }, 30));
    session.act("key Tab");
    session.act("key ctrl+1 keydown w sleep .4 keyup w key ctrl+2 key Tab");
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["toast"].get<std::string>().starts_with("Bookmark 2"); }));
    session.resize(1280, 800);
    // the narrow window has that tab, too, elsewhere
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["window"] == json{1280, 800} && s["drawn"].contains("tab.scene");
    }));
    ASSERT_TRUE(session.click("tab.scene"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("path.frames"); }));
    for (const char* slider : {"path.frames", "path.samples"}) {
        session.moveTo(slider);
        for (const char* words : {"keydown ctrl", "mousedown 1", "mouseup 1", "keyup ctrl",
                                  "key ctrl+a", "type 2", "key Return"}) {
            session.act(words);
            session.waitForFrames();
        }
    }
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["drawn"].contains("button.path"); }));
    const long before = session.status()["frame"];
    ASSERT_TRUE(session.click("button.path"));
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["toast"].get<std::string>().starts_with("Saved 2 frames"); },
        120))
        << session.status()["toast"];
    EXPECT_GT(session.status()["frame"], before + 5) << "the window went on";
    std::string folder = session.status()["toast"];
    folder = folder.substr(std::string("Saved 2 frames in ").size());
    const Pixels first = readPng(folder + "/frame-0001.png");
    const Pixels last = readPng(folder + "/frame-0002.png");
    ASSERT_EQ(first.width, 1280);
    ASSERT_EQ(last.height, 800);
    EXPECT_GT(meanDifference(blockMeans(first, 16), blockMeans(last, 16)), 1) << "it flew";

    if (std::system("command -v xclip >/dev/null") != 0) GTEST_SKIP() << "xclip is missing";
    session.act("key ctrl+shift+c");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["toast"] == "Copied the picture"; }));
    const std::string copy = session.folder() + "/copy.png";
    const std::string fetch =
        "DISPLAY=" + session.display() + " xclip -selection clipboard -t image/png -o > " + copy;
    ASSERT_EQ(std::system(fetch.c_str()), 0);
    EXPECT_EQ(readPng(copy).width, 1280);
    session.act("key ctrl+v");
    EXPECT_TRUE(session.waitFor([](const json& s) { return s["toast"] == "Pasted a state"; }))
        << session.status()["toast"];
}

}  // namespace
}  // namespace rayscope::test
