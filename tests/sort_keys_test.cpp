// The keys by which a wavefront sorts its paths: what is near in their order is near in the scene,
// or of one material.

#include "renderer/core/sort_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "tests/mesh_rays.h"
#include "tests/random_points.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr float kReach = 4;

std::vector<Ray<float>> someRays(int count) {
    Twister random(7);
    const auto vector = [](const Point& p) {
        return Vec3<float>{float(p.x), float(p.y), float(p.z)};
    };
    std::vector<Ray<float>> rays;
    for (int i = 0; i < count; ++i)
        rays.push_back({vector(pointIn(random, kReach)), vector(direction(random)), kNoShape});
    return rays;
}

int octantOf(const Ray<float>& ray) {
    const Vec3<float>& d = ray.direction;
    return (d.x < 0 ? 4 : 0) + (d.y < 0 ? 2 : 0) + (d.z < 0 ? 1 : 0);
}

/// The mean distance between the origins of rays that follow each other.
double meanStep(const std::vector<Ray<float>>& rays) {
    double sum = 0;
    for (size_t i = 1; i < rays.size(); ++i) {
        const Vec3<float> step = rays[i].origin - rays[i - 1].origin;
        sum += std::sqrt(dot(step, step));
    }
    return sum / static_cast<double>(rays.size() - 1);
}

int octantsMet(const std::vector<Ray<float>>& rays) {
    int runs = 1;
    for (size_t i = 1; i < rays.size(); ++i) runs += octantOf(rays[i]) != octantOf(rays[i - 1]);
    return runs;
}

template <RayOrder Order>
std::vector<Ray<float>> sorted(std::vector<Ray<float>> rays) {
    std::ranges::sort(rays, {}, [](const Ray<float>& r) { return rayKey<Order>(r, kReach); });
    return rays;
}

TEST(SortKeys, RaysThatFollowEachOtherBeginNearEachOther) {
    const std::vector<Ray<float>> rays = someRays(20'000);
    const auto byOrigin = sorted<RayOrder::origin>(rays), byOctant = sorted<RayOrder::octant>(rays);
    EXPECT_LT(meanStep(byOrigin), meanStep(rays) / 10);
    EXPECT_LT(meanStep(byOctant), meanStep(rays) / 5);
    EXPECT_GT(meanStep(byOctant), meanStep(byOrigin));
    EXPECT_EQ(octantsMet(byOctant), 8);
}

TEST(SortKeys, RaysOfOneCellAreSortedByTheirOctants) {
    std::vector<Ray<float>> rays = someRays(1000);
    for (Ray<float>& ray : rays) ray.origin = {1.001f, 1.002f, -.003f};
    EXPECT_EQ(octantsMet(sorted<RayOrder::origin>(rays)), 8);
}

/// Also where a ray begins beyond all shapes, and where there is no hierarchy to measure.
TEST(SortKeys, AreNoLongerThanTheirPasses) {
    for (Ray<float> ray : someRays(1000)) {
        for (const float reach : {kReach, kReach / 10, 0.f}) {
            ASSERT_LE(rayKey<RayOrder::origin>(ray, reach), kLastKey);
            ASSERT_LE(rayKey<RayOrder::octant>(ray, reach), kLastKey);
        }
        const unsigned key = rayKey<RayOrder::origin>(ray, kReach / 10);
        const auto inside = [](float x) { return std::clamp(x, -kReach / 10, kReach / 10); };
        ray.origin = {inside(ray.origin.x), inside(ray.origin.y), inside(ray.origin.z)};
        ASSERT_EQ(rayKey<RayOrder::origin>(ray, kReach / 10), key) << "the nearest cell";
    }
}

/// On spheres and on triangles; nothing is a material of its own.
TEST(SortKeys, HitsOfOneKindHaveOneKey) {
    Scene scene = sceneOf(ball(2, true));
    scene.meshes[0].material = materialOfKind(MaterialKind::glass, .9);
    int at = 3;
    for (const MaterialKind kind : {MaterialKind::lambert, MaterialKind::metal,
                                    MaterialKind::dielectric, MaterialKind::glass}) {
        for (int i = 0; i < 2; ++i, at += 3)
            scene.spheres.push_back({{double(at), 0, 0}, 1, materialOfKind(kind, .5)});
    }
    constexpr Variant V = meshVariant(Precision::float32);
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, Accel::bvh);
    const Settings settings = defaultSettings(Backend::cpu, scene);
    const LaunchParams<float> launch =
        launchParams<float>(settings, scene, scene.camera, {1, 1, nullptr}, {1});
    const SceneView<float, V> view{packed.data(), launch.params};
    EXPECT_GT(reachOf(view), 20);
    std::map<MaterialKind, std::set<unsigned>> keys;
    const auto add = [&](double x, MaterialKind kind) {
        const Ray<float> ray{{float(x), 0, 9}, {0, 0, -1}, kNoShape};
        keys[kind].insert(materialKey(view, closestHit(view, ray)));
    };
    add(.1, MaterialKind::glass);  // the mesh
    for (const Sphere& s : scene.spheres) add(s.center.x, s.material.kind);
    std::set<unsigned> all{materialKey(view, Hit<float>{1, kNoShape})};
    for (const auto& [kind, ofKind] : keys) {
        EXPECT_EQ(ofKind.size(), 1u) << static_cast<int>(kind);
        all.insert(ofKind.begin(), ofKind.end());
    }
    EXPECT_EQ(all.size(), 5u);
    EXPECT_LT(*all.rbegin(), 256u) << "one pass of the sort";
}

}  // namespace
}  // namespace rayscope
