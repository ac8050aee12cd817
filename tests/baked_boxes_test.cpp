// As baked_test.cpp, with vt46: spheres in boxes.

#include "renderer/scene/baked_boxes.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/baked_hits.h"

namespace rayscope {
namespace {

constexpr Variant inBoxes(Roots roots) {
    Variant v = withKeys(roots);
    v.search = Search::boxed;
    return v;
}

TEST(BakedBoxes, TheFixtureIsWhatTheSceneIsBakedTo) {
    std::ifstream file(RAYSCOPE_SOURCE_DIR "/tests/baked_boxes/renderer/core/baked_scene.h");
    const std::string fixture{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(bakedScene(sceneNamed("vt46")), fixture);
}

template <Roots R>
void expectAsWithoutBoxes(const Scene& scene) {
    const auto keys = hits<withKeys(R)>(scene);
    const auto boxed = hits<inBoxes(R)>(scene);
    ASSERT_EQ(keys.size(), boxed.size());
    for (size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(keys[i].shape, boxed[i].shape);
        EXPECT_EQ(keys[i].distance, boxed[i].distance);
    }
}

TEST(BakedBoxes, HideNoSphere) {
    expectAsWithoutBoxes<Roots::both>(sceneNamed("vt46"));
    expectAsWithoutBoxes<Roots::known>(sceneNamed("vt46"));
}

/// A single ray tests what is in the boxes that it meets: fewer than half of all spheres.
TEST(BakedBoxes, SpareTests) {
    int rays = 0, boxes = 0;
    forRays<inBoxes(Roots::both)>(sceneNamed("vt46"), 4, [&](const auto&, const auto& ray, auto) {
        const BoxRay boxed = boxRay(keyRay<inBoxes(Roots::both)>(ray, 0));
        ++rays;
        boxes += meetsBox<0>(boxed) + meetsBox<1>(boxed) + meetsBox<2>(boxed) + meetsBox<3>(boxed);
    });
    ASSERT_EQ(kBakedBoxes, 4);
    EXPECT_GT(boxes, rays / 10);
    EXPECT_LT(boxes, rays * 2);
}

/// The first box ends a little above the highest sphere in it. A ray parallel to a plane may count
/// as meeting it.
TEST(BakedBoxes, RaysPassByOrNot) {
    constexpr Variant kV = inBoxes(Roots::both);
    const auto meets = [](Vec3<float> origin, Vec3<float> direction) {
        return meetsBox<0>(boxRay(keyRayAt<kV>(origin, direction, 0, kNoShape)));
    };
    const auto at = [](int axis, double part) {
        return float(kBakedBox[0][axis][0] + part * kBakedBox[0][axis][1]);
    };
    const float x = at(0, 0), z = at(2, 0);
    EXPECT_TRUE(meets({x, at(1, 3), z}, {0, -1, 0}));
    EXPECT_FALSE(meets({x, at(1, 3), z}, {.1f, .99f, .1f}));
    EXPECT_FALSE(meets({x, at(1, 1.001), z}, {.6f, 1e-6f, .8f}));
    EXPECT_TRUE(meets({x, at(1, .999), z}, {.6f, 0, .8f}));
    EXPECT_TRUE(meets({x, at(1, .9), z}, {0, 1, 0}));  // from within
    EXPECT_TRUE(meets({x, at(1, .5), 200}, {0, 0, -1}));
    EXPECT_FALSE(meets({x, at(1, .5), 200}, {0, 0, 1}));
    EXPECT_TRUE(meets({200, at(1, .5), z}, {-1, 0, 0}));
    EXPECT_FALSE(meets({200, at(1, 2), z}, {-1, 1e-6f, 1e-6f}));
}

TEST(BakedBoxes, EndlessShadowsFallWhereRaysHit) {
    expectEndlessShadows<withoutWalls(inBoxes(Roots::both))>(sceneNamed("vt46"));
}

std::vector<size_t> sizesOf(const std::vector<BakedBox>& boxes) {
    std::vector<size_t> sizes;
    for (const BakedBox& b : boxes) sizes.push_back(b.spheres.size());
    std::ranges::sort(sizes);
    return sizes;
}

/// Rows of spheres have boxes; the ground, some hundred times as large, has none. Three rows of
/// three or a single sphere are not worth one.
TEST(BakedBoxes, HoldWhatIsNear) {
    const std::vector<BakedBox> boxes = bakedBoxes(sceneNamed("vt46"));
    EXPECT_EQ(sizesOf(boxes), (std::vector<size_t>{8, 9, 12, 16}));
    for (const BakedBox& b : boxes) EXPECT_EQ(std::ranges::count(b.spheres, 0), 0);
    EXPECT_TRUE(bakedBoxes(sceneNamed("vt9")).empty());
    EXPECT_EQ(sizesOf(bakedBoxes(sceneNamed("card"))), (std::vector<size_t>{6, 8, 9, 9, 17}));
}

TEST(BakedBoxes, HoldTheirSpheresAndNoneTwice) {
    for (const char* name : {"vt46", "card", "field-100", "grid-64", "field-2"}) {
        const Scene scene = sceneNamed(name);
        std::vector<int> boxed;
        for (const BakedBox& b : bakedBoxes(scene)) {
            for (const int i : b.spheres) {
                const Sphere& s = scene.spheres[static_cast<size_t>(i)];
                for (int a = 0; a < 3; ++a) {
                    EXPECT_LT(b.box.low[a], s.center[a] - s.radius);
                    EXPECT_GT(b.box.high[a], s.center[a] + s.radius);
                }
                boxed.push_back(i);
            }
        }
        std::ranges::sort(boxed);
        EXPECT_TRUE(std::ranges::adjacent_find(boxed) == boxed.end()) << name;
        const size_t least = scene.spheres.size() > 2 ? scene.spheres.size() / 2 : 0;
        EXPECT_GE(boxed.size(), least) << name;
    }
}

}  // namespace
}  // namespace rayscope
