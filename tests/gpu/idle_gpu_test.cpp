// Where lanes are lost: kernels whose losses are known, and the program's own against its counters
// and against the model of the paths' lengths.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include "renderer/lab/counting.h"
#include "renderer/lab/divergence.h"
#include "renderer/lab/hot.h"
#include "renderer/profile/idle_lanes.h"
#include "tests/planted_kernels.h"

namespace rayscope {
namespace {

class IdleGpu : public Gpu {
protected:
    static constexpr int kBlocks = 200, kBlockThreads = 128, kSteps = 50;
    static constexpr std::uint64_t kThreads = std::uint64_t{kBlocks} * kBlockThreads;

    void launch(cudaLibrary_t library, const CompiledFunction& function, float* out) {
        cudaKernel_t kernel = nullptr;
        int steps = kSteps;
        void* arguments[] = {&out, &steps};
        EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, function.loweredName.c_str()),
                  cudaSuccess);
        EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(kBlocks),
                                   dim3(kBlockThreads), arguments, 0, nullptr),
                  cudaSuccess);
    }

    /// CUPTI counts once in a process, and one kernel.
    Result<std::vector<KernelCounts>> countsOf(const CompiledKernel& compiled,
                                               const CompiledFunction& function) {
        cudaLibrary_t library = nullptr;
        void* out = nullptr;
        EXPECT_EQ(cudaLibraryLoadData(&library, compiled.code.data(), nullptr, nullptr, 0, nullptr,
                                      nullptr, 0),
                  cudaSuccess);
        EXPECT_EQ(cudaMalloc(&out, sizeof(float) * kThreads), cudaSuccess);
        auto counts = renderer_->countInstructions({}, [&] {
            launch(library, function, static_cast<float*>(out));
            EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        });
        cudaFree(out);
        cudaLibraryUnload(library);
        return counts;
    }

    /// Of one of the planted kernels, which traces so many rays.
    Result<IdleLanes> idleOf(int kernel, std::uint64_t rays) {
        const auto info = compilerInfo();
        if (!info) return info.failure();
        const auto compiled =
            plantedKernels(architectureFor(renderer_->device().architecture, *info));
        EXPECT_TRUE(compiled) << compiled.reason();
        const auto counts = countsOf(*compiled, compiled->functions.at(kernel));
        if (!counts) return counts.failure();
        EXPECT_EQ(counts->size(), 1u);
        const auto lines = readLineTable(compiled->code);
        EXPECT_TRUE(lines) << lines.reason();
        const IdleLanes idle = idleLanes(*counts, *lines, plantedNames(), Rays{.bounce = rays});
        std::cout << idleText(idle) << "; a step begins with " << idle.stepLanes << " lanes\n";
        return idle;
    }
};

/// With CUPTI's reason where nobody may count.
TEST_F(IdleGpu, APlantedBranchIsNamed) {
    const Result<IdleLanes> idle = idleOf(0, kThreads * kSteps);
    if (!idle) GTEST_SKIP() << idle.reason();
    const IdleLanes& branched = *idle;
    EXPECT_NEAR(branched.stepLanes, 32, .1);
    EXPECT_EQ(placesOf(branched).at(0).id, "metal");
    EXPECT_GT(branched.share(branched.inBranches()), .4);
    EXPECT_LT(branched.share(branched.waiting), .01);
    EXPECT_NE(idleText(branched).find("most while others scatter at metal"), std::string::npos);
}

TEST_F(IdleGpu, PlantedPathsOfTwoLengthsAreNamed) {
    const Result<IdleLanes> idle = idleOf(1, kThreads * kSteps * 2);
    if (!idle) GTEST_SKIP() << idle.reason();
    const IdleLanes& uneven = *idle;
    EXPECT_NEAR(uneven.stepLanes, 32 * 2 / 3., .1);
    EXPECT_NEAR(uneven.share(uneven.waiting), 1 / 3., .03);
    EXPECT_LT(uneven.share(uneven.inBranches()), .02);
    EXPECT_EQ(placesOf(uneven).at(0).id, "waiting");
    EXPECT_NE(idleText(uneven).find(" wait for other paths to end"), std::string::npos);
}

/// The parts are those of the counters, and steps begin with as many lanes as the lengths of the
/// same paths say.
TEST_F(IdleGpu, EveryEngineAddsUpAndStepsAreTheModels) {
    struct Case {
        std::vector<std::string> settings;
        bool modelled;  ///< lanesOf() is about its steps
    };
    const std::vector<Case> cases{
        {{}, true},
        {{"samples_as=threads", "samples=32"}, true},
        {{"engine=regeneration", "scene_memory=baked", "material_dispatch=single"}, true},
        {{"engine=regeneration", "samples_from=queue"}, false},
        {{"engine=wavefront"}, true},
        {{"engine=wavefront", "compaction=off"}, true},
        {{"engine=hybrid"}, false}};
    for (const char* scene : {"vt9", "weekend", "cornell"}) {
        for (const Case& c : cases) {
            use(scene);
            settings_.variant.countDepths = false;
            settings_.samples = 8;
            if (scene == std::string("weekend")) assignAll(settings_, {"accel=bvh"});
            assignAll(settings_, c.settings);
            SCOPED_TRACE(scene + (" " + describe(settings_)));
            if (!renderer_->unsupported(settings_).empty()) continue;
            CountJob job(*renderer_, settings_, scene_, scene_.camera, 640, 360, RAYSCOPE_PROGRAM);
            playToEnd(job);
            ASSERT_EQ(job.problem(), "");
            const CountedWork& work = job.result();
            if (!work.idle) GTEST_SKIP() << "nobody may count instructions here";
            const double counted = 1 - counter(work.counters, "lanes") / 32;
            EXPECT_NEAR(work.idle->share(work.idle->all()), counted, .03);
            std::cout << scene << " " << (c.settings.empty() ? "" : c.settings.back()) << ": "
                      << idleText(*work.idle) << "; counters " << 100 * counted
                      << " % idle; a step begins with " << 100 * work.idle->stepLanes / 32
                      << " % of lanes";
            if (c.modelled) {
                const PathLengths paths = renderer_->pathLengths(
                    settings_, scene_.camera, 640, 360, settings_.samples, std::stop_token());
                const double model = lanesOf(paths, settings_.variant, settings_.depth).share();
                std::cout << ", by the model " << 100 * model << " %";
                EXPECT_NEAR(work.idle->stepLanes / 32, model, .03);
            }
            std::cout << "\n  limit: " << limitOf(work).sentence << "\n" << idleTable(*work.idle);
        }
    }
}

}  // namespace
}  // namespace rayscope

#endif
