// The uniform grid: every sphere is where a ray looks for it.

#include "renderer/scene/grid.h"

#include <glm/geometric.hpp>
#include <random>

#include "renderer/core/intersect.h"
#include "renderer/scene/to_kernel.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr Variant by(Accel accel, bool large) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.accel = accel;
    v.traits.features = large ? kAllFeatures & ~kWalls : kAllFeatures & ~(kWalls | kLarge);
    return v;
}

/// Of rays from around the scene and from its spheres, those for which the grid finds another hit.
template <bool Large>
int differences(const Scene& scene, int rays) {
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, Accel::grid);
    const SceneParams<float> params = sceneParams<float>(scene, false);
    const SceneView<float, by(Accel::brute, Large)> all{packed.data(), params};
    const SceneView<float, by(Accel::grid, Large)> grid{packed.data(), params};
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const auto direction = [&] {
        return glm::normalize(glm::dvec3(normal(random), normal(random), normal(random)));
    };
    int count = 0;
    for (int i = 0; i < rays; ++i) {
        const Sphere& s = scene.spheres[random() % scene.spheres.size()];
        const Sphere& target = scene.spheres[random() % scene.spheres.size()];
        glm::dvec3 o = s.center + direction() * (s.radius * (i % 2 == 0 ? 1 : 1.5));
        glm::dvec3 d = i % 3 == 0 ? direction() : glm::normalize(target.center - o);
        if (i % 7 == 0) d = glm::dvec3(i % 2, 0, 1 - i % 2);  // along an axis
        const Ray<float> ray{toKernel<float>(o), toKernel<float>(d), kNoShape};
        const Hit<float> a = closestHit(all, ray), b = closestHit(grid, ray);
        count += a.shape != b.shape || a.distance != b.distance;
    }
    return count;
}

TEST(Grid, FindsTheHitsOfAllSpheres) {
    EXPECT_EQ(differences<false>(sceneNamed("vt46"), 20000), 0);
    EXPECT_LE(differences<true>(sceneNamed("weekend"), 20000), 1);
    EXPECT_LE(differences<false>(sceneNamed("field-3000"), 5000), 1);
    Scene one = sceneNamed("vt9");
    one.spheres.resize(1);
    EXPECT_EQ(differences<false>(one, 1000), 0);
    one.spheres.resize(300, one.spheres[0]);  // all in one place
    EXPECT_EQ(differences<false>(one, 1000), 0);
}

TEST(Grid, LargeSpheresAreApartAndTheListIsShort) {
    const Scene weekend = sceneNamed("weekend");
    const Grid grid = buildGrid(weekend);
    EXPECT_EQ(grid.header.outside, 4);   // the ground and the three
    EXPECT_EQ(grid.header.count[1], 1);  // flat
    EXPECT_LE(grid.header.cells, 485);
    EXPECT_LE(grid.list.size(), 8u * 485);
    for (const char* name : {"vt9", "card", "weekend", "field-3000"}) {
        const Scene scene = sceneNamed(name);
        Variant v;
        v.accel = Accel::grid;
        EXPECT_LE(packScene<float>(scene, v.sceneLayout, v.accel).size(), packedBytes(scene, v));
    }
}

}  // namespace
}  // namespace rayscope
