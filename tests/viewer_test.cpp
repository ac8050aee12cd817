// The real program under a virtual X server, driven by real key and mouse events.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "renderer/choices/state.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/record.h"
#include "tests/reports.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

class Viewer : public testing::Test {
protected:
    void SetUp() override {
        const std::string reason = Session::missing();
        if (!reason.empty()) GTEST_SKIP() << reason;
        session_ = std::make_unique<Session>(
            std::vector<std::string>{"--backend", "cpu", "--scene", "vt9"});
        // Ample for a first start on a machine that is busy building.
        ASSERT_TRUE(samplesReach(1)) << session_->output();
    }

    bool samplesReach(int samples, double seconds = 60) {
        return session_->waitFor(
            [&](const json& s) {
                return s["samples"] >= samples && s["divisor"] == 1 && !s["moving"].get<bool>();
            },
            seconds);
    }

    template <class Value>
    bool becomes(const char* key, const Value& value) {
        return session_->waitFor([&](const json& s) { return s[key] == value; });
    }

    /// A place on the picture, away from the panels.
    void toPicture() { session_->act("mousemove 480 300"); }

    std::unique_ptr<Session> session_;
};

TEST_F(Viewer, ShowsAPictureAndFiguresWithinItsWindow) {
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["rays_per_second"] > 0; }));
    const std::string path = session_->screenshot();
    ASSERT_FALSE(path.empty()) << session_->output();
    const Pixels picture = readPng(path);
    const json status = session_->status();
    EXPECT_EQ(picture.width, status["film"][0]);
    EXPECT_EQ(picture.height, status["film"][1]);
    const std::vector<double> means = blockMeans(picture, 60);
    double lowest = 255, highest = 0;
    for (double mean : means) {
        lowest = std::min(lowest, mean);
        highest = std::max(highest, mean);
    }
    EXPECT_GT(lowest, 5) << "a black part";
    EXPECT_GT(highest - lowest, 40) << "nothing to be seen";
    for (const char* name : {"panel.kernel", "panel.throughput", "panel.status"}) {
        ASSERT_TRUE(status["drawn"].contains(name)) << name;
        const json& rect = status["drawn"][name];
        EXPECT_GE(rect[0], 0) << name;
        EXPECT_GE(rect[1], 0) << name;
        EXPECT_LE(rect[0].get<double>() + rect[2].get<double>(), status["window"][0]) << name;
        EXPECT_LE(rect[1].get<double>() + rect[3].get<double>(), status["window"][1]) << name;
    }
}

TEST_F(Viewer, FliesWithWAndComesHome) {
    toPicture();
    ASSERT_TRUE(samplesReach(24));
    const std::vector<double> first = blockMeans(readPng(session_->screenshot()), 20);
    const std::vector<double> second = blockMeans(readPng(session_->screenshot()), 20);
    const json before = session_->status()["camera"];
    session_->act("keydown w");
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["moving"] == true; }));
    EXPECT_TRUE(session_->waitFor([&](const json& s) {
        return s["camera"]["from"][2] < before["from"][2].get<double>() - .5;
    }));
    session_->act("keyup w");
    ASSERT_TRUE(samplesReach(24));
    EXPECT_EQ(session_->status()["film"], session_->status()["framebuffer"]);
    const std::vector<double> moved = blockMeans(readPng(session_->screenshot()), 20);
    EXPECT_GT(meanDifference(first, moved), 5 * meanDifference(first, second));
    session_->act("key Home");
    EXPECT_TRUE(session_->waitFor([&](const json& s) { return s["camera"] == before; }));
}

TEST_F(Viewer, AComboChangesTheVariantAndKeepsTheFilm) {
    session_->restart({"--backend", "cpu", "--scene", "vt9", "--set", "engine=megakernel"});
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["rate_settled"] == true; }, 30));
    const int samples = session_->status()["samples"];
    ASSERT_TRUE(session_->click("axis.path"));
    ASSERT_TRUE(session_->click("axis.path.recursive"));
    EXPECT_TRUE(session_->waitFor([](const json& s) { return setting(s, "path") == "recursive"; }));
    EXPECT_GE(session_->status()["samples"], samples);
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["ratio"] > 0; }, 30))
        << "no ratio to the variant before";
    ASSERT_TRUE(session_->click("axis.light_sampling"));
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return setting(s, "light_sampling") == "on"; }));
}

