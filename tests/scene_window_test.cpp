// Spheres edited in the real window, with real clicks.

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "renderer/scene/json.h"
#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

/// Where the selected sphere is seen.
std::string placeIn(const json& status) {
    const json& place = status["editor"]["place"];
    return std::to_string(place[0].get<int>()) + " " + std::to_string(place[1].get<int>());
}

/// vt9 with the Scene tab open.
class SceneWindow : public testing::Test {
protected:
    void SetUp() override {
        if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
        session_.emplace(std::vector<std::string>{"--backend", "cpu", "--scene", "vt9"});
        ASSERT_TRUE(session_->waitFor([](const json& s) { return s["samples"] >= 1; }, 30))
            << session_->output();
        ASSERT_TRUE(session_->click("tab.scene"));
        ASSERT_TRUE(
            session_->waitFor([](const json& s) { return s["drawn"].contains("panel.scene"); }));
    }

    std::optional<Session> session_;
};

TEST_F(SceneWindow, SpheresAreSelectedMovedAddedRemovedAndSaved) {
    Session& session = *session_;
    const json first = session.status()["camera"];

    session.act("mousemove 480 400 click 1");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["editor"]["selected"] >= 0; }));
    const json selected = session.status();
    EXPECT_EQ(selected["scene"], "vt9") << "nothing is edited yet";
    const std::string at = placeIn(selected);
    session.act("sleep 0.6 mousemove " + at +
                " mousedown 1 sleep 0.2 mousemove_relative 20 0 sleep 0.2 mousemove_relative 20 0 "
                "sleep 0.2 mouseup 1");
    ASSERT_TRUE(session.waitFor([&](const json& s) {
        return s["editor"]["center"] != selected["editor"]["center"] && s["samples"] >= 1;
    }));
    EXPECT_EQ(session.status()["scene"], "vt9-edited");
    EXPECT_EQ(session.status()["camera"], first) << "the drag turned the camera";

    ASSERT_TRUE(session.click("button.add"));
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["editor"]["placing"].get<bool>(); }));
    session.act("sleep 0.6 mousemove 420 420 click 1");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["editor"]["spheres"] == 10; }));
    EXPECT_EQ(session.status()["editor"]["selected"], 9);
    session.act("sleep 0.8 key Delete");  // changes close to each other are taken back as one
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["editor"]["spheres"] == 9; }));
    session.act("key ctrl+z");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["editor"]["spheres"] == 10; }));

    ASSERT_TRUE(session.click("button.save_scene"));
    std::string path;
    ASSERT_TRUE(session.waitFor([&](const json& s) {
        const std::string toast = s["toast"];
        if (!toast.starts_with("Saved ")) return false;
        path = toast.substr(6);
        return true;
    }));
    const auto saved = readScene(path.starts_with("/") ? path : session.folder() + "/" + path);
    ASSERT_TRUE(saved) << saved.reason();
    EXPECT_EQ(saved->spheres.size(), 10u);

    ASSERT_TRUE(session.click("button.fill"));
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["scene"] == "field-1000" && s["editor"]["spheres"] == 1000 && s["samples"] >= 1;
    }));
}

TEST_F(SceneWindow, UndoInTheMiddleOfADragTakesItBack) {
    Session& session = *session_;
    session.act("mousemove 480 400 click 1");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["editor"]["selected"] >= 0; }));
    const json before = session.status()["editor"]["center"];
    session.act("sleep 0.6 mousemove " + placeIn(session.status()) +
                " mousedown 1 sleep 0.2 mousemove_relative 20 0 sleep 0.2 mousemove_relative 20 0");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["scene"] == "vt9-edited"; }));
    EXPECT_NE(session.status()["editor"]["center"], before);
    session.act("key ctrl+z");
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["scene"] == "vt9"; }));
    session.act("mousemove_relative 20 0 sleep 0.3 mouseup 1 sleep 0.3");
    const json frame = session.status()["frame"];
    ASSERT_TRUE(session.waitFor([&](const json& s) { return s["frame"] > frame; }));
    EXPECT_EQ(session.status()["scene"], "vt9") << "the drag went on";
    EXPECT_EQ(session.status()["editor"]["center"], before);
}

}  // namespace
}  // namespace rayscope::test
