// A scene that moves, in the real window.

#include <gtest/gtest.h>

#include <optional>

#include "tests/viewer_session.h"

namespace rayscope::test {
namespace {

using nlohmann::json;

TEST(SimulationWindow, RunsPausesStepsAndBeginsAgain) {
    if (const std::string reason = Session::missing(); !reason.empty()) GTEST_SKIP() << reason;
    Session session({"--backend", "cpu", "--scene", "nbody-256"});
    const auto step = [](const json& s) { return s["simulation"]["step"].get<int>(); };
    ASSERT_TRUE(session.waitFor([&](const json& s) { return step(s) > 3 && s["samples"] < 8; }))
        << session.output();
    ASSERT_TRUE(session.click("tab.scene"));
    ASSERT_TRUE(
        session.waitFor([](const json& s) { return s["drawn"].contains("simulation.run"); }));

    ASSERT_TRUE(session.click("simulation.run"));
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return !s["simulation"]["running"] && s["samples"] > 20 &&
               s["simulation"]["energy_drift"].is_number();
    })) << "the picture gathers samples while the bodies stand still";
    const int stopped = step(session.status());
    ASSERT_TRUE(session.click("simulation.step"));
    ASSERT_TRUE(session.waitFor([&](const json& s) { return step(s) != stopped; }));
    EXPECT_EQ(step(session.status()), stopped + 1);
    ASSERT_TRUE(session.waitFor([](const json& s) { return s["samples"] > 20; }));
    EXPECT_EQ(step(session.status()), stopped + 1) << "it moved on";

    ASSERT_TRUE(session.click("simulation.reset"));
    ASSERT_TRUE(session.waitFor([&](const json& s) { return step(s) == 0; }));

    ASSERT_TRUE(session.click("simulation.bodies.field"));
    session.act("key ctrl+a type 300");
    session.act("key Return sleep 0.8");
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["simulation"]["bodies"] == 300 && s["editor"]["spheres"] == 300;
    })) << session.status()["simulation"];
    EXPECT_EQ(session.status()["scene"], "nbody-256-edited");
    session.act("key ctrl+z");
    ASSERT_TRUE(session.waitFor([](const json& s) {
        return s["simulation"]["bodies"] == 256 && s["editor"]["spheres"] == 256;
    })) << "it was not taken back";

    ASSERT_TRUE(session.click("simulation.run"));
    ASSERT_TRUE(session.waitFor([&](const json& s) { return step(s) > 1; }));
    session.act("key space");
    ASSERT_TRUE(session.waitFor(
        [](const json& s) { return s["paused"].get<bool>() && !s["simulation"]["at_work"]; }));
    const int paused = step(session.status());
    const json frame = session.status()["frame"];
    ASSERT_TRUE(session.waitFor([&](const json& s) { return s["frame"] > frame; }));
    EXPECT_EQ(step(session.status()), paused) << "the picture is paused, and bodies moved in it";
}

}  // namespace
}  // namespace rayscope::test
