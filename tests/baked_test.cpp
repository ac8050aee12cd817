// A scene baked into the code. This file is compiled with vt9 in the place of core/baked_scene.h
// (tests/baked/), as NVRTC compiles the kernels of scene_memory=baked.

#include <fstream>
#include <iterator>

#include "renderer/scene/bake.h"
#include "tests/baked_hits.h"

namespace rayscope {
namespace {

TEST(Baked, TheFixtureIsWhatTheSceneIsBakedTo) {
    std::ifstream file(RAYSCOPE_SOURCE_DIR "/tests/baked/renderer/core/baked_scene.h");
    const std::string fixture{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(bakedScene(sceneNamed("vt9")), fixture);
}

TEST(Baked, FindsTheHitsOfTheSceneInMemory) {
    const Scene scene = sceneNamed("vt9");
    const auto memory = hits<in(SceneMemory::global)>(scene);
    const auto baked = hits<in(SceneMemory::baked)>(scene);
    ASSERT_EQ(memory.size(), baked.size());
    ASSERT_GT(memory.size(), 64u * 36u * 2u);
    for (size_t i = 0; i < memory.size(); ++i) {
        EXPECT_EQ(memory[i].shape, baked[i].shape);
        EXPECT_EQ(memory[i].distance, baked[i].distance);
    }
}

/// Of camera rays. A key's distance is cut by the four bits of a sphere's number, and grazing hits
/// are moved by the rounding of another origin.
template <Variant V>
void expectTheSameHits(const Scene& scene) {
    const auto memory = hits<in(SceneMemory::global)>(scene, 1);
    const auto keys = hits<V>(scene, 1);
    ASSERT_EQ(memory.size(), keys.size());
    for (size_t i = 0; i < memory.size(); ++i) {
        EXPECT_EQ(memory[i].shape, keys[i].shape);
        if (memory[i].shape >= 0) {
            EXPECT_NEAR(memory[i].distance, keys[i].distance, 1e-4 * memory[i].distance);
        }
    }
}

TEST(Baked, KeysFindTheHitsOfTheSceneInMemory) {
    expectTheSameHits<withKeys(Roots::both)>(sceneNamed("vt9"));
    expectTheSameHits<withKeys(Roots::known)>(sceneNamed("vt9"));
}

TEST(Baked, EndlessShadowsFallWhereRaysHit) {
    expectEndlessShadows<withoutWalls(withKeys(Roots::both))>(sceneNamed("vt9"));
}

constexpr unsigned kFeatures = kLambert | kMetal | kRough | kDielectric | kGlows | kGradientSky;

/// The loop in fewer instructions follows the paths of the general one: among 18,432, the last bits
/// of numbers and normals send a handful elsewhere.
TEST(Baked, TheCompactLoopFollowsTheSamePaths) {
    constexpr Variant kQueue = inPieces(SamplesFrom::queue, kFeatures);
    constexpr Variant kWarps = inPieces(SamplesFrom::warp, kFeatures);
    static_assert(isCompact(kQueue) && isCompact(kWarps));
    const Scene scene = sceneNamed("vt9");
    for (const int depth : {1, 3, 10}) {
        const Traced general = traceInGeneral<kQueue>(scene, 64, 36, depth);
        expectTheSamePaths(traceCompactly<kQueue>(scene, 64, 36, depth), general, 4, 6);
        expectTheSamePaths(traceCompactly<kWarps>(scene, 64, 36, depth), general, 4, 6);
    }
}

/// With light sampling: queued hits use the random numbers that the path would have.
TEST(Baked, TheCompactLoopSamplesTheSameLights) {
    constexpr Variant kV = inPieces(SamplesFrom::queue, kFeatures);
    static_assert(isCompact(lit(kV, true)) && queuesLights(lit(kV, true)));
    Scene scene = sceneNamed("vt9");
    scene.spheres[3].material.emission = {1, 2, 3};  // with the ninth sphere, two lights
    for (const int depth : {1, 2, 10}) {
        const Traced general = traceInGeneral<lit(kV, true)>(scene, 64, 36, depth);
        EXPECT_EQ(general.counts.shadow > 0, depth > 1);
        expectTheSamePaths(traceCompactly<lit(kV, true)>(scene, 64, 36, depth), general, 4, 6, 6);
        expectTheSamePaths(traceCompactly<lit(kV, false)>(scene, 64, 36, depth), general, 4, 6, 6);
    }
}

std::vector<int> onBothSides(const Scene& scene) {
    const std::vector<PathSide> sides = sidesOf(scene);
    std::vector<int> numbers;
    for (size_t i = 0; i < sides.size(); ++i) {
        if (sides[i] == PathSide::both) numbers.push_back(static_cast<int>(i));
    }
    return numbers;
}

TEST(Baked, PathsEnterGlassAndWhatOverlaps) {
    EXPECT_EQ(onBothSides(sceneNamed("vt9")), std::vector{7});  // glass; others touch the ground
    EXPECT_EQ(onBothSides(sceneNamed("card")).size(), sceneNamed("card").spheres.size());
    Scene scene = sceneNamed("vt9");
    scene.spheres[1].center = scene.spheres[2].center + glm::dvec3(.6, 0, 0);
    EXPECT_EQ(onBothSides(scene), (std::vector{1, 2, 7}));
    scene.spheres[1].center = scene.spheres[2].center;  // one inside the other
    scene.spheres[1].radius = .3;
    EXPECT_EQ(onBothSides(scene), std::vector{7});
    scene.spheres[1].radius = .4995;  // hardly smaller, so rays from the other slip into it
    EXPECT_EQ(onBothSides(scene), (std::vector{1, 7}));
    scene.spheres[1].radius = .5005;  // hardly larger
    EXPECT_EQ(onBothSides(scene), (std::vector{2, 7}));
}

/// Its walls are spheres around the room. They cross, but next to no ray starts that close to an
/// edge. Rays of the upper rows start above the ceiling.
TEST(Baked, PathsOfCornellAreInsideItsWalls) {
    using enum PathSide;
    EXPECT_EQ(sidesOf(sceneNamed("cornell")),
              (std::vector{inside, inside, inside, inside, inside, both, outside, both, outside}));
}

TEST(Baked, CamerasStartInWhatTheirLensReaches) {
    Scene scene = sceneNamed("vt9");
    Camera camera = scene.camera;
    const auto from = [&](glm::dvec3 place, double lens) {
        camera.from = place;
        camera.lensRadius = lens;
        return spheresInDoubt(scene, camera, 64, 36);
    };
    EXPECT_EQ(from({0, 2, 3}, .05), std::vector<int>{});
    EXPECT_EQ(from({0, 0, -1.2}, 0), std::vector{2});
    EXPECT_EQ(from({0, 0, -.48}, 0), std::vector<int>{});
    EXPECT_EQ(from({0, 0, -.48}, .05), std::vector{2});
    EXPECT_EQ(from(scene.spheres[7].center, 0), std::vector<int>{});  // glass
    scene.camera.from = {0, 0, -1.2};                                 // then all paths are inside
    EXPECT_EQ(sidesOf(scene)[2], PathSide::inside);
    EXPECT_EQ(from({0, 0, -1.2}, 0), std::vector<int>{});
    EXPECT_EQ(from({0, 2, 3}, 0), std::vector{~2});
}

/// In a wider picture, rays at the sides start behind the walls.
TEST(Baked, RaysOfAWiderPictureStartElsewhere) {
    const Scene scene = sceneNamed("cornell");
    EXPECT_EQ(spheresInDoubt(scene, scene.camera, scene.width, scene.height), std::vector<int>{});
    EXPECT_EQ(spheresInDoubt(scene, scene.camera, 1280, 720), (std::vector{~0, ~1}));
}

TEST(Baked, EveryGeometryOfASceneChangesItsName) {
    Scene scene = sceneNamed("cornell");  // walls: anchor, curvature and normal
    const std::string text = bakedScene(scene);
    EXPECT_NE(text.find("kBakedSpheres = 9"), std::string::npos);
    EXPECT_NE(bakedId(text), bakedId(bakedScene(sceneNamed("vt9"))));
    const unsigned before = bakedId(text);
    scene.spheres[6].center.x += 1e-9;
    EXPECT_NE(bakedId(bakedScene(scene)), before);
    scene.spheres[6] = sceneNamed("cornell").spheres[6];
    scene.spheres[6].material.albedo = {0, 0, 0};  // materials are not baked
    EXPECT_EQ(bakedId(bakedScene(scene)), before);
}

}  // namespace
}  // namespace rayscope
