// As baked_test.cpp, with cornell: walls, smallpt's glass and Russian roulette.

#include <fstream>
#include <iterator>

#include "renderer/scene/bake.h"
#include "tests/pieces.h"

namespace rayscope {
namespace {

constexpr unsigned kFeatures =
    kLambert | kMetal | kGlass | kRoulette | kWalls | kLarge | kBlack | kTent;

TEST(BakedWalls, TheFixtureIsWhatTheSceneIsBakedTo) {
    std::ifstream file(RAYSCOPE_SOURCE_DIR "/tests/baked_walls/renderer/core/baked_scene.h");
    const std::string fixture{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(bakedScene(sceneNamed("cornell")), fixture);
}

TEST(BakedWalls, TheCompactLoopFollowsTheSamePaths) {
    constexpr Variant kV = inPieces(SamplesFrom::queue, kFeatures);
    static_assert(isCompact(kV));
    const Scene scene = sceneNamed("cornell");
    for (const int depth : {1, 3, 7, 64}) {
        const Traced general = traceInGeneral<kV>(scene, 64, 48, depth);
        expectTheSamePaths(traceCompactly<kV>(scene, 64, 48, depth), general, 4, 6);
    }
}

/// With light sampling, paths that roulette ends sample the lamp once more. It is a sphere of
/// radius 600 that juts slightly out of the ceiling, so shadow rays from the ceiling graze it:
/// rounding decides whether some start below the surface.
TEST(BakedWalls, TheCompactLoopSamplesTheSameLights) {
    constexpr Variant kV = inPieces(SamplesFrom::queue, kFeatures);
    static_assert(isCompact(lit(kV, true)));
    const Scene scene = sceneNamed("cornell");
    for (const int depth : {1, 3, 64}) {
        const Traced general = traceInGeneral<lit(kV, true)>(scene, 64, 48, depth);
        EXPECT_EQ(general.counts.shadow > 0, depth > 1);
        expectTheSamePaths(traceCompactly<lit(kV, true)>(scene, 64, 48, depth), general, 4, 6, 30);
        expectTheSamePaths(traceCompactly<lit(kV, false)>(scene, 64, 48, depth), general, 4, 6, 30);
    }
}

/// With and without a lens: loops of their own, where no path begins behind a wall.
TEST(BakedWalls, PathsBeginOnALens) {
    constexpr Variant kV = inPieces(SamplesFrom::queue, kFeatures);
    Scene scene = sceneNamed("cornell");
    scene.camera.vfov = 26;
    const Traced sharp = traceCompactly<kV>(scene, 64, 48, 7);
    expectTheSamePaths(sharp, traceInGeneral<kV>(scene, 64, 48, 7), 4, 6);
    scene.camera.lensRadius = .02;
    ASSERT_TRUE(spheresInDoubt(scene, scene.camera, 64, 48).empty());
    const Traced general = traceInGeneral<kV>(scene, 64, 48, 7);
    expectTheSamePaths(traceCompactly<kV>(scene, 64, 48, 7), general, 4, 6);
    EXPECT_NE(general.counts.closest, sharp.counts.closest);
    const Traced lights = traceInGeneral<lit(kV, true)>(scene, 64, 48, 7);
    expectTheSamePaths(traceCompactly<lit(kV, true)>(scene, 64, 48, 7), lights, 4, 6, 30);
}

/// In a wider picture, rays at the sides start behind the walls.
TEST(BakedWalls, PathsBeginBehindWalls) {
    constexpr Variant kV = inPieces(SamplesFrom::queue, kFeatures);
    const Scene scene = sceneNamed("cornell");
    ASSERT_FALSE(spheresInDoubt(scene, scene.camera, 96, 36).empty());
    const Traced general = traceInGeneral<kV>(scene, 96, 36, 64);
    expectTheSamePaths(traceCompactly<kV>(scene, 96, 36, 64), general, 4, 6);
    const Traced lights = traceInGeneral<lit(kV, true)>(scene, 96, 36, 64);
    // shadow rays give rounding more to decide
    expectTheSamePaths(traceCompactly<lit(kV, true)>(scene, 96, 36, 64), lights, 4, 12, 30);
}

}  // namespace
}  // namespace rayscope
