// The Lab tab of the real program, driven by real events.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/choices/state.h"
#include "renderer/lab/ladder.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

class LabWindow : public testing::Test {
protected:
    void SetUp() override {
        const std::string reason = Session::missing();
        if (!reason.empty()) GTEST_SKIP() << reason;
        session_ = std::make_unique<Session>(
            std::vector<std::string>{"--backend", "cpu", "--scene", "vt9"});
        ASSERT_TRUE(session_->waitFor([](const json& s) { return s["samples"] >= 1; }, 30))
            << session_->output();
        ASSERT_TRUE(session_->click("tab.lab"));
        ASSERT_TRUE(drawn("lab.more"));
    }

    bool drawn(const std::string& name) {
        return session_->waitFor([&](const json& s) { return s["drawn"].contains(name); });
    }

    void unfold() {
        ASSERT_TRUE(session_->click("lab.more"));
        ASSERT_TRUE(drawn("lab.experiment"));
    }

    /// Opens a list and chooses; lists may take a frame to open.
    void choose(const std::string& list, const std::string& entry) {
        ASSERT_TRUE(session_->click(list));
        ASSERT_TRUE(drawn(entry)) << entry;
        ASSERT_TRUE(session_->click(entry));
        ASSERT_TRUE(drawn(list)) << list;
    }

    std::unique_ptr<Session> session_;
};

constexpr const char* kSweep = "lab.experiment.4";

TEST_F(LabWindow, ASweepIsMeasuredBesideThePictureAndAClickTakesItsSettings) {
    unfold();
    choose("lab.experiment", kSweep);
    choose("lab.x", "lab.x.scene_layout");
    const int before = session_->status()["samples"];
    ASSERT_TRUE(session_->click("button.measure"));
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["lab"]["running"] == true; }));
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["lab"]["history"] == 1; }, 60));
    EXPECT_EQ(session_->status()["lab"]["answered"], 2);
    EXPECT_GT(session_->status()["samples"], before) << "the picture goes on";
    const std::string now = session_->status()["settings"]["scene_layout"];
    const std::string other = now == "aos" ? "soa" : "aos";
    ASSERT_TRUE(session_->click(now == "aos" ? "lab.item.1" : "lab.item.0"));
    EXPECT_TRUE(
        session_->waitFor([&](const json& s) { return setting(s, "scene_layout") == other; }));

    ASSERT_TRUE(session_->click("button.save"));
    EXPECT_TRUE(session_->waitFor(
        [](const json& s) { return s["toast"].get<std::string>().starts_with("Saved "); }));
    const std::string picture = session_->screenshot();
    ASSERT_NE(picture, "");
    int saved = 0;
    for (const auto& entry : std::filesystem::directory_iterator(session_->folder()))
        saved += entry.path().filename().string().starts_with("rayscope-sweep-");
    EXPECT_EQ(saved, 2) << "JSON and CSV";

    ASSERT_TRUE(session_->click("button.page"));
    ASSERT_TRUE(session_->waitFor(
        [](const json& s) { return s["toast"].get<std::string>().ends_with(".html"); }));
    const std::string path = session_->status()["toast"].get<std::string>().substr(6);
    std::ifstream file(path);
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(page.find("data:image/jpeg;base64,"), page.npos) << path;
    EXPECT_NE(page.find("scene_layout=" + other), page.npos);
    EXPECT_NE(page.find("rayscope sweep --x scene_layout="), page.npos) << "how it is made again";
}

TEST_F(LabWindow, AGridShowsACellForEachPair) {
    unfold();
    choose("lab.experiment", kSweep);
    choose("lab.x", "lab.x.scene_layout");
    choose("lab.y", "lab.y.precision");
    ASSERT_TRUE(session_->click("button.measure"));
    ASSERT_TRUE(drawn("lab.cell.3"));
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["lab"]["answered"] >= 1; }, 60));
    session_->act("key Escape");
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["lab"]["running"] == false; }));
    EXPECT_EQ(session_->status()["lab"]["history"], 1) << "what is known stays";
    EXPECT_TRUE(session_->running());
}

/// What a newcomer finds first needs no choice.
TEST_F(LabWindow, AllSwitchesSayHowLongTheyTakeAndWhereTheyWereMeasured) {
    EXPECT_FALSE(session_->status()["drawn"].contains("lab.experiment"));
    ASSERT_TRUE(session_->click("button.measure"));
    ASSERT_TRUE(session_->waitFor([](const json& s) {
        const std::string doing = s["doing"];
        return doing.starts_with("all switches: ") &&
               (doing.ends_with(" s") || doing.ends_with(" min"));
    }));
    const int impossible = session_->status()["lab"]["answered"];
    ASSERT_TRUE(
        session_->waitFor([&](const json& s) { return s["lab"]["answered"] > impossible; }, 60));
    session_->act("key Escape");
    ASSERT_TRUE(session_->waitFor([](const json& s) { return s["lab"]["running"] == false; }));
    EXPECT_TRUE(session_->status()["lab"]["where"].get<std::string>().starts_with("vt9, its own"));
    EXPECT_EQ(session_->status()["lab"]["elsewhere"], "");
    session_->act("keydown w sleep .3 keyup w");
    EXPECT_TRUE(
        session_->waitFor([](const json& s) { return s["lab"]["elsewhere"] == "another view"; }));
}

/// What somebody has found becomes a rung, with the figure that rayscope ladder would give it.
TEST_F(LabWindow, SettingsBecomeRungsOfALadderOfOnesOwn) {
    ASSERT_TRUE(session_->click("tab.ladder"));
    const auto toast = [](const char* begin) {
        return [begin](const json& s) { return s["toast"].get<std::string>().starts_with(begin); };
    };
    ASSERT_TRUE(drawn("button.add_rung"));
    ASSERT_TRUE(session_->click("button.add_rung"));
    ASSERT_TRUE(session_->waitFor(toast("Added start: "), 30)) << session_->status()["toast"];
    ASSERT_TRUE(session_->click("button.add_rung"));
    EXPECT_TRUE(session_->waitFor(toast("The last rung of your ladder")));
    choose("axis.engine", "axis.engine.megakernel");
    ASSERT_TRUE(session_->click("button.add_rung"));
    ASSERT_TRUE(session_->waitFor(toast("Added engine=megakernel"), 30))
        << session_->status()["toast"];
    EXPECT_EQ(session_->status()["ladder"]["name"], "rayscope-ladder");
    EXPECT_EQ(session_->status()["ladder"]["rung"], 1);
    const auto ladder = findLadder(session_->folder() + "/rayscope-ladder.json");
    ASSERT_TRUE(ladder) << ladder.reason();
    ASSERT_EQ(ladder->rungs.size(), 2u);
    for (const Rung& rung : ladder->rungs) {
        ASSERT_TRUE(rung.published) << rung.name;
        EXPECT_GT(rung.published->base(), 1e5);
    }
}

}  // namespace
}  // namespace rayscope::test