TEST_F(Viewer, ASlowChoiceHasItsFactorSoon) {
    session_->resize(1600, 900);
    session_->restart({"--backend", "cpu", "--scene", "vt9", "--set", "engine=megakernel",
                       "path=stack", "opt=O1"});
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["rate_settled"] == true; }, 60));
    ASSERT_TRUE(session_->click("axis.opt"));
    ASSERT_TRUE(session_->click("axis.opt.O0"));
    // sampled four times a pixel at once, a pass takes half a minute on two loaded cores
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["ratio"] > 0; }, 90))
        << session_->status();
}

TEST_F(Viewer, FiguresOfAPartOfThePictureAreCalledAFirstLook) {
    session_->restart({"--backend", "cpu", "--scene", "vt9", "--set", "engine=megakernel", "opt=O0",
                       "path=stack"});
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["samples"] > 0; }, 60));
    session_->act("mousemove 640 300 keydown w sleep 0.3 keyup w");
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["moving"] == true; }));
    int parts = 0;
    EXPECT_TRUE(session_->waitFor(
        [&](const json& s) {
            if (s["moving"] == true) return false;
            if (s["samples"] > 0) return parts > 0;
            ++parts;
            EXPECT_EQ(s["no_ratio"], "first look: a part of the picture");
            return false;
        },
        60));
}

TEST_F(Viewer, ChangedChoicesHaveADotThatTakesThemBack) {
    session_->resize(1280, 720);
    ASSERT_TRUE(session_->waitFor([](const json& s) {
        return s["window"] == json({1280, 720}) && s["divisor"] == 1 && s["samples"] > 0;
    }));
    EXPECT_FALSE(session_->status()["drawn"].contains("button.defaults"));
    const json before = session_->status()["settings"];
    // A picture that begins anew just before the click, as a busy machine makes it coarser, has no
    // noise from before.
    const auto hint = [](const json& s) {
        return s["toast"] == "Noise from before fades slowly: R starts a clean picture";
    };
    bool hinted = false;
    for (int i = 0; i < 5 && !hinted; ++i) {
        ASSERT_TRUE(session_->waitFor([](const json& s) { return s["samples"] > 0; }));
        ASSERT_TRUE(session_->click("axis.light_sampling"));
        ASSERT_TRUE(session_->waitFor(
            [](const json& s) { return s["drawn"].contains("reset.light_sampling"); }));
        hinted = session_->waitFor(hint, 5);
        ASSERT_TRUE(session_->click("reset.light_sampling"));
        ASSERT_TRUE(session_->waitFor([&](const json& s) {
            return s["settings"] == before && !s["drawn"].contains("reset.light_sampling");
        }));
    }
    EXPECT_TRUE(hinted);
    ASSERT_TRUE(session_->click("axis.light_sampling"));
    ASSERT_TRUE(
        session_->waitFor([](const json& s) { return s["drawn"].contains("button.defaults"); }));
    ASSERT_TRUE(session_->click("button.defaults"));
    EXPECT_TRUE(session_->waitFor([&](const json& s) {
        return s["settings"] == before && !s["drawn"].contains("button.defaults");
    }));
    // what another scene cannot have goes, and is said
    ASSERT_TRUE(session_->click("axis.light_sampling"));
    ASSERT_TRUE(
        session_->waitFor([](const json& s) { return setting(s, "light_sampling") == "on"; }));
    ASSERT_TRUE(session_->click("scene"));
    ASSERT_TRUE(
        session_->waitFor([](const json& s) { return s["drawn"].contains("scene.weekend"); }));
    ASSERT_TRUE(session_->click("scene.weekend"));
    EXPECT_TRUE(session_->waitFor([](const json& s) {
        return s["toast"] == "light sampling turned off: this scene has no emissive sphere";
    }));
}

