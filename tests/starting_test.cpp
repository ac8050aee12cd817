// What the window and the commands begin with: the fastest engine of the machine, on top of
// defaults that are the same everywhere.

#include "renderer/devices/starting.h"

#include "renderer/choices/kernel_variant.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr const char* kScenes[] = {"vt9", "vt46", "cornell", "card", "weekend", "field-1000"};

TEST(StartingSettings, AreTheDefaultsByTheFastestEngine) {
    for (const char* name : kScenes) {
        const Scene scene = sceneNamed(name);
        const Settings defaults = defaultSettings(Backend::cpu, scene),
                       start = startingSettings(Backend::cpu, scene);
        EXPECT_EQ(defaults.variant.engine, Engine::megakernel);
        EXPECT_EQ(start.variant.engine,
                  widestPackets() > 0 ? Engine::packets : defaults.variant.engine);
        Settings same = start;
        same.variant.engine = defaults.variant.engine;
        EXPECT_EQ(same, defaults) << name;
        const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
        renderer->setScene(scene);
        EXPECT_EQ(renderer->unsupported(start), "") << name;
        EXPECT_EQ(startingSettings(Backend::cuda, scene), defaultSettings(Backend::cuda, scene));
    }
}

/// A GPU starts with binary nodes.
TEST(StartingSettings, WalkTrianglesByVectorsOfEight) {
    for (const char* name : {"cornell-box", "terrain-2000", "forest-20"}) {
        const Scene scene = sceneNamed(name);
        Settings start = startingSettings(Backend::cpu, scene);
        EXPECT_EQ(start.variant.accel, Accel::bvh8) << name;
        start.variant.accel = Accel::bvh;
        EXPECT_EQ(start, defaultSettings(Backend::cpu, scene)) << name;
        EXPECT_EQ(startingSettings(Backend::cuda, scene), defaultSettings(Backend::cuda, scene));
        start = startingSettings(Backend::cpu, scene);
        EXPECT_EQ(switchedTo(Backend::cuda, start, scene).variant.accel, Accel::bvh);
        start = startingSettings(Backend::cuda, scene);
        EXPECT_EQ(switchedTo(Backend::cpu, start, scene).variant.accel,
                  startingSettings(Backend::cpu, scene).variant.accel);
        start.variant.accel = Accel::brute;
        EXPECT_EQ(switchedTo(Backend::cpu, start, scene).variant.accel, Accel::brute) << "chosen";
    }
}

/// As the window does, where a click may take several choices along.
TEST(StartingSettings, GiveWayToWhatPacketsCannotDo) {
    const Scene scene = sceneNamed("vt9");
    for (const char* id : {"precision", "scene_layout"}) {
        Settings s = startingSettings(Backend::cpu, scene);
        const Axis& axis = *findAxis(id);
        choose(s, axis, 1 - axis.get(s));
        EXPECT_EQ(s.variant.engine, Engine::megakernel) << id;
        EXPECT_EQ(unsupported(s, scene), "") << id;
    }
}

TEST(StartingSettings, AreThoseOfTheBackendThatIsSwitchedTo) {
    const Scene scene = sceneNamed("vt9");
    const Settings cpu = startingSettings(Backend::cpu, scene);
    Settings cuda = startingSettings(Backend::cuda, scene);
    EXPECT_EQ(switchedTo(Backend::cuda, cpu, scene).variant.engine, Engine::megakernel);
    EXPECT_EQ(switchedTo(Backend::cpu, cpu, scene), cpu);
    cuda.variant.lightSampling = true;
    cuda.variant.sceneLayout = SceneLayout::soa;
    const Settings there = switchedTo(Backend::cpu, cuda, scene);
    EXPECT_EQ(there.variant.engine, cpu.variant.engine);
    EXPECT_TRUE(there.variant.lightSampling);
    const Settings back = switchedTo(Backend::cuda, there, scene);
    EXPECT_EQ(back.variant.engine, Engine::megakernel);
    EXPECT_TRUE(back.variant.lightSampling) << "only the engine cannot be had there";
    cuda.variant.path = Path::stack;
    EXPECT_EQ(switchedTo(Backend::cpu, cuda, scene).variant.engine, Engine::megakernel)
        << "packets have no explicit stack";
    cuda.variant.engine = Engine::regeneration;
    EXPECT_EQ(switchedTo(Backend::cpu, cuda, scene).variant.engine, Engine::regeneration);
}

}  // namespace
}  // namespace rayscope
