// The uniform grid. That rays find in it what they find among all spheres is in bvh_test.cpp.

#include "renderer/scene/grid.h"

#include <algorithm>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "renderer/core/cells.h"
#include "tests/pieces.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

/// Every sphere is listed in the cell of each point of it, or tested by every ray.
void expectListed(const Scene& scene, const Grid& grid) {
    const GridHeader& h = grid.header;
    ASSERT_EQ(grid.cells.size(), size_t{1} * h.count[0] * h.count[1] * h.count[2]);
    ASSERT_EQ(static_cast<int>(grid.list.size()), h.listed);
    const auto outside = grid.list.begin() + h.outside;
    EXPECT_TRUE(std::is_sorted(grid.list.begin(), outside));
    for (int i = 0; i < static_cast<int>(scene.spheres.size()); ++i) {
        if (std::binary_search(grid.list.begin(), outside, i)) continue;
        const Sphere& s = scene.spheres[i];
        for (int k = 0; k < 27; ++k) {
            const glm::dvec3 towards(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            const double length = std::max(1., glm::length(towards));
            const glm::dvec3 p = s.center + towards * (s.radius / length);
            const glm::dvec3 low(h.low.x, h.low.y, h.low.z);
            const glm::dvec3 perUnit(h.perUnit.x, h.perUnit.y, h.perUnit.z);
            const glm::dvec3 at = (p - low) * perUnit;
            const auto cell = [&](int a) {
                return std::clamp(static_cast<int>(at[a]), 0, h.count[a] - 1);
            };
            const GridCell& c = grid.cells[(cell(2) * h.count[1] + cell(1)) * h.count[0] + cell(0)];
            const auto* const list = grid.list.data();
            EXPECT_NE(std::find(list + c.first, list + c.end, i), list + c.end)
                << scene.name << ", sphere " << i;
        }
    }
}

TEST(Grid, CellsListWhatReachesIntoThem) {
    for (const char* name :
         {"vt9", "vt46", "cornell", "card", "weekend", "field-3000", "grid-3000"})
        expectListed(sceneNamed(name), buildGrid(sceneNamed(name)));
    Scene scene = sceneNamed("vt9");
    scene.spheres.clear();
    EXPECT_EQ(buildGrid(scene).header.listed, 0);
}

TEST(Grid, FollowsTheScene) {
    const Grid weekend = buildGrid(sceneNamed("weekend"));
    EXPECT_EQ(weekend.header.outside, 4) << "the ground and the three large ones";
    EXPECT_EQ(weekend.header.count[1], 1) << "the others lie flat";
    const Grid field = buildGrid(sceneNamed("field-3000"));
    EXPECT_EQ(field.header.outside, 1);
    EXPECT_GT(field.header.count[1], 5);
}

/// Points in one place, a thousand large ones among small ones, and the largest scene.
TEST(Grid, KeepsItsLimits) {
    Scene scene = sceneNamed("vt9");
    const auto expectWithin = [&] {
        const size_t count = scene.spheres.size();
        const Grid grid = buildGrid(scene);
        EXPECT_LE(grid.cells.size(), mostGridCells(count));
        EXPECT_LE(grid.list.size(), mostGridEntries(count));
        Variant v;
        v.accel = Accel::grid;
        EXPECT_LE(packScene<float>(scene, v.sceneLayout, v.accel).size(), packedBytes(scene, v));
    };
    scene.spheres.assign(1000, scene.spheres[0]);
    expectWithin();
    for (size_t i = 0; i < scene.spheres.size(); i += 2) scene.spheres[i].radius = 1e-6;
    expectWithin();
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
        scene.spheres[i].center.x = static_cast<double>(i) * 1e4 - 5e6;
        scene.spheres[i].radius = i % 3 == 0 ? 300 : 1e-3;
    }
    expectWithin();
    scene = sceneNamed("field-100000");
    expectWithin();
}

