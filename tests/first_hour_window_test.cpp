// The first hour in the real window: flying, keys instead of the mouse, sizes, opening.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <glm/geometric.hpp>

#include "renderer/scene/json.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

class FirstHour : public testing::Test {
protected:
    void start(std::vector<std::string> words, int width = 1280, int height = 800) {
        if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
        words.insert(words.begin(), {"--backend", "cpu"});
        session_ = std::make_unique<Session>(words, width, height);
        ASSERT_TRUE(session_->waitFor([](const json& s) { return s["samples"] >= 1; }, 120))
            << session_->output();
    }
    bool waitFor(const std::function<bool(const json&)>& condition, double seconds = 60) {
        return session_->waitFor(condition, seconds);
    }
    bool draws(const std::string& name) {
        return waitFor([&](const json& s) { return s["drawn"].contains(name); });
    }
    /// Opens a list and clicks into it.
    bool choose(const std::string& list, const std::string& value) {
        return session_->click(list) && draws(list + "." + value) &&
               session_->click(list + "." + value);
    }
    glm::dvec3 place() {
        const json from = session_->status()["camera"]["from"];
        return {from[0], from[1], from[2]};
    }

    std::unique_ptr<Session> session_;
};

void expectOutsideAll(const Scene& scene, const glm::dvec3& place) {
    for (const Sphere& sphere : scene.spheres)
        ASSERT_GT(glm::distance(place, sphere.center), sphere.radius);
}

TEST_F(FirstHour, WHeldDownEndsBeforeASurface) {
    for (const char* name : {"vt9", "field-100000"}) {
        start({"--scene", name});
        const auto scene = findScene(name);
        ASSERT_TRUE(scene);
        const glm::dvec3 before = place();
        session_->act("mousemove 640 400 keydown w sleep 4 keyup w");
        ASSERT_TRUE(waitFor([](const json& s) { return s["moving"] == false; }));
        EXPECT_GT(glm::distance(place(), before), 0) << name;
        expectOutsideAll(*scene, place());
        EXPECT_EQ(session_->status()["where"], "") << name;
    }
    // Of vt9 the key of surfaces is tried, too.
    start({"--scene", "vt9"});
    session_->act("mousemove 640 400 key g");
    ASSERT_TRUE(waitFor([](const json& s) { return s["through"] == true; }));
    session_->act("keydown w");
    EXPECT_TRUE(waitFor(
        [](const json& s) { return s["where"].get<std::string>().starts_with("Inside sphere"); }));
    session_->act("keyup w key Home");
    EXPECT_TRUE(waitFor([](const json& s) { return s["where"] == ""; }));
}

TEST_F(FirstHour, KeysReachListsSlidersAndTabs) {
    start({"--scene", "vt9", "--set", "engine=megakernel"});
    // Every key moves the focus, which is waited for.
    const auto reach = [&](const std::string& name, const char* key) {
        for (int i = 0; i < 40; ++i) {
            const json before = session_->status()["focused"];
            if (before == name) return true;
            session_->act(std::string("key ") + key);
            waitFor([&](const json& s) { return s["focused"] != before && s["focused"] != ""; });
        }
        return false;
    };
    session_->act("mousemove 640 400 key F6");
    ASSERT_TRUE(waitFor([](const json& s) { return s["keyboard"] == true; }));
    ASSERT_TRUE(reach("axis.path", "Down"));
    session_->act("key space");
    ASSERT_TRUE(draws("axis.path.stack"));
    session_->waitForFrames();
    session_->act("key Up");
    session_->waitForFrames();
    session_->act("key Return");
    EXPECT_TRUE(waitFor([](const json& s) { return setting(s, "path") == "stack"; }));
    EXPECT_FALSE(session_->status()["paused"].get<bool>()) << "Space was the list's";
    ASSERT_TRUE(reach("axis.depth", "Down"));
    const int depth = session_->status()["settings"]["depth"];
    for (const char* key : {"key space", "key Right", "key space"}) {
        session_->act(key);
        session_->waitForFrames();
    }
    EXPECT_TRUE(waitFor([&](const json& s) { return s["settings"]["depth"] > depth; }));
    session_->act("key F6");
    ASSERT_TRUE(
        waitFor([](const json& s) { return s["focused"].get<std::string>().starts_with("tab."); }));
    ASSERT_TRUE(reach("tab.lab", "Right"));
    session_->act("key space");
    EXPECT_TRUE(waitFor([](const json& s) { return s["tab"] == "lab"; }));
    session_->act("key ctrl+Page_Down");
    EXPECT_TRUE(waitFor([](const json& s) { return s["tab"] == "why"; }));
    session_->act("key ctrl+Page_Up");
    EXPECT_TRUE(waitFor([](const json& s) { return s["tab"] == "lab"; }));
    session_->act("key Escape");
    ASSERT_TRUE(waitFor([](const json& s) { return s["keyboard"] == false; }));
    session_->act("key space");
    EXPECT_TRUE(waitFor([](const json& s) { return s["paused"] == true; }));
}

