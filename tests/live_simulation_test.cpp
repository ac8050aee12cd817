// A simulation that runs beside its caller.

#include "renderer/lab/live_simulation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "renderer/base/elapsed.h"

namespace rayscope {
namespace {

using namespace std::chrono_literals;

SharedScene cluster(int bodies) {
    Scene scene;
    scene.simulation = Simulation{};
    scene.simulation->bodies = bodies;
    placeBodies(scene);
    scene.spheres.push_back({{0, -100, 0}, 90, {}});
    return scene;
}

Settings onCpu(const Scene& scene) {
    return defaultSettings(Backend::cpu, scene);
}

/// Until it has nothing to do; false after a minute.
bool rests(const LiveSimulation& live) {
    for (int i = 0; i < 6000 && live.atWork(); ++i) std::this_thread::sleep_for(10ms);
    return !live.atWork();
}

TEST(LiveSimulation, MovesBodiesAsTheSimulatorDoes) {
    const SharedScene scene = cluster(100);
    const Settings settings = onCpu(scene);
    LiveSimulation live([] { return openMachine(); });
    live.step(scene, settings, 3);
    ASSERT_TRUE(rests(live));
    live.step(scene, settings, 4);
    ASSERT_TRUE(rests(live));
    const auto moved = live.take();
    ASSERT_TRUE(moved) << live.figures().problem;
    EXPECT_FALSE(live.take()) << "it was taken";
    EXPECT_EQ(moved->step, 7);
    EXPECT_EQ(live.figures().step, 7);

    auto simulator = makeCpuRenderer()->simulate(*scene->simulation, startOf(*scene->simulation));
    ASSERT_TRUE(simulator);
    (*simulator)->step(settings, 3);
    (*simulator)->step(settings, 4);
    const Bodies bodies = (*simulator)->bodies();
    for (int i = 0; i < bodies.count(); ++i)
        EXPECT_EQ(moved->scene.now()->spheres[i].center, bodies.positions[i]);
    EXPECT_NE(moved->scene.now()->spheres[0].center, scene->spheres[0].center);
    EXPECT_EQ(moved->scene.now()->spheres.back(), scene->spheres.back()) << "no body";
    EXPECT_NE(moved->scene.now().version(), scene.version());

    live.step(scene, settings, 0);
    ASSERT_TRUE(rests(live));
    EXPECT_FALSE(live.take());
    ASSERT_TRUE(live.figures().energyDrift);
    EXPECT_LT(std::abs(*live.figures().energyDrift), 1e-3);
    EXPECT_EQ(live.figures().driftStep, 7);
}

TEST(LiveSimulation, BeginsAgain) {
    const SharedScene scene = cluster(100);
    const Settings settings = onCpu(scene);
    LiveSimulation live([] { return openMachine(); });
    live.step(scene, settings, 2);
    ASSERT_TRUE(rests(live));
    const auto first = live.take();
    ASSERT_TRUE(first);
    live.step(scene, settings, 5);
    live.restart();
    ASSERT_TRUE(rests(live));
    EXPECT_FALSE(live.take()) << "of before it began again";
    live.step(scene, settings, 2);
    ASSERT_TRUE(rests(live));
    const auto second = live.take();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->step, 2);
    EXPECT_EQ(*second->scene.now(), *first->scene.now());
}

TEST(LiveSimulation, GivesUpAStepThatTakesLong_long) {
    const SharedScene scene = cluster(kMaxBodies);
    const Clock::time_point began = Clock::now();
    {
        LiveSimulation live([] { return openMachine(); });
        live.step(scene, onCpu(scene), 1000);
        std::this_thread::sleep_for(2s);
        EXPECT_TRUE(live.atWork()) << "a thousand steps of a million bodies each";
    }
    EXPECT_LT(millisecondsSince(began), 60e3) << "a step takes longer than this on any CPU";
}

TEST(LiveSimulation, SaysWhyNothingMoves) {
    SharedScene scene = cluster(2);
    scene.change([](Scene& s) {
        s.simulation->step = 1e3;
        s.simulation->softening = kMinSoftening;
        s.simulation->mass = 1e6;
    });
    LiveSimulation live([] { return openMachine(); });
    live.step(scene, onCpu(scene), 1000);
    ASSERT_TRUE(rests(live));
    EXPECT_FALSE(live.take());
    EXPECT_NE(live.figures().problem.find("smaller time step"), std::string::npos)
        << live.figures().problem;
}

}  // namespace
}  // namespace rayscope
