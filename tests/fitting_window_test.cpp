// How the real window behaves at the size that it has, and what ends what it has opened.

#include <gtest/gtest.h>

#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

bool draws(const json& status, const char* name) {
    return status["drawn"].contains(name);
}

class Fitting : public testing::Test {
protected:
    void start(std::vector<std::string> words, int width, int height) {
        if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
        words.insert(words.begin(), {"--backend", "cpu"});
        session_ = std::make_unique<Session>(words, width, height);
        ASSERT_TRUE(session_->waitFor([](const json& s) { return s["samples"] >= 1; }, 30))
            << session_->output();
    }
    bool waitFor(const std::function<bool(const json&)>& condition) {
        return session_->waitFor(condition);
    }

    std::unique_ptr<Session> session_;
};

TEST_F(Fitting, ACoarsePictureOfTheNewSizeComesFirst) {
    start({"--scene", "weekend", "--set", "precision=double", "--set", "threads=1"}, 640, 640);
    ASSERT_TRUE(waitFor([](const json& s) { return s["divisor"] == 1; }));
    // It is there for some frames only, which a busy machine may miss.
    bool coarse = false;
    for (int width = 1400; width < 1405 && !coarse; ++width) {
        session_->resize(width, 700);
        ASSERT_TRUE(waitFor([&](const json& s) {
            coarse |= s["window"] == json{width, 700} && s["divisor"] > 1 && s["samples"] > 0;
            return s["film"] == json{width, 700};
        }));
    }
    EXPECT_TRUE(coarse) << session_->status();
}

TEST_F(Fitting, ANarrowWindowHasOnePanelWithAllTabs) {
    start({"--scene", "vt9", "--set", "engine=megakernel"}, 640, 400);
    ASSERT_TRUE(session_->click("tab.kernel"));
    ASSERT_TRUE(waitFor([](const json& s) { return draws(s, "axis.engine"); }));
    EXPECT_FALSE(draws(session_->status(), "panel.throughput"));
    ASSERT_TRUE(session_->click("axis.path"));
    ASSERT_TRUE(session_->click("axis.path.recursive"));
    EXPECT_TRUE(waitFor([](const json& s) { return setting(s, "path") == "recursive"; }));
    ASSERT_TRUE(session_->click("tab.scene"));
    ASSERT_TRUE(waitFor([](const json& s) { return draws(s, "button.add"); }));
    EXPECT_FALSE(draws(session_->status(), "axis.engine"));
    ASSERT_TRUE(session_->click("tab.kernel"));
    session_->resize(1000, 600);
    EXPECT_TRUE(waitFor([](const json& s) {
        return draws(s, "panel.kernel") && draws(s, "panel.scene") && s["tab"] == "scene";
    }));
    session_->resize(200, 100);
    EXPECT_TRUE(waitFor([](const json& s) { return s["drawn"].empty(); }));
}

TEST_F(Fitting, EscapeClosesAListAndNothingElse) {
    start({"--scene", "vt9"}, 960, 600);
    ASSERT_TRUE(session_->click("tab.lab"));
    ASSERT_TRUE(session_->click("button.measure"));
    ASSERT_TRUE(waitFor([](const json& s) { return s["lab"]["running"] == true; }));
    ASSERT_TRUE(session_->click("axis.precision"));
    ASSERT_TRUE(waitFor([](const json& s) { return draws(s, "axis.precision.double"); }));
    session_->act("key Escape");
    EXPECT_TRUE(waitFor([](const json& s) { return !draws(s, "axis.precision.double"); }));
    EXPECT_TRUE(session_->status()["lab"]["running"].get<bool>());
    session_->act("key Escape");
    EXPECT_TRUE(waitFor([](const json& s) { return s["lab"]["running"] == false; }));
}

TEST_F(Fitting, ASwitchWhilePausedSaysSo) {
    start({"--scene", "vt9", "--set", "engine=megakernel"}, 960, 600);
    session_->act("mousemove 480 300 key space");
    ASSERT_TRUE(waitFor([](const json& s) { return s["paused"] == true; }));
    ASSERT_TRUE(session_->click("axis.path"));
    ASSERT_TRUE(session_->click("axis.path.recursive"));
    EXPECT_TRUE(waitFor([](const json& s) {
        return setting(s, "path") == "recursive" &&
               s["no_ratio"].get<std::string>().starts_with("paused");
    }));
}

TEST_F(Fitting, TooltipsStandOverThePictureAndEndWithAClick) {
    start({"--scene", "vt9"}, 1280, 720);
    ASSERT_TRUE(session_->click("tab.scene"));
    for (const char* name : {"axis.precision", "axis.depth", "button.fill"}) {
        session_->moveTo(name);
        EXPECT_TRUE(waitFor([](const json& s) {
            if (!draws(s, "tooltip")) return false;
            const json &drawn = s["drawn"], &tip = drawn["tooltip"], &left = drawn["panel.kernel"];
            return tip[0].get<double>() >= left[0].get<double>() + left[2].get<double>() &&
                   tip[0].get<double>() + tip[2].get<double>() <=
                       drawn["panel.scene"][0].get<double>();
        })) << name
            << session_->status()["drawn"]["tooltip"];
    }
    session_->moveTo("axis.light_sampling");
    ASSERT_TRUE(waitFor([](const json& s) { return draws(s, "tooltip"); }));
    ASSERT_TRUE(session_->click("axis.light_sampling"));
    ASSERT_TRUE(waitFor([](const json& s) { return setting(s, "light_sampling") == "on"; }));
    EXPECT_TRUE(waitFor([](const json& s) { return !draws(s, "tooltip"); }));
    session_->moveTo("axis.precision");
    EXPECT_TRUE(waitFor([](const json& s) { return draws(s, "tooltip"); }));
    session_->moveTo("axis.light_sampling");
    EXPECT_TRUE(waitFor([](const json& s) { return draws(s, "tooltip"); })) << "once it was left";
}

}  // namespace
}  // namespace rayscope::test