TEST_F(FirstHour, PanelsAndTextKeepTheirSizes) {
    start({"--scene", "vt9"}, 1600, 900);
    const auto widthOf = [](const json& s, const char* panel) {
        return s["drawn"][panel][2].get<double>();
    };
    const json before = session_->status();
    session_->moveTo("edge.left");
    // ImGui looks at the mouse once a frame.
    for (const char* words : {"mousemove_relative 1 0", "mousedown 1", "mousemove_relative 40 0",
                              "mousemove_relative 40 0", "mouseup 1"}) {
        session_->waitForFrames();
        session_->act(words);
    }
    const double wider = widthOf(before, "panel.kernel") + 80;
    EXPECT_TRUE(waitFor([&](const json& s) {
        return std::fabs(widthOf(s, "panel.kernel") - wider) < 12;
    })) << session_->status()["drawn"]["panel.kernel"];
    EXPECT_EQ(widthOf(session_->status(), "panel.throughput"), widthOf(before, "panel.throughput"));
    EXPECT_EQ(session_->status()["camera"], before["camera"]) << "no drag of the picture";
    ASSERT_TRUE(session_->quit());
    session_->restart({"--backend", "cpu", "--scene", "vt9"});
    EXPECT_TRUE(
        waitFor([&](const json& s) { return std::fabs(widthOf(s, "panel.kernel") - wider) < 12; }));
    const double height = session_->status()["drawn"]["label.engine"][3];
    session_->act("key ctrl+plus key ctrl+plus");
    EXPECT_TRUE(waitFor([&](const json& s) {
        return s["text_size"] == 1.2 && s["drawn"]["label.engine"][3] > height;
    }));
    session_->act("key ctrl+0");
    EXPECT_TRUE(waitFor([&](const json& s) { return s["drawn"]["label.engine"][3] == height; }));
    for (const char* tab : {"tab.ladder", "tab.lab", "tab.scene", "tab.code"}) {
        ASSERT_TRUE(session_->click(tab));
        EXPECT_TRUE(waitFor([](const json& s) {
            return s["rate"].get<std::string>().ends_with("rays/s") && s["rate"] != "- rays/s";
        })) << tab;
    }
    session_->act("key F11");
    EXPECT_TRUE(waitFor([](const json& s) { return s["window"] == json{1920, 1080}; }));
    session_->act("key F11");
    EXPECT_TRUE(waitFor([](const json& s) { return s["window"] == json{1600, 900}; }));
}