TEST_F(Viewer, AClickOnTheRateCopiesIt) {
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["rate_settled"] == true; }, 60));
    ASSERT_TRUE(session_->click("rate"));
    ASSERT_TRUE(session_->waitFor([](const json& s) {
        return s["toast"].get<std::string>().starts_with("Copied: vt9, its own camera, ");
    }));
    if (std::system("command -v xclip >/dev/null") != 0) GTEST_SKIP() << "xclip is missing";
    const std::string copied = session_->folder() + "/copied";
    ASSERT_EQ(std::system(fmt::format("DISPLAY={} xclip -selection clipboard -o > {}",
                                      session_->display(), copied)
                              .c_str()),
              0);
    std::ifstream file(copied);
    std::string line;
    std::getline(file, line);
    EXPECT_EQ("Copied: " + line, session_->status()["toast"]);
}

TEST_F(Viewer, ANewcomerIsShownThreeSteps) {
    ASSERT_TRUE(session_->status()["drawn"].contains("panel.first"));
    session_->act("keydown w sleep .3 keyup w");
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["first_steps"][0] == true; }));
    EXPECT_EQ(session_->status()["first_steps"][1], false);
    session_->act("key Escape");
    EXPECT_TRUE(session_->waitFor([](const json& s) { return !s.contains("first_steps"); }));
    ASSERT_TRUE(session_->quit());
    session_->restart({"--backend", "cpu", "--scene", "vt9"});
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["samples"] >= 1; }, 30));
    EXPECT_FALSE(session_->status().contains("first_steps"));
}

TEST_F(Viewer, GreysOutWhatCannotBeHad) {
    ASSERT_TRUE(session_->click("axis.display"));
    ASSERT_TRUE(session_->waitFor(
        [](const json& s) { return s["drawn"].contains("axis.display.interop"); }));
    const json drawn = session_->status()["drawn"];
    EXPECT_FALSE(drawn["axis.display.interop"][4].get<bool>());
    EXPECT_FALSE(drawn["axis.display.copy"][4].get<bool>());
    EXPECT_TRUE(drawn["axis.display.host"][4].get<bool>());
    session_->click("axis.display.interop");
    EXPECT_EQ(session_->status()["settings"]["display"], "host");
}

TEST_F(Viewer, KeysHidePanelsPauseListKeysAndRestart) {
    toPicture();
    session_->act("key Tab");
    EXPECT_TRUE(session_->waitFor([](const json& s) {
        return s["panels"] == false && !s["drawn"].contains("panel.kernel");
    }));
    session_->act("key Tab");
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return s["drawn"].contains("panel.kernel"); }));
    session_->act("key F1");
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["drawn"].contains("panel.keys"); }));
    ASSERT_TRUE(session_->click("tab.lab"));  // the list is in nobody's way
    EXPECT_TRUE(becomes("tab", "lab"));
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return !s["drawn"].contains("panel.keys"); }));
    session_->act("key F1");
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["drawn"].contains("panel.keys"); }));
    session_->act("key Escape");
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return !s["drawn"].contains("panel.keys"); }));
    ASSERT_TRUE(samplesReach(4));
    session_->act("key space");
    ASSERT_TRUE(becomes("paused", true));
    const json paused = session_->status();
    ASSERT_TRUE(session_->waitFor(
        [&](const json& s) { return s["frame"] > paused["frame"].get<long>() + 5; }));
    EXPECT_EQ(session_->status()["samples"], paused["samples"]);
    session_->act("key space");
    ASSERT_TRUE(becomes("paused", false));
    session_->act("key r");
    EXPECT_TRUE(session_->waitFor([&](const json& s) { return s["samples"] < paused["samples"]; }));
}

