// The divergence of warps: by hand, and the published table of vt9. How full packets are.

#include "renderer/lab/divergence.h"

#include <algorithm>
#include <numeric>
#include <stop_token>

#include "renderer/choices/kernel_variant.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

void expectRow(const DivergenceRow& row, double active, double done, double full,
               double divergent) {
    EXPECT_NEAR(row.active, active, 1e-9);
    EXPECT_NEAR(row.done, done, 1e-9);
    EXPECT_NEAR(row.full, full, 1e-9);
    EXPECT_NEAR(row.divergent, divergent, 1e-9);
}

/// All paths have the same length.
PathLengths record(int width, int height, int samples, unsigned char length) {
    PathLengths paths{.width = width, .height = height, .samples = samples, .rays = {}};
    paths.rays.assign(static_cast<size_t>(width) * height * samples, length);
    return paths;
}

/// Two pixels of 32 samples: all of the first trace three rays; of the second one traces two and
/// the others one.
TEST(Divergence, AWarpOfSamplesIsAPixel_long) {
    PathLengths paths = record(2, 1, 32, 3);
    std::fill(paths.rays.begin() + 32, paths.rays.end(), 1);
    paths.rays[40] = 2;
    Variant v;
    v.samplesAs = SamplesAs::threads;
    const Divergence d = divergenceOf(paths, v, 4);
    ASSERT_EQ(d.rows.size(), 4u);
    expectRow(d.rows[0], 100 * 33. / 64, 0, 50, 50);
    expectRow(d.rows[1], 50, 50, 50, 0);
    expectRow(d.rows[2], 0, 100, 0, 0);
    expectRow(d.rows[3], 0, 100, 0, 0);
    EXPECT_NEAR(d.raysPerPath, (32 * 3 + 31 + 2) / 64., 1e-12);
}

/// A picture of 16x4 pixels whose left half traces two rays: tiles of 8x4 agree within, rows don't.
TEST(Divergence, AWarpOfPixelsFollowsTheOrder_long) {
    PathLengths paths = record(16, 4, 2, 1);
    for (int y = 0; y < 4; ++y) std::fill_n(paths.rays.begin() + static_cast<long>(y) * 32, 16, 2);
    Variant v;
    v.blockX = 16;
    v.blockY = 16;  // reaches over the edge
    expectRow(divergenceOf(paths, v, 2).rows[0], 50, 50, 50, 0);
    v.order = Order::rows;
    expectRow(divergenceOf(paths, v, 2).rows[0], 50, 0, 0, 100);
    v.order = Order::columns;  // two columns of 16 pixels, of which four are in the picture
    expectRow(divergenceOf(paths, v, 2).rows[0], 50, 50, 50, 0);
    v.blockX = 64;
    v.blockY = 1;  // one column
    expectRow(divergenceOf(paths, v, 2).rows[0], 50, 50, 50, 0);
}

TEST(Divergence, ThirtySamplesLeaveWarpsThatStraddlePixels_long) {
    PathLengths paths = record(2, 1, 24, 1);
    std::fill_n(paths.rays.begin(), 24, 2);
    Variant v;
    v.samplesAs = SamplesAs::threads;  // 32 lanes, of which 24 go on, and 16 that don't
    expectRow(divergenceOf(paths, v, 2).rows[0], 50, 50, 0, 50);
}

void expectLanes(const PathLengths& paths, const Variant& v, double rays, double steps) {
    const Lanes lanes = lanesOf(paths, v, 10);
    EXPECT_EQ(lanes.rays, rays);
    EXPECT_EQ(lanes.slots, 32 * steps);
}

/// A warp of 8x4 pixels, two samples: one lane traces 1 and 5 rays, another 4 and 2, all others 1
/// and 1. Sample after sample that is 4 and 5 steps; in turn the longest lane has 6 rays.
TEST(Lanes, AThreadTracesSeveralSamples) {
    PathLengths paths = record(8, 4, 2, 1);
    paths.rays[1] = 5;
    paths.rays[2 * 7] = 4;
    paths.rays[2 * 7 + 1] = 2;
    const double rays = 30 * 2 + 6 + 6;
    Variant v;
    v.blockX = 8;
    expectLanes(paths, v, rays, 4 + 5);
    v.engine = Engine::regeneration;
    expectLanes(paths, v, rays, 6);
    v.regeneration = Regeneration::budget;
    expectLanes(paths, v, 32 * 2 * 10, 2 * 10);
    v.engine = Engine::megakernel;
    v.samplesAs = SamplesAs::threads;  // each row of 16 paths is half a warp
    expectLanes(paths, v, rays, 5 + 1 + 1 + 1);
}

/// A pixel whose two samples trace five rays each, and 31 of one ray.
TEST(Lanes, LanesThatShareSamplesWaitLess) {
    PathLengths paths = record(8, 4, 2, 1);
    paths.rays[0] = paths.rays[1] = 5;
    const double rays = 31 * 2 + 10;
    Variant v;
    v.blockX = 8;
    v.engine = Engine::regeneration;
    expectLanes(paths, v, rays, 10);
    v.samplesFrom = SamplesFrom::warp;  // the second goes to another lane
    expectLanes(paths, v, rays, 1 + 5);
    v.samplesFrom = SamplesFrom::queue;
    expectLanes(paths, v, rays, 3);
}