TEST_F(FirstHour, WhatAChoiceTookComesBack) {
    start({"--scene", "vt9"});
    const json engine = setting(session_->status(), "engine");
    if (engine != "packets") GTEST_SKIP() << "this CPU has no AVX2";
    ASSERT_TRUE(choose("axis.precision", "double"));
    ASSERT_TRUE(waitFor([](const json& s) { return setting(s, "engine") == "megakernel"; }));
    EXPECT_TRUE(waitFor([](const json& s) {
        const json& drawn = s["drawn"];
        return drawn.contains("remark") &&
               drawn["remark"][0].get<double>() >=
                   drawn["panel.kernel"][0].get<double>() + drawn["panel.kernel"][2].get<double>();
    })) << "beside the panel";
    ASSERT_TRUE(choose("axis.precision", "float"));
    EXPECT_TRUE(waitFor([](const json& s) {
        return setting(s, "engine") == "packets" && setting(s, "precision") == "float";
    }));
    // An engine that the user has chosen meanwhile stays.
    ASSERT_TRUE(choose("axis.precision", "double"));
    ASSERT_TRUE(waitFor([](const json& s) { return setting(s, "engine") == "megakernel"; }));
    ASSERT_TRUE(choose("axis.engine", "wavefront"));
    ASSERT_TRUE(waitFor([](const json& s) { return setting(s, "engine") == "wavefront"; }));
    ASSERT_TRUE(choose("axis.precision", "float"));
    ASSERT_TRUE(waitFor([](const json& s) { return setting(s, "precision") == "float"; }));
    EXPECT_EQ(setting(session_->status(), "engine"), "wavefront");
}

TEST_F(FirstHour, NoRowJumpsFromUnderTheCursor) {
    start({"--scene", "vt9"}, 1600, 1000);
    if (setting(session_->status(), "engine") != "packets") GTEST_SKIP() << "no AVX2";
    const json before = session_->status()["drawn"]["axis.accel"];
    ASSERT_TRUE(session_->status()["drawn"].contains("axis.scan"));
    ASSERT_TRUE(choose("axis.accel", "bvh"));  // which has no use for Scan, further up
    ASSERT_TRUE(waitFor([](const json& s) { return setting(s, "accel") == "bvh"; }));
    session_->moveTo("axis.accel");
    session_->waitForFrames();
    const json after = session_->status()["drawn"];
    EXPECT_EQ(after["axis.accel"][1], before[1]);
    ASSERT_TRUE(after.contains("axis.scan"));
    EXPECT_EQ(after["axis.scan"][4], false) << "greyed";
    session_->act("mousemove 800 500");
    EXPECT_TRUE(waitFor([](const json& s) { return !s["drawn"].contains("axis.scan"); }));
}

TEST_F(FirstHour, ANextSceneBeginsWithItsOwnDefaults) {
    start({"--scene", "nbody-2000"});
    ASSERT_TRUE(session_->click("tab.scene"));
    ASSERT_TRUE(draws("simulation.bodies.field"));
    session_->moveTo("simulation.bodies.field");
    for (const char* words : {"click 1", "key ctrl+a", "type 16", "key Return"}) {
        session_->act(words);
        session_->waitForFrames();
    }
    ASSERT_TRUE(waitFor([](const json& s) { return s["simulation"]["bodies"] == 16; }));
    EXPECT_TRUE(waitFor([](const json& s) {
        return s["samples"] >= 1 && s["drawn"].contains("axis.accel") &&
               !s["drawn"].contains("reset.accel");
    })) << "nobody has chosen how to search: "
        << session_->status()["settings"];
    ASSERT_TRUE(session_->quit());
    session_->restart({"--backend", "cpu", "--scene", "vt9"});
    ASSERT_TRUE(waitFor([](const json& s) { return s["samples"] >= 1; }));
    ASSERT_TRUE(choose("scene", "cornell"));
    ASSERT_TRUE(waitFor([](const json& s) { return s["scene"] == "cornell"; }));
    session_->waitForFrames();
    EXPECT_FALSE(session_->status()["drawn"].contains("button.defaults"));
}

