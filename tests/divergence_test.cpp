// The divergence of warps: by hand, and the published table of vt9.

#include "renderer/lab/divergence.h"

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

/// Two pixels of 32 samples: all of the first trace three rays; of the second one traces two and
/// the others one.
TEST(Divergence, AWarpOfSamplesIsAPixel) {
    PathLengths paths{2, 1, 32, std::vector<unsigned char>(64, 3)};
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
TEST(Divergence, AWarpOfPixelsFollowsTheOrder) {
    PathLengths paths{16, 4, 2, std::vector<unsigned char>(128, 1)};
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

TEST(Divergence, ThirtySamplesLeaveWarpsThatStraddlePixels) {
    PathLengths paths{2, 1, 24, std::vector<unsigned char>(48, 1)};
    std::fill_n(paths.rays.begin(), 24, 2);
    Variant v;
    v.samplesAs = SamplesAs::threads;  // 32 lanes, of which 24 go on, and 16 that don't
    expectRow(divergenceOf(paths, v, 2).rows[0], 50, 50, 0, 50);
}

/// The lengths are those of the rays that a rendering counts.
TEST(Divergence, LengthsAreTheRaysCounted) {
    for (const char* name : {"vt9", "cornell", "card"}) {
        const Scene scene = sceneNamed(name);
        const Settings settings = cpuSettings(scene, {"opt=O2", "scene_layout=aos"});
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

TEST(Divergence, ThePublishedTableOfVt9) {
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
