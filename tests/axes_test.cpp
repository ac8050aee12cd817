// The table of axes: one spelling everywhere, every value reachable, wrong ones explained.

#include "renderer/choices/axes.h"

#include <set>

#include "tests/render_helper.h"

namespace rayscope {
namespace {

TEST(Axes, EveryValueIsSpelledOnceAndReadBack) {
    std::set<std::string_view> ids;
    for (const Axis& axis : axes()) {
        EXPECT_TRUE(ids.insert(axis.id).second) << axis.id;
        EXPECT_TRUE(axis.onCpu || axis.onCuda) << axis.id;
        EXPECT_EQ(axis.help.back(), '.') << axis.id;
        for (int value = axis.minimum; value <= axis.maximum; ++value) {
            Settings settings;
            axis.set(settings, value);
            EXPECT_EQ(axis.get(settings), value) << axis.id;
            const std::string spelling = std::string(axis.id) + "=" + valueOf(axis, settings);
            Settings assigned;
            EXPECT_EQ(assign(assigned, spelling), "");
            EXPECT_EQ(axis.get(assigned), value) << spelling;
        }
    }
}

TEST(Axes, AValueChangesItsOwnAxisOnly) {
    for (const Axis& axis : axes()) {
        Settings settings;
        const int other = axis.get(settings) == axis.maximum ? axis.minimum : axis.maximum;
        axis.set(settings, other);
        for (const Axis& each : axes()) {
            EXPECT_EQ(each.get(settings) != each.get(Settings{}), each.id == axis.id)
                << axis.id << " " << each.id;
        }
    }
}

TEST(Axes, WrongAssignmentsNameWhatIsValid) {
    Settings settings;
    const Settings before = settings;
    EXPECT_NE(assign(settings, "lay=soa").find("scene_layout"), std::string::npos);
    EXPECT_NE(assign(settings, "path=spiral").find("recursive, stack, loop"), std::string::npos);
    EXPECT_NE(assign(settings, "depth=0").find("from 1 to 64"), std::string::npos);
    EXPECT_NE(assign(settings, "depth=65").find("from 1 to 64"), std::string::npos);
    for (const char* wrong : {"depth=", "depth=3x", "depth=-1", "depth=99999999999999", "depth", "",
                              "=", "=soa", "path=", "path=LOOP", "path= loop"}) {
        EXPECT_NE(assign(settings, wrong), "") << wrong;
    }
    EXPECT_TRUE(settings == before);
}

TEST(Axes, ImpossibleCombinationsHaveAReason) {
    const Scene vt9 = sceneNamed("vt9"), card = sceneNamed("card"), weekend = sceneNamed("weekend");
    Settings cuda = defaultSettings(Backend::cuda, vt9);
    EXPECT_EQ(unsupported(cuda, vt9), "");
    ASSERT_EQ(assign(cuda, "light_sampling=on"), "");
    EXPECT_EQ(unsupported(cuda, vt9), "");
    EXPECT_NE(unsupported(cuda, card), "");
    EXPECT_NE(unsupported(cuda, weekend), "");  // no lamp
    cuda = defaultSettings(Backend::cuda, vt9);
    ASSERT_EQ(assign(cuda, "max_registers=168"), "");
    ASSERT_EQ(assign(cuda, "block=32x16"), "");
    EXPECT_NE(unsupported(cuda, vt9).find("max_registers=168"), std::string::npos);
    Settings cpu = defaultSettings(Backend::cpu, vt9);
    EXPECT_EQ(unsupported(cpu, vt9), "");
    ASSERT_EQ(assign(cpu, "display=interop"), "");
    EXPECT_NE(unsupported(cpu, vt9), "");
}

TEST(Axes, ConstantMemoryHoldsSoManySpheres) {
    Scene scene = sceneNamed("vt9");
    Settings settings = defaultSettings(Backend::cuda, scene);
    settings.variant.sceneMemory = SceneMemory::constant;
    scene.spheres.resize(kMaxConstantSpheres, scene.spheres[0]);
    EXPECT_EQ(unsupported(settings, scene), "");
    EXPECT_LE(packScene<double>(scene, SceneLayout::aos).size(), size_t{kConstantBytes});
    EXPECT_LE(packScene<double>(scene, SceneLayout::soa).size(), size_t{kConstantBytes});
    scene.spheres.push_back(scene.spheres[0]);
    EXPECT_NE(unsupported(settings, scene), "");
    EXPECT_EQ(unsupported(defaultSettings(Backend::cuda, scene), scene), "");
}

TEST(Axes, ConstantMemoryHoldsSoManySpheresWithTheirBvh) {
    const Scene weekend = sceneNamed("weekend");
    Settings settings = defaultSettings(Backend::cuda, weekend);
    EXPECT_EQ(valueOf(*findAxis("accel"), settings), "bvh");
    EXPECT_EQ(valueOf(*findAxis("scene_memory"), settings), "global");
    EXPECT_EQ(unsupported(settings, weekend), "");
    settings.variant.sceneMemory = SceneMemory::constant;
    EXPECT_EQ(unsupported(settings, weekend), "");
    settings.variant.precision = Precision::float64;
    EXPECT_NE(unsupported(settings, weekend).find("bytes"), std::string::npos);
    for (const Accel accel : {Accel::brute, Accel::bvh}) {
        for (const SceneLayout layout : {SceneLayout::aos, SceneLayout::soa}) {
            settings.variant.accel = accel;
            settings.variant.sceneLayout = layout;
            EXPECT_LE(packScene<double>(weekend, layout, accel).size(),
                      packedBytes(weekend, settings.variant));
        }
    }
}

/// From the defaults of every engine on CUDA each value can be had with one choice.
TEST(Axes, AChoiceBringsWhatItNeeds) {
    const Scene vt9 = sceneNamed("vt9");
    const Axis& engines = *findAxis("engine");
    for (int engine = engines.minimum; engine <= engines.maximum; ++engine) {
        Settings base = defaultSettings(Backend::cuda, vt9);
        choose(base, engines, engine);
        EXPECT_EQ(unsupported(base, vt9), "");
        for (const Axis& axis : axes()) {
            for (int value = axis.minimum; value <= axis.maximum; ++value) {
                Settings settings = base;
                choose(settings, axis, value);
                EXPECT_EQ(axis.get(settings), value) << axis.id;
                // and back again
                choose(settings, axis, axis.get(base));
                EXPECT_EQ(axis.get(settings), axis.get(base)) << axis.id;
                if (axis.id == "backend") continue;
                choose(settings, axis, value);
                const std::string reason = unsupported(settings, vt9);
                const std::string choice = std::string(axis.id) + "=" + valueOf(axis, settings);
                const bool never =
                    choice == "display=host" ||
                    (choice == "compaction=device" && base.variant.engine == Engine::hybrid);
                EXPECT_EQ(!reason.empty(), never) << choice << ": " << reason;
            }
        }
    }
    Settings clash = defaultSettings(Backend::cuda, vt9);
    choose(clash, engines, static_cast<int>(Engine::hybrid));
    EXPECT_EQ(clash.variant.compaction, Compaction::host);
    EXPECT_EQ(clash.variant.stages, defaultSettings(Backend::cuda, vt9).variant.stages);
    // what was said stands, in any order
    for (const bool first : {true, false}) {
        Settings said = defaultSettings(Backend::cuda, vt9);
        assignAll(said, first ? std::vector<std::string>{"compaction=device", "engine=hybrid"}
                              : std::vector<std::string>{"engine=hybrid", "compaction=device"});
        EXPECT_EQ(said.variant.compaction, Compaction::device);
        EXPECT_NE(unsupported(said, vt9), "");
    }
}

TEST(Axes, DescriptionAndDifference) {
    const Scene scene = sceneNamed("vt9");
    Settings a = defaultSettings(Backend::cpu, scene), b = a;
    EXPECT_EQ(difference(a, b), "");
    ASSERT_EQ(assign(b, "path=stack"), "");
    ASSERT_EQ(assign(b, "opt=O1"), "");
    EXPECT_EQ(difference(a, b), "opt=O1 path=stack");
    EXPECT_EQ(describe(b).find("math="), std::string::npos);  // means nothing on the CPU
    EXPECT_NE(describe(b).find("path=stack"), std::string::npos);
}

TEST(Settings, WhatResetsFilmAndTiming) {
    const Settings a;
    for (const Axis& axis : axes()) {
        Settings b = a;
        axis.set(b, axis.get(a) == axis.maximum ? axis.minimum : axis.maximum);
        EXPECT_TRUE(resetsTiming(a, b)) << axis.id;
        EXPECT_EQ(resetsFilm(a, b), axis.id == "depth") << axis.id;
    }
    Settings b = a;
    b.seed = 2;
    EXPECT_TRUE(resetsFilm(a, b));
    EXPECT_FALSE(resetsFilm(a, a));
    EXPECT_FALSE(resetsTiming(a, a));
}

}  // namespace
}  // namespace rayscope