template <Variant V>
Traced traceAmongCells(const Scene& scene, int width, int height, int depth,
                       Structures* structures = nullptr) {
    return traceWarps<V>(
        scene, width, height, depth,
        [](const LaunchParams<float>& launch, int warp, RayCounts<true>& counts) {
            constexpr int kThreads = NearGrid<V>::kMost;
            NearGrid<V> near{};
            const SceneView<float, V> view{launch.scene, launch.params};
            for (int i = 0; i < kThreads; ++i) copyNear(view, i, kThreads, near);
            EXPECT_EQ(near.holdsCells(), NearGrid<V>::kSmall && near.header.outside <= kThreads);
            renderPiecesAmongCells<V>(launch, near, warp, counts);
        },
        structures);
}

/// The GPU's loop, in which lanes leave the walk before it ends, follows the paths of the general
/// one: in one layer of cells, near or not, and in several.
TEST(Grid, TheLoopAmongCellsFollowsTheSamePaths) {
    static constexpr Variant kQueue = [] {
        Variant v = inPieces(SamplesFrom::queue,
                             kLambert | kMetal | kRough | kDielectric | kGradientSky | kLarge);
        v.sceneMemory = SceneMemory::global;
        v.accel = Accel::grid;
        v.search = Search::branch;
        v.roots = Roots::both;
        v.traits.sphereCount = 0;
        return v;
    }();
    static constexpr Variant kWarps = [&] {
        Variant v = kQueue;
        v.samplesFrom = SamplesFrom::warp;
        return v;
    }();
    static constexpr Variant kSmall = [&] {
        Variant v = kQueue;
        v.traits.sphereCount = 484;
        v.blockX = 256;
        v.blockY = 1;
        return v;
    }();
    static_assert(isAmongCells(kQueue) && isAmongCells(kWarps));
    static_assert(NearGrid<kSmall>::kSmall && !NearGrid<kQueue>::kSmall);
    const auto expectTheSame = [](const Scene& scene, int depth, int pixels) {
        const Traced general = traceInGeneral<kQueue>(scene, 64, 36, depth);
        expectTheSamePaths(traceAmongCells<kQueue>(scene, 64, 36, depth), general, 20, pixels);
        expectTheSamePaths(traceAmongCells<kWarps>(scene, 64, 36, depth), general, 20, pixels);
    };
    for (const int depth : {1, 3, 10}) {
        const Scene scene = sceneNamed("weekend");
        expectTheSame(scene, depth, 40);
        // near tests are more exact than the general loop's (the next test), so more pixels differ
        expectTheSamePaths(traceAmongCells<kSmall>(scene, 64, 36, depth),
                           traceInGeneral<kSmall>(scene, 64, 36, depth), 20, 60);
    }
    // small spheres far apart: the last bit of a direction grows sixtyfold from hit to hit
    expectTheSame(sceneNamed("field-3000"), 1, 2);
    expectTheSame(sceneNamed("field-3000"), 3, 70);

    // more spheres in no cell than are kept near, as after they have been moved
    const Scene weekend = sceneNamed("weekend");
    Structures structures;
    structures.grid.of(weekend);
    for (int i = 100; i < 140; ++i) structures.grid.move(i);
    ASSERT_GT(structures.grid.of(weekend).header.outside, NearGrid<kQueue>::kMost);
    expectTheSamePaths(traceAmongCells<kQueue>(weekend, 64, 36, 3, &structures),
                       traceAmongCells<kQueue>(weekend, 64, 36, 3), 1, 1);
    expectTheSamePaths(traceAmongCells<kSmall>(weekend, 64, 36, 3, &structures),
                       traceAmongCells<kQueue>(weekend, 64, 36, 3), 1, 1);
}