TEST_F(Viewer, WheelSetsTheSpeedAndDoubleClickTheFocus) {
    toPicture();
    const json before = session_->status();
    session_->act("click 4");
    EXPECT_TRUE(session_->waitFor(
        [&](const json& s) { return s["speed"] > before["speed"].get<double>() * 1.1; }));
    session_->act("click --repeat 2 --delay 60 1");
    ASSERT_TRUE(session_->waitFor(
        [&](const json& s) { return s["camera"]["focus"] != before["camera"]["focus"]; }));
    const double focus = session_->status()["camera"]["focus"];
    // The middle of the picture is the sphere around (0,0,1) or the ground near it; the camera is
    // 3.6 from the origin.
    EXPECT_GT(focus, 1);
    EXPECT_LT(focus, 5);
    EXPECT_EQ(session_->status()["camera"]["from"], before["camera"]["from"]);
}

TEST_F(Viewer, DraggingLooksAround) {
    toPicture();
    const json before = session_->status()["camera"];
    session_->act(
        "mousedown 3 mousemove_relative 40 10 sleep 0.2 mousemove_relative 40 10 "
        "sleep 0.2 mouseup 3");
    ASSERT_TRUE(
        session_->waitFor([&](const json& s) { return s["camera"]["to"] != before["to"]; }));
    EXPECT_EQ(session_->status()["camera"]["from"], before["from"]);
}

TEST_F(Viewer, AScreenshotOpensInTheSameState) {
    toPicture();
    session_->act("keydown d");
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["moving"] == true; }));
    session_->act("keyup d");
    ASSERT_TRUE(session_->click("axis.precision"));
    ASSERT_TRUE(session_->click("axis.precision.double"));
    ASSERT_TRUE(
        session_->waitFor([](const json& s) { return setting(s, "precision") == "double"; }));
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["rate_settled"] == true; }, 30));
    const std::string path = session_->screenshot();
    ASSERT_FALSE(path.empty());
    const json before = session_->status();
    expectReports(std::filesystem::path(path).parent_path(), path);
    const auto carried = readPngState(path);
    ASSERT_TRUE(carried);
    const json info = json::parse(*carried)["info"];
    EXPECT_GT(info["rays_per_second"], 0);
    for (const char* key : {"date", "device", "opengl", "samples", "rays", "kernel"}) {
        EXPECT_TRUE(info.contains(key)) << key;
    }
    const auto record = readRecord(path);
    ASSERT_TRUE(record) << record.reason();
    const RecordRow& row = record->rows.at(0);
    EXPECT_EQ(row.settings["precision"], "double");
    EXPECT_TRUE(row.spread && row.brightness && row.raysPerSample);
    session_->restart({path});
    ASSERT_TRUE(samplesReach(1)) << session_->output();
    const json after = session_->status();
    for (const char* key : {"camera", "settings", "scene", "view"}) {
        EXPECT_EQ(after[key], before[key]) << key;
    }
}

TEST_F(Viewer, AWindowScreenshotShowsThePanels) {
    toPicture();
    ASSERT_TRUE(samplesReach(2));
    const Pixels picture = readPng(session_->screenshot());
    const Pixels window = readPng(session_->screenshot("shift+F12"));
    const json status = session_->status();
    ASSERT_EQ(window.width, status["framebuffer"][0]);
    ASSERT_EQ(window.height, status["framebuffer"][1]);
    // Below the Kernel panel the picture is darker than without it.
    const json rect = status["drawn"]["panel.kernel"];
    const auto mean = [&](const Pixels& p) {
        double sum = 0;
        const int x0 = rect[0].get<int>() + 4, x1 = x0 + rect[2].get<int>() - 8;
        const int y0 = rect[1].get<int>() + 4, y1 = y0 + rect[3].get<int>() - 8;
        for (int y = y0; y < y1; ++y) {
            for (int x = x0; x < x1; ++x)
                sum += p.rgb[(static_cast<size_t>(y) * p.width + x) * 3 + 1];
        }
        return sum / ((x1 - x0) * (y1 - y0));
    };
    EXPECT_LT(mean(window), .7 * mean(picture));
}

