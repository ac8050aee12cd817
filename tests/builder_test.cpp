// Kernels are compiled in the background: no GPU is needed, only NVRTC.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include "renderer/cuda/kernel_request.h"
#include "renderer/cuda/compiler.h"

namespace rayscope {
namespace {

using std::chrono::seconds;

class Builder : public testing::Test {
protected:
    void SetUp() override {
        const auto info = compilerInfo();
        if (!info) GTEST_SKIP() << info.reason();
        architecture_ = info->architectures.back();
    }

    /// Requests that differ.
    BuildRequest request(int registers) const {
        Variant v;
        v.traits = {kLambert, 1};
        v.maxRegisters = registers;
        return requestOf(v, 0, architecture_, {});
    }

    int architecture_ = 0;
};

TEST_F(Builder, GivesWhatWasAskedForLast) {
    KernelBuilder builder(KernelCache({}));
    for (const int registers : {32, 64, 96, 128}) builder.request(request(registers));
    std::optional<BuildResult> last;
    while (!last || !(last->request == request(128))) {
        builder.wait(seconds(300));
        last = builder.take();
        ASSERT_TRUE(last) << "nothing came";
        ASSERT_TRUE(last->kernel) << last->kernel.reason();
    }
    EXPECT_FALSE(builder.take()) << "a kernel is given once";
}

TEST_F(Builder, WaitsForNothingWhereNothingWasAskedFor) {
    KernelBuilder builder(KernelCache({}));
    builder.wait(seconds(300));
    EXPECT_FALSE(builder.take());
}

TEST_F(Builder, EndsWithRequestsLeft) {
    for (int i = 0; i < 3; ++i) {
        KernelBuilder builder(KernelCache({}));
        builder.request(request(32));
        builder.request(request(64));
    }
}

}  // namespace
}  // namespace rayscope

#else

TEST(Builder, Compiles) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
