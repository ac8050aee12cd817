// Undo, bookmarks, the clipboard and what is remembered, by real keys in the real program.

#include <gtest/gtest.h>

#include <fstream>

#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

TEST(EverydayWindow, KeysTakeBackFlyToBookmarksAndPaste) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "vt9"}, 1280, 800);
    const auto hasPath = [&](const char* path) {
        return session.waitFor([&](const json& s) { return s["settings"]["path"] == path; });
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
    session.act("key ctrl+z");
    EXPECT_TRUE(hasPath("loop"));
    session.act("key ctrl+v");
    EXPECT_TRUE(hasPath("stack"));

    session.act("key ctrl+2");
    const json camera = session.status()["camera"];
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
    std::ifstream file(session.folder() + "/state/rayscope/window.json");
    EXPECT_EQ(json::parse(file, nullptr, false)["light"], true);
    session.restart({"--backend", "cpu", "--scene", "vt9"});
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["tab"] == "ladder"; }, 30));
    session.act("keydown w sleep .4 keyup w");
    ASSERT_TRUE(session.waitFor([&](const json& s) { return s["camera"] != camera; }));
    session.act("key 2");
    EXPECT_TRUE(session.waitFor([&](const json& s) { return s["camera"] == camera; }));
}

}  // namespace
}  // namespace rayscope::test