/// 64 paths of one ray, of which three go on to two and one of these to three.
TEST(Lanes, CompactionMakesWavesDense) {
    PathLengths paths = record(64, 1, 1, 1);
    paths.rays[0] = 2;
    paths.rays[40] = 2;
    paths.rays[50] = 3;
    Variant v;
    v.engine = Engine::wavefront;
    expectLanes(paths, v, 68, 2 + 1 + 1);
    v.engine = Engine::hybrid;
    v.compaction = Compaction::host;
    expectLanes(paths, v, 68, 2 + 1 + 1);
    v.compaction = Compaction::off;
    expectLanes(paths, v, 68, 2 + 3);
}

/// Lanes over the edge of the picture are idle.
TEST(Lanes, APictureSmallerThanAWarp) {
    const PathLengths paths = record(5, 1, 3, 2);
    Variant v;
    expectLanes(paths, v, 30, 3 * 2);
    EXPECT_NEAR(lanesOf(paths, v, 10).share(), 5. / 32, 1e-12);
    EXPECT_EQ(lanesOf(PathLengths{}, v, 10).share(), 0);
}

TEST(Lanes, TheRunningEngineIsMarked) {
    const PathLengths paths = record(8, 4, 2, 2);
    Variant v;
    for (const Engine engine : {Engine::megakernel, Engine::regeneration, Engine::hybrid}) {
        v.engine = engine;
        double running = 0;
        for (const EngineLanes& e : lanesOfEngines(paths, v, 10)) {
            running += e.running;
            if (e.running) {
                EXPECT_EQ(e.lanes.slots, lanesOf(paths, v, 10).slots) << e.name;
            }
        }
        EXPECT_EQ(running, 1);
    }
}

/// Packets are counted, not modelled: nearly full while there are samples, as no lane waits for
/// another's path.
TEST(Lanes, PacketsCountTheirOwn) {
    if (widestPackets() == 0) GTEST_SKIP() << "no AVX2";
    const Scene scene = sceneNamed("vt46");
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const auto record = [&](std::vector<std::string> assignments) {
        assignments.insert(assignments.end(), {"engine=packets", "threads=1"});
        return renderer->pathLengths(cpuSettings(scene, assignments), scene.camera, 64, 36, 8);
    };
    const auto shareOf = [](unsigned long long rays, unsigned long long steps, int lanes) {
        return static_cast<double>(rays) / (static_cast<double>(steps) * lanes);
    };
    const PathLengths queued = record({"light_sampling=on"});
    const PacketUse& p = queued.packets;
    EXPECT_EQ(p.lanes, widestPackets());
    const double rays = std::accumulate(queued.rays.begin(), queued.rays.end(), 0.);
    EXPECT_NEAR(static_cast<double>(p.rays) / rays, 1, 1e-3) << "other paths than the recorded";
    EXPECT_GT(shareOf(p.rays, p.steps, p.lanes), .95);
    EXPECT_GT(shareOf(p.shadowRays, p.shadowSteps, p.lanes), .8);

    const PacketUse unqueued = record({"light_sampling=on", "light_queue=off"}).packets;
    EXPECT_EQ(unqueued.shadowRays, p.shadowRays);
    EXPECT_LT(shareOf(unqueued.shadowRays, unqueued.shadowSteps, p.lanes), .6);
    const PacketUse waiting = record({"lane_refill=off"}).packets;
    EXPECT_EQ(waiting.shadowSteps, 0u);
    EXPECT_LT(shareOf(waiting.rays, waiting.steps, p.lanes), .75);

    Variant v;
    v.engine = Engine::packets;
    const std::vector<EngineLanes> engines = lanesOfEngines(queued, v, 10);
    ASSERT_EQ(engines.size(), 7u);
    EXPECT_TRUE(engines[0].running && engines[0].counted && engines[1].counted);
    EXPECT_EQ(engines[0].lanes.share(), lanesOf(queued, v, 10).share());
    EXPECT_FALSE(engines[2].counted);
}

/// What rays meet adds up to the rays of each depth, and only what the scene has is met.
TEST(Divergence, HitsAddUpToRays_long) {
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    for (const char* name : {"vt9", "cornell", "card"}) {
        const Scene scene = sceneNamed(name);
        renderer->setScene(scene);
        const PathLengths paths =
            renderer->pathLengths(cpuSettings(scene), scene.camera, 40, 24, 4);
        std::array<unsigned long long, kMaxDepth> rays{};
        for (const unsigned char length : paths.rays) {
            for (int depth = 0; depth < length; ++depth) ++rays[depth];
        }
        const bool card = scene.name == "card", cornell = scene.name == "cornell";
        for (int depth = 0; depth < kMaxDepth; ++depth)
            EXPECT_EQ(raysAt(paths, depth), rays[depth]) << name << depth;
        EXPECT_EQ(hitShare(paths, 0, HitKind::floor) > 0, card);
        EXPECT_EQ(hitShare(paths, 0, HitKind::glossy) > 0, card);
        EXPECT_EQ(hitShare(paths, 0, HitKind::emissive) > 0, !card);
        EXPECT_EQ(hitShare(paths, 0, HitKind::lambert) > 0, !card);
        EXPECT_EQ(hitShare(paths, 0, HitKind::sky) > 0, !cornell);
    }
}