TEST_F(FirstHour, ASlowSimulationOffersFewerBodies) {
    start({"--scene", "nbody-30000"});
    ASSERT_TRUE(session_->click("tab.scene"));
    ASSERT_TRUE(
        waitFor([](const json& s) { return s["drawn"].contains("simulation.fewer"); }, 120));
    ASSERT_TRUE(session_->click("simulation.fewer"));
    ASSERT_TRUE(waitFor([](const json& s) { return s["simulation"]["bodies"] < 30000; }));
    const int bodies = session_->status()["simulation"]["bodies"];
    EXPECT_EQ(bodies & (bodies - 1), 0) << "a power of two";
    session_->act("mousemove 640 400 key ctrl+z");
    EXPECT_TRUE(waitFor([](const json& s) { return s["simulation"]["bodies"] == 30000; }));
}

TEST_F(FirstHour, AxesAreSearchedWithTheirValues) {
    start({"--scene", "vt9", "--set", "engine=megakernel"});
    session_->act("mousemove 640 400 key ctrl+f");
    ASSERT_TRUE(draws("panel.search"));
    const int all = session_->status()["search"]["found"];
    EXPECT_GT(all, 100) << "all there is, also what a CPU has not";
    EXPECT_TRUE(session_->status()["drawn"].contains("found.backend.cuda"));
    session_->act("type stack");
    ASSERT_TRUE(waitFor([](const json& s) { return s["search"]["query"] == "stack"; }));
    EXPECT_LT(session_->status()["search"]["found"], all / 2);
    ASSERT_TRUE(draws("found.path.stack"));
    ASSERT_TRUE(session_->click("found.path.stack"));
    EXPECT_TRUE(waitFor([](const json& s) { return setting(s, "path") == "stack"; }));
    ASSERT_TRUE(session_->click("search.close"));
    EXPECT_TRUE(waitFor([](const json& s) { return !s["drawn"].contains("panel.search"); }));
    ASSERT_TRUE(session_->click("button.show_all"));
    EXPECT_TRUE(draws("panel.search"));
}

TEST_F(FirstHour, ANewSceneIsNeverPaintedOverTheOneBefore) {
    start({"--scene", "vt9", "--set", "precision=double", "--set", "threads=1"}, 1600, 1000);
    // Its first picture is a coarse one of the whole, which a busy machine may miss.
    bool coarse = false;
    for (int i = 0; i < 6 && !coarse; ++i) {
        const char* const name = i % 2 == 0 ? "weekend" : "vt46";
        ASSERT_TRUE(waitFor([](const json& s) { return s["divisor"] == 1 && s["samples"] >= 1; }));
        ASSERT_TRUE(choose("scene", name));
        ASSERT_TRUE(waitFor([&](const json& s) {
            coarse |= s["scene"] == name && s["divisor"] > 1 && s["samples"] > 0;
            return s["scene"] == name && s["divisor"] == 1;
        }));
    }
    EXPECT_TRUE(coarse) << session_->status();
}

