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

    /// Of a planted kernel that traces so many "rays"; nothing where nobody may count.
    std::optional<IdleLanes> planted(size_t kernel, std::uint64_t rays) {
        const auto info = compilerInfo();
        const auto compiled =
            plantedKernels(architectureFor(renderer_->device().architecture, *info));
        if (!compiled) throw std::runtime_error(compiled.reason());
        cudaLibrary_t library = nullptr;
        cudaKernel_t function = nullptr;
        float* out = nullptr;
        EXPECT_EQ(cudaLibraryLoadData(&library, compiled->code.data(), nullptr, nullptr, 0, nullptr,
                                      nullptr, 0),
                  cudaSuccess);
        EXPECT_EQ(cudaLibraryGetKernel(&function, library,
                                       compiled->functions.at(kernel).loweredName.c_str()),
                  cudaSuccess);
        EXPECT_EQ(
            cudaMalloc(reinterpret_cast<void**>(&out), sizeof(float) * kBlocks * kBlockThreads),
            cudaSuccess);
        const auto counts = renderer_->countInstructions([&] {
            int steps = kSteps;
            void* arguments[] = {&out, &steps};
            EXPECT_EQ(cudaLaunchKernel(reinterpret_cast<const void*>(function), dim3(kBlocks),
                                       dim3(kBlockThreads), arguments, 0, nullptr),
                      cudaSuccess);
            EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        });
        cudaFree(out);
        cudaLibraryUnload(library);
        if (!counts) {
            std::cout << counts.reason() << "\n";
            return {};
        }
        const auto lines = readLineTable(compiled->code);
        if (!lines) throw std::runtime_error(lines.reason());
        const IdleLanes idle = idleLanes(*counts, *lines, plantedNames(), rays);
        std::cout << idleText(idle) << "; a step begins with " << idle.stepLanes << " lanes\n";
        return idle;
    }
};

constexpr const char* kNobody = "nobody may count instructions here";

TEST_F(IdleGpu, OneLaneInFourInABranchIsNamed) {
    const auto idle = planted(0, std::uint64_t{kBlocks} * kBlockThreads * kSteps);
    if (!idle) GTEST_SKIP() << kNobody;
    EXPECT_NEAR(idle->stepLanes, 32, .1);
    EXPECT_EQ(placesOf(*idle).at(0).id, "metal");
    EXPECT_GT(idle->share(idle->inBranches()), .4);
    EXPECT_LT(idle->share(idle->waiting), .01);
    EXPECT_NE(idleText(*idle).find("most while others scatter at metal"), std::string::npos);
}

TEST_F(IdleGpu, PathsOfTwoLengthsAreNamed) {
    const auto idle = planted(1, std::uint64_t{kBlocks} * kBlockThreads * kSteps * 2);
    if (!idle) GTEST_SKIP() << kNobody;
    EXPECT_NEAR(idle->stepLanes, 32 * 2 / 3., .1);
    EXPECT_NEAR(idle->share(idle->waiting), 1 / 3., .03);
    EXPECT_LT(idle->share(idle->inBranches()), .02);
    EXPECT_EQ(placesOf(*idle).at(0).id, "waiting");
    EXPECT_NE(idleText(*idle).find(" wait for other paths to end"), std::string::npos);
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
            CountJob job(*renderer_, settings_, scene_, scene_.camera, 640, 360);
            playToEnd(job);
            ASSERT_EQ(job.problem(), "");
            const CountedWork& work = job.result();
            if (!work.idle) GTEST_SKIP() << kNobody;
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