TEST_F(Viewer, SurvivesBeingTakenOffTheScreen) {
    session_->act("search --name Rayscope windowunmap");
    session_->act("sleep 0.5 search --name Rayscope windowmap");
    const long frame = session_->status()["frame"];
    EXPECT_TRUE(session_->waitFor([&](const json& s) { return s["frame"] > frame + 5; }));
    // The keyboard's focus is gone without a window manager; the mouse still works.
    ASSERT_TRUE(session_->click("button.screenshot"));
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["screenshot"] != ""; }));
}

TEST_F(Viewer, SurvivesOnePixelAndComesBack) {
    session_->resize(1, 1);
    ASSERT_TRUE(session_->waitFor([](const json& s) {
        return s["window"] == json({1, 1}) && !s["drawn"].contains("panel.kernel");
    }));
    session_->resize(500, 300);
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["film"] == json({500, 300}); }));
    session_->resize(1200, 700);
    ASSERT_TRUE(session_->waitFor([](const json& s) {
        return s["film"] == json({1200, 700}) && s["samples"] >= 1 &&
               s["drawn"].contains("panel.kernel");
    }));
    EXPECT_TRUE(session_->running());
}

/// A folder of assets with one small ladder, for as long as it lives.
class SmallAssets {
public:
    SmallAssets() {
        namespace fs = std::filesystem;
        const fs::path source = RAYSCOPE_SOURCE_DIR;
        fs::create_directories(folder_ / "assets/ladders");
        fs::create_directories(folder_ / "assets/scenes");
        fs::copy(source / "shaders", folder_ / "shaders", fs::copy_options::recursive);
        for (const char* scene : {"vt9", "vt9-lambert"}) {
            fs::copy(source / "assets/scenes" / (scene + std::string(".json")),
                     folder_ / "assets/scenes");
        }
        std::ofstream(folder_ / "assets/ladders/small.json") << R"({
            "title": "Small", "scene": "vt9", "size": [64, 36], "unit": "Mrays/s",
            "settings": {"backend": "cpu", "scene_layout": "aos"},
            "rungs": [
                {"name": "slow", "why": "A test.", "settings": {"path": "recursive"},
                 "published": {"value": 1, "unit": "Mrays/s", "device": "a processor"}},
                {"name": "gpu", "why": "A test.", "settings": {"backend": "cuda", "math": "fast",
                 "display": "interop"}},
                {"name": "diffuse", "why": "A test.", "from": "slow", "scene": "vt9-lambert",
                 "settings": {"depth": 3}},
                {"name": "fast", "why": "A test.", "from": "slow",
                 "settings": {"path": "loop", "scene_layout": "soa"}}
            ]})";
        setenv("RAYSCOPE_ASSETS", (folder_ / "assets").c_str(), 1);
    }
    ~SmallAssets() {
        unsetenv("RAYSCOPE_ASSETS");
        std::error_code error;
        std::filesystem::remove_all(folder_, error);
    }

private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("rayscope-assets-" + std::to_string(getpid()));
};

class LadderPanel : public Viewer {
protected:
    void SetUp() override {
        Viewer::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        ASSERT_TRUE(session_->click("tab.ladder"));
        ASSERT_TRUE(
            session_->waitFor([](const json& s) { return s["drawn"].contains("ladder.rung.3"); }));
    }
    SmallAssets assets_;
};

TEST_F(LadderPanel, AClickedRungIsEntered) {
    EXPECT_EQ(session_->status()["ladder"]["name"], "small");
    ASSERT_TRUE(session_->click("ladder.rung.0"));
    ASSERT_TRUE(session_->waitFor([](const json& s) { return setting(s, "path") == "recursive"; }));
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["ladder"]["rung"] == 0; }));
    ASSERT_TRUE(session_->click("ladder.rung.2"));
    ASSERT_TRUE(session_->waitFor([](const json& s) {
        return s["scene"] == "vt9-lambert" && setting(s, "depth") == 3 && s["samples"] > 0;
    }));
    // What cannot be had is grey, says why and stays where it is.
    const json gpu = session_->status()["ladder"]["rungs"][1];
    if (gpu["reason"] == "") GTEST_SKIP() << "the rest needs a machine without CUDA";
    EXPECT_FALSE(session_->status()["drawn"]["ladder.rung.1"][4].get<bool>());
    session_->click("ladder.rung.1");
    EXPECT_EQ(session_->status()["ladder"]["rung"], 2);
}