/// Distances along camera rays of weekend, against those that all spheres have in double precision.
TEST(Grid, NearCellsFindWhatDoublePrecisionFinds) {
    static constexpr Variant kSmall = [] {
        Variant v = inPieces(SamplesFrom::queue,
                             kLambert | kMetal | kRough | kDielectric | kGradientSky | kLarge);
        v.sceneMemory = SceneMemory::global;
        v.accel = Accel::grid;
        v.search = Search::branch;
        v.traits.sphereCount = 484;
        v.blockX = 256;
        v.blockY = 1;
        return v;
    }();
    static constexpr Variant kExact = [] {
        Variant v;
        v.precision = Precision::float64;
        v.sceneLayout = SceneLayout::aos;
        return v;
    }();
    const Scene scene = sceneNamed("weekend");
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, Accel::grid);
    const PackedScene exactly = packScene<double>(scene, SceneLayout::aos);
    const SceneView<float, kSmall> view{packed.data(), sceneParams<float>(scene, false)};
    const SceneView<double, kExact> all{exactly.data(), sceneParams<double>(scene, false)};
    const CameraParams<double> camera = cameraParams<double>(scene.camera, 64, 36);
    NearGrid<kSmall> near{};
    constexpr int kThreads = NearGrid<kSmall>::kMost;
    for (int i = 0; i < kThreads; ++i) copyNear(view, i, kThreads, near);
    ASSERT_TRUE(near.holdsCells());
    Scene large = scene;
    large.spheres.erase(large.spheres.begin());  // the ground
    for (Sphere& sphere : large.spheres) {
        sphere.center *= 3000;
        sphere.radius *= 3000;  // the small ones' 0.2
    }
    const PackedScene packedLarge = packScene<float>(large, SceneLayout::aos, Accel::grid);
    const SceneView<float, kSmall> largeView{packedLarge.data(), sceneParams<float>(large, false)};
    NearGrid<kSmall> largeCells{};
    for (int i = 0; i < kThreads; ++i) copyNear(largeView, i, kThreads, largeCells);
    EXPECT_TRUE(largeCells.isFlat());
    EXPECT_FALSE(largeCells.holdsCells());
    const float tMin = view.params.tMin;
    const NearCells<kSmall> cells(near, tMin);
    int hits = 0, missed = 0;
    double sum = 0, generalSum = 0, worst = 0;
    for (int i = 0; i < 64 * 36; ++i) {
        Rng rng = makeRng(i, 0, 1);
        const Ray<double> ray = cameraRay<kExact>(camera, double(i % 64), double(i / 64), rng);
        const Hit<double> hit = closestHit(all, ray);
        const auto single = [](const Vec3<double>& v) {
            return Vec3<float>{float(v.x), float(v.y), float(v.z)};
        };
        const Ray<float> rounded{single(ray.origin), single(ray.direction), kNoShape};
        const KeyRay<kSmall> moved = keyRay<kSmall>(rounded, tMin);
        CellWalk walk;
        cells.enter(moved, view.params.tMax, walk);
        while (walk.goesOn()) cells.step(moved, cellsOf(near.header), walk);
        const bool same =
            walk.shape == kNoShape ? hit.shape == kNoShape : cells.idOf(walk.shape) == hit.shape;
        missed += !same;
        if (!same || hit.shape == kNoShape) continue;
        ++hits;
        const double error = std::abs(walk.distance + tMin - hit.distance) / hit.distance;
        worst = std::max(worst, error);
        sum += error;
        generalSum += std::abs(closestHit(view, rounded).distance - hit.distance) / hit.distance;
    }
    EXPECT_GT(hits, 1000);
    EXPECT_LE(missed, 1);
    EXPECT_LT(worst, 1e-4);
    EXPECT_LT(2 * sum, generalSum);  // the general walk's are more than twice as large
}

TEST(Grid, SpheresTakenOutsideMayGoAnywhere) {
    Scene scene = sceneNamed("weekend");
    EditedGrid edited;
    EXPECT_EQ(edited.of(scene).header.outside, 4);
    EXPECT_TRUE(edited.move(40));
    EXPECT_FALSE(edited.move(40));
    EXPECT_TRUE(edited.move(17));
    scene.spheres[40].center.x += 1000;
    scene.spheres[17].radius *= 1000;
    EXPECT_EQ(edited.of(scene).header.outside, 6);
    const Grid& moved = edited.of(scene);
    expectListed(scene, moved);
    for (const GridCell& c : moved.cells) {
        for (int k = c.first; k < c.end; ++k) {
            EXPECT_NE(moved.list[k], 40);
            EXPECT_NE(moved.list[k], 17);
        }
    }
    for (int i = 0; i < static_cast<int>(scene.spheres.size()); ++i) edited.move(i);
    EXPECT_LE(edited.of(scene).list.size(), mostGridEntries(scene.spheres.size()));
    edited.change();
    EXPECT_GT(edited.of(scene).header.count[0], 0) << "what is measured has its own grid";
}

}  // namespace
}  // namespace rayscope
