// The twins that record, on a GPU.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include <cuda_runtime_api.h>

#include <numeric>

namespace rayscope {
namespace {

/// A few paths differ: the two processors round differently.
constexpr double kSmallPart = 1e-3;

TEST_F(Gpu, PathLengthsAndHitsAreTheCpusAndAddUpToRays) {
    for (const std::string name : {"vt9", "cornell", "card"}) {
        use(name);
        const PathLengths gpu =
            renderer_->pathLengths(settings_, scene_.camera, kWidth, kHeight, kSpp);
        auto cpu = makeCpuRenderer();
        cpu->setScene(scene_);
        const PathLengths reference = cpu->pathLengths(defaultSettings(Backend::cpu, scene_),
                                                       scene_.camera, kWidth, kHeight, kSpp);
        ASSERT_EQ(gpu.rays.size(), reference.rays.size());
        size_t different = 0;
        for (size_t i = 0; i < gpu.rays.size(); ++i) different += gpu.rays[i] != reference.rays[i];
        EXPECT_LT(static_cast<double>(different), kSmallPart * static_cast<double>(gpu.rays.size()))
            << name;
        std::array<unsigned long long, kMaxDepth> rays{};
        for (const unsigned char length : gpu.rays) {
            for (int depth = 0; depth < length; ++depth) ++rays[depth];
        }
        for (int depth = 0; depth < kMaxDepth; ++depth) {
            const auto& row = gpu.hits[depth];
            EXPECT_EQ(std::accumulate(row.begin(), row.end(), 0ULL), rays[depth])
                << name << " depth " << depth;
            for (int kind = 0; kind < kHitKinds; ++kind) {
                EXPECT_NEAR(static_cast<double>(row[kind]),
                            static_cast<double>(reference.hits[depth][kind]),
                            kSmallPart * static_cast<double>(gpu.rays.size()))
                    << name << " depth " << depth << " kind " << kind;
            }
        }
    }
}

int attribute(cudaDeviceAttr which) {
    int value = 0;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, which, 0), cudaSuccess);
    return value;
}

/// Warps share a multiprocessor: all cycles of all warps lie between those of the multiprocessors,
/// each with one warp at a time, and those with as many as it holds. The kernel that is timed is
/// another, and clocks change, so that the bounds are wide.
TEST_F(Gpu, CyclesHaveTheOrderOfTheKernelsTime) {
    constexpr int kWide = 1280, kHigh = 720;
    for (const char* engine : {"engine=megakernel", "engine=regeneration"}) {
        use("vt9");
        ASSERT_EQ(assign(settings_, engine).reason(), "");
        const PixelTimes times =
            renderer_->pixelTimes(settings_, scene_.camera, kWide, kHigh, kSpp);
        EXPECT_EQ(times.unit, "clock cycles");
        ASSERT_EQ(times.ticks.size(), size_t{kWide} * kHigh);
        EXPECT_EQ(std::count(times.ticks.begin(), times.ticks.end(), 0u), 0);
        const double warpCycles = std::accumulate(times.ticks.begin(), times.ticks.end(), 0.) / 32;

        settings_.variant.countDepths = false;
        allocate(kWide, kHigh);
        waitForKernel(*session_, settings_, scene_);
        session_->clear();
        session_->setTarget(kSpp);
        const FrameStats stats = renderTo(*session_, settings_, scene_);
        const double cycles = stats.kernelMs * attribute(cudaDevAttrClockRate) *
                              attribute(cudaDevAttrMultiProcessorCount);
        const int warps = attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / 32;
        std::cout << engine << ": " << warpCycles / cycles << " warps a multiprocessor, of "
                  << warps << "\n";
        EXPECT_GT(warpCycles, cycles / 4);
        EXPECT_LT(warpCycles, 4 * warps * cycles);
    }
}

}  // namespace
}  // namespace rayscope

#endif