TEST(Divergence, NothingIsTracedAfterTheRequestToStop_long) {
    const Scene scene = sceneNamed("vt9");
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    std::stop_source stop;
    stop.request_stop();
    const Settings settings = cpuSettings(scene);
    const PathLengths paths =
        renderer->pathLengths(settings, scene.camera, 40, 24, 4, stop.get_token());
    EXPECT_EQ(raysAt(paths, 0), 0u);
    const PixelTimes times =
        renderer->pixelTimes(settings, scene.camera, 40, 24, 4, stop.get_token());
    EXPECT_EQ(std::count(times.ticks.begin(), times.ticks.end(), 0u), 40 * 24);
}

std::string subnormalWarningOf(const Scene& scene) {
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const Settings settings = cpuSettings(scene, {"accel=bvh", "depth=20"});
    return subnormalWarning(renderer->pathLengths(settings, scene.camera, 40, 24, 8));
}

/// Also where rays start on a plane of zero, as in weekend.
TEST(Divergence, NoScenesKernelMeetsManySubnormalNumbers_long) {
    for (const char* name : {"vt9", "vt46", "cornell", "card", "weekend", "grid-1000"})
        EXPECT_EQ(subnormalWarningOf(sceneNamed(name)), "") << name;
}

TEST(Divergence, WarnsWhereAKernelMeetsManySubnormalNumbers_long) {
    Scene scene = sceneNamed("cornell");
    for (Sphere& sphere : scene.spheres) sphere.material.albedo *= 1e-9;
    EXPECT_NE(subnormalWarningOf(scene).find("% of the paths meet subnormal numbers"),
              std::string::npos);
}

TEST(PixelTimes, EveryPixelTakesTime_long) {
    const Scene scene = sceneNamed("vt9");
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const PixelTimes times = renderer->pixelTimes(cpuSettings(scene), scene.camera, 40, 24, 4);
    ASSERT_EQ(times.ticks.size(), 40u * 24);
    EXPECT_EQ(times.unit, "ns");
    for (const unsigned ticks : times.ticks) EXPECT_GT(ticks, 0u);
}

/// The lengths are those of the rays that a rendering counts.
TEST(Divergence, LengthsAreTheRaysCounted_long) {
    for (const char* name : {"vt9", "cornell", "card"}) {
        const Scene scene = sceneNamed(name);
        Settings settings = cpuSettings(scene, {"opt=O2", "scene_layout=aos"});
        settings.variant.countDepths = true;
        const Rendered rendered = renderCpu(scene, settings, 64, 36, 8);
        const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
        renderer->setScene(scene);
        const PathLengths paths = renderer->pathLengths(settings, scene.camera, 64, 36, 8);
        Rays rays;
        for (const unsigned char length : paths.rays) {
            for (int depth = 0; depth < length; ++depth) ++rays.depth[depth];
        }
        EXPECT_EQ(rays.depth, rendered.stats.rays.depth) << name;
    }
}

/// voxel-tracer's table of vt9: 1280x720, 32 samples a pixel, depth 10, a warp a pixel.
constexpr double kActive[] = {85, 25, 13, 4, 2, 1, 1, 0, 0, 0};
constexpr double kDone[] = {14, 39, 46, 60, 70, 80, 86, 91, 93, 100};
constexpr double kFull[] = {83, 7, 1, 0, 0, 0, 0, 0, 0, 0};
constexpr double kDivergent[] = {4, 53, 53, 40, 30, 20, 14, 9, 7, 0};

TEST(Divergence, ThePublishedTableOfVt9_long) {
    const Scene scene = sceneNamed("vt9");
    const Settings settings = cpuSettings(scene);
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const PathLengths paths = renderer->pathLengths(settings, scene.camera, 1280, 720, 32);
    Variant v;
    v.samplesAs = SamplesAs::threads;
    const Divergence d = divergenceOf(paths, v, 10);
    EXPECT_NEAR(d.raysPerPath, 2.317, .002);
    for (int i = 0; i < 10; ++i) {
        EXPECT_NEAR(d.rows[i].active, kActive[i], 1) << i + 1;
        EXPECT_NEAR(d.rows[i].done, kDone[i], 1) << i + 1;
        EXPECT_NEAR(d.rows[i].full, kFull[i], 1) << i + 1;
        EXPECT_NEAR(d.rows[i].divergent, kDivergent[i], 1) << i + 1;
    }
}

}  // namespace
}  // namespace rayscope
