// What is read of kernels without a GPU is what the GPU has loaded.

#include "tests/gpu/gpu_fixture.h"

#ifdef RAYSCOPE_CUDA

#include "renderer/code/code_verdict.h"

namespace rayscope {
namespace {

TEST_F(Gpu, FactsOfTheCodeAreThoseOfTheDevice) {
    using Assignments = std::vector<std::string>;
    use("vt46");
    const int architecture = renderer_->device().architecture;
    ASSERT_GT(architecture, 0);
    for (const Assignments& assignments :
         {Assignments{}, Assignments{"math=precise"}, Assignments{"precision=double"},
          Assignments{"scene_memory=shared"}, Assignments{"scene_memory=baked"},
          Assignments{"engine=wavefront"}}) {
        Settings settings = settings_;
        assignAll(settings, assignments);
        allocate();
        waitForKernel(*session_, settings, scene_);
        const KernelInfo loaded = session_->kernel();
        const auto code = kernelCode({settings, scene_, architecture});
        ASSERT_TRUE(code) << code.reason();
        const KernelFacts& first = code->kernels.front();
        EXPECT_EQ(first.registers, loaded.registers) << describe(settings);
        EXPECT_EQ(first.code.sharedBytes, loaded.sharedBytes) << describe(settings);
        EXPECT_EQ(first.spillBytes, loaded.spillBytes) << describe(settings);
    }
}

TEST_F(Gpu, SettingsWithTheSameCodeAreKnown) {
    use("vt9");
    const int architecture = renderer_->device().architecture;
    Settings copied = settings_, precise = settings_;
    copied.display = Display::copy;
    precise.variant.math = Math::precise;
    EXPECT_EQ(compareCode(settings_, copied, scene_, architecture).relation, CodeRelation::noise);
    EXPECT_EQ(compareCode(settings_, precise, scene_, architecture).relation,
              CodeRelation::different);
}

}  // namespace
}  // namespace rayscope

#else

TEST(Gpu, Code) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