TEST_F(LadderPanel, AClimbMeasuresEveryRungWhileThePictureGoesOn) {
    ASSERT_TRUE(session_->click("button.climb"));
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return s["ladder"]["climbing"].get<bool>(); }));
    double slowest = 0;
    ASSERT_TRUE(session_->waitFor(
        [&](const json& s) {
            slowest = std::max(slowest, s["frame_ms"].get<double>());
            return !s["ladder"]["climbing"].get<bool>();
        },
        60));
    EXPECT_LT(slowest, 500) << "a frame has waited for a rung";
    const json end = session_->status()["ladder"];
    EXPECT_GT(end["rungs"][0]["value"], 0);
    EXPECT_EQ(end["rungs"][1]["skipped"] == "", end["rungs"][1]["value"] > 0);
    EXPECT_GT(end["rungs"][2]["value"], 0);
    EXPECT_GT(end["rungs"][3]["value"], 0);
    EXPECT_EQ(end["rung"], 3) << "the last rung stays";
    EXPECT_TRUE(session_->waitFor([](const json& s) { return s["samples"] > 0; }));
}

TEST_F(LadderPanel, ATourGoesFromRungToRungAndMeasures) {
    ASSERT_TRUE(session_->click("button.tour"));
    const auto isShown = [&](int rung) {
        return session_->waitFor(
            [&](const json& s) { return s["drawn"].contains("panel.tour") && s["tour"] == rung; });
    };
    const auto isMeasured = [&](int rung) {
        return isShown(rung) && session_->waitFor([&](const json& s) {
            return s["ladder"]["rungs"][rung]["value"] > 0;
        });
    };
    EXPECT_TRUE(isMeasured(0));
    for (int rung = 1; rung <= 2; ++rung) {
        session_->act("key Next");
        EXPECT_TRUE(isShown(rung));
    }
    EXPECT_TRUE(isMeasured(2));
    EXPECT_EQ(session_->status()["scene"], "vt9-lambert");
    EXPECT_EQ(session_->status()["ladder"]["rung"], 2);
    session_->act("key Prior");
    EXPECT_TRUE(isShown(1));
    session_->act("key Escape");
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return !s["drawn"].contains("panel.tour"); }));
}

TEST_F(LadderPanel, EscapeEndsAClimb) {
    ASSERT_TRUE(session_->click("button.climb"));
    ASSERT_TRUE(
        session_->waitFor([](const json& s) { return s["ladder"]["climbing"].get<bool>(); }));
    session_->act("key Escape");
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return !s["ladder"]["climbing"].get<bool>(); }));
    ASSERT_TRUE(session_->click("tab.throughput"));
    EXPECT_TRUE(session_->waitFor([](const json& s) {
        return s["drawn"].contains("panel.throughput") && !s["drawn"].contains("panel.ladder");
    }));
    EXPECT_TRUE(session_->running());
}

TEST(ViewerWithoutDisplay, SaysSoInOneSentence) {
    const std::string log = testing::TempDir() + "rayscope-no-display.log";
    std::filesystem::remove(log);
    Process program({RAYSCOPE_PROGRAM, "--scene", "vt9"}, log,
                    {"DISPLAY=:987654", "WAYLAND_DISPLAY="});
    EXPECT_EQ(program.wait(20), 1);
    FILE* file = fopen(log.c_str(), "r");
    ASSERT_NE(file, nullptr);
    char text[1024] = "";
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    EXPECT_NE(std::string(text).find("window"), std::string::npos) << text;
    EXPECT_EQ(std::count(text, text + length, '\n'), 1) << text;
}

}  // namespace
}  // namespace rayscope::test