TEST_F(FirstHour, FilesOpenByAListAndByTheirPath) {
    start({"--scene", "vt9"});
    const std::string folder = session_->folder();
    std::ofstream(folder + "/tiny.json")
        << R"({"title": "tiny", "camera": {"from": [0, 0, 3], "to": [0, 0, 0], "up": [0, 1, 0],
               "vfov": 60}, "sky": {"kind": "gradient", "bottom": [1, 1, 1], "top": [1, 1, 1]},
               "spheres": [{"center": [0, 0, -1], "radius": 0.5,
                            "material": {"kind": "lambert", "albedo": [0.8, 0.8, 0.8]}}]})";
    std::ofstream(folder + "/notes.txt") << "nothing that opens";
    if (std::system("command -v zenity kdialog >/dev/null") == 0)
        GTEST_SKIP() << "the desktop's dialog takes its place";
    session_->act("mousemove 640 400 key ctrl+o");
    ASSERT_TRUE(draws("open.tiny.json"));
    EXPECT_FALSE(session_->status()["drawn"].contains("open.notes.txt"));
    ASSERT_TRUE(session_->click("open.tiny.json"));
    ASSERT_TRUE(waitFor([](const json& s) { return s["scene"] == "tiny"; }))
        << session_->status()["toast"];
    ASSERT_TRUE(session_->click("scene"));
    ASSERT_TRUE(draws("recent.0"));
    EXPECT_FALSE(session_->status()["drawn"].contains("scene.tiny")) << "once is enough";
    ASSERT_TRUE(session_->click("scene.vt46"));
    ASSERT_TRUE(waitFor([](const json& s) { return s["scene"] == "vt46"; }));
    if (std::system("command -v xclip >/dev/null") != 0) GTEST_SKIP() << "xclip is missing";
    const auto copy = [&](const std::string& text) {
        std::ofstream(folder + "/clip") << text;
        const std::string command =
            "DISPLAY=" + session_->display() + " xclip -selection clipboard -i " + folder + "/clip";
        return std::system(command.c_str()) == 0;
    };
    ASSERT_TRUE(copy("file://" + folder + "/tiny%2ejson\n"));
    session_->act("mousemove 640 400 key ctrl+v");
    EXPECT_TRUE(waitFor([](const json& s) { return s["scene"] == "tiny"; }))
        << session_->status()["toast"];

    // A picture without a state: two by one texels, run-length free, as Radiance writes them.
    std::ofstream sky(folder + "/sky.hdr", std::ios::binary);
    sky << "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n";
    for (const int byte : {128, 64, 32, 129, 32, 64, 128, 129}) sky.put(static_cast<char>(byte));
    sky.close();
    ASSERT_TRUE(copy(folder + "/sky.hdr"));
    session_->act("key ctrl+v");
    EXPECT_TRUE(waitFor([](const json& s) { return s["scene"] == "tiny-edited"; }))
        << session_->status()["toast"];
    EXPECT_TRUE(waitFor([](const json& s) {
        return s["toast"].get<std::string>().starts_with("The sky is");
    })) << session_->status()["toast"];
    session_->act("key ctrl+z");
    EXPECT_TRUE(waitFor([](const json& s) { return s["scene"] == "tiny"; }));
}

TEST_F(FirstHour, ScenesAreMadeWithTheNumberThatIsAskedFor) {
    start({"--scene", "vt9"});
    ASSERT_TRUE(session_->click("scene"));
    ASSERT_TRUE(draws("made.grid-"));
    ASSERT_TRUE(session_->click("made.grid-"));
    ASSERT_TRUE(draws("open.count.field"));
    session_->moveTo("open.count.field");
    for (const char* words : {"click 1", "key ctrl+a", "type 64", "key Return"}) {
        session_->act(words);
        session_->waitForFrames();
    }
    ASSERT_TRUE(session_->click("open.made"));
    EXPECT_TRUE(waitFor([](const json& s) { return s["scene"] == "grid-64"; }));
}

TEST_F(FirstHour, KeysAndWordsAreListed) {
    start({"--scene", "vt9"});
    session_->act("mousemove 640 400 key F1");
    ASSERT_TRUE(draws("help.words"));
    const double keys = session_->status()["drawn"]["panel.keys"][3];
    ASSERT_TRUE(session_->click("help.words"));
    EXPECT_TRUE(waitFor([&](const json& s) { return s["drawn"]["panel.keys"][3] != keys; }));
}

TEST_F(FirstHour, AWindowFitsItsScreen) {
    start({"--scene", "vt9"}, 2600, 1500);  // of 1920x1080
    const json status = session_->status();
    EXPECT_LE(status["window"][0], 1920);
    EXPECT_LE(status["window"][1], 1080);
    const json panel = status["drawn"]["panel.throughput"];
    EXPECT_LE(panel[0].get<double>() + panel[2].get<double>(), 1920);
}

}  // namespace
}  // namespace rayscope::test
