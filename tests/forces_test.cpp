// A simulation's CUDA kernels, without a GPU: they compile, and how they are launched.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <set>

#include "renderer/backend/kernel_code.h"
#include "renderer/compile/cache.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/force_plan.h"
#include "renderer/scene/simulation.h"
#include "tests/run_time_compiler.h"

namespace rayscope {
namespace {

constexpr Forces kForces[] = {Forces::untiled, Forces::tiled, Forces::slices, Forces::registers};
constexpr int kTiles[] = {32, 64, 128, 256, 512};

/// Every choice.
std::vector<ForceVariant> allVariants() {
    std::vector<ForceVariant> all;
    for (const Forces forces : kForces) {
        for (const int tile : kTiles) {
            for (const BodyLayout layout : {BodyLayout::aos, BodyLayout::soa}) {
                for (const Precision precision : {Precision::float64, Precision::float32}) {
                    for (const Math math : {Math::precise, Math::intrinsics, Math::fast}) {
                        for (const bool equal : {false, true})
                            all.push_back({forces, tile, layout, precision, math, equal});
                    }
                }
            }
        }
    }
    return all;
}

Result<CompiledKernel> compiled(const ForceVariant& variant, int architecture) {
    static const KernelCache cache{RAYSCOPE_COMPILED_KERNELS};
    return compileCached(cache, programOf(variant, architecture), embeddedKernelSources());
}

TEST(Forces, EveryVariantHasItsOwnName) {
    std::set<std::string> names;
    const std::vector<ForceVariant> all = allVariants();
    for (const ForceVariant& v : all) names.insert(nameExpression(v, Stage::accelerate));
    EXPECT_EQ(names.size(), all.size());
}

/// A thirteenth of them, in which every two values meet; without warnings, and in single precision
/// without local memory. In double ptxas may spill a number so that another block fits.
TEST(Forces, Compile_long) {
    SKIP_WITHOUT_NVRTC();
    const std::vector<ForceVariant> all = allVariants();
    const std::vector<int> known = compilerInfo()->architectures;
    for (size_t i = 0; i < all.size(); i += 13) {
        const bool newest = i % 2 == 0;
        const bool single = all[i].precision == Precision::float32;
        SCOPED_TRACE(nameExpression(all[i], Stage::accelerate));
        const auto kernel = compiled(all[i], newest ? known.back() : known.front());
        ASSERT_TRUE(kernel) << kernel.reason();
        EXPECT_EQ(warningsIn(kernel->log), "");
        ASSERT_EQ(kernel->functions.size(), 5u);
        for (const CompiledFunction& f : kernel->functions) {
            EXPECT_GT(f.registers, 0) << nameOf(f.stage);
            EXPECT_TRUE(f.spillBytes == 0 || !single) << nameOf(f.stage);
            EXPECT_LE(f.registers * all[i].tile, 65536) << "a block does not fit";
        }
    }
}

/// The fast ones fit several times on a multiprocessor of 65536 registers.
TEST(Forces, TheDefaultLeavesRoomForManyWarps) {
    SKIP_WITHOUT_NVRTC();
    ForceVariant v;
    v.equalMasses = true;
    const auto kernel = compiled(v, 90);
    if (!kernel) GTEST_SKIP() << kernel.reason();
    EXPECT_LE(kernel->functions[0].registers, 64);
}

TEST(Forces, PlansGiveEveryMultiprocessorWork) {
    constexpr int kMultiprocessors = 132;
    for (const Forces forces : kForces) {
        for (const int tile : kTiles) {
            ForceVariant v;
            v.forces = forces;
            v.tile = tile;
            for (const int bodies : {1, 2, 1000, 16384, 65536, 262144, kMaxBodies}) {
                SCOPED_TRACE(testing::Message()
                             << static_cast<int>(forces) << " " << tile << " " << bodies);
                const ForcePlan plan = forcePlan(v, bodies, kMultiprocessors);
                const int ofBlock = tile * bodiesOfThread(v);
                EXPECT_GE(plan.blocks * ofBlock, bodies);
                EXPECT_LT((plan.blocks - 1) * ofBlock, bodies);
                EXPECT_GE(plan.slices, 1);
                EXPECT_LE(plan.slices, slices(v) ? kMostSlices : 1);
                EXPECT_LE((plan.slices - 1) * tile, bodies) << "a slice without bodies";
                if (slices(v) && bodies >= 16384) {
                    EXPECT_GE(plan.blocks * plan.slices, .9 * kMultiprocessors);
                }
            }
        }
    }
}

/// As measured on an H200 to be fastest: four bodies a thread and 32 slices.
TEST(Forces, SixteenThousandBodiesAreCutIntoSlices) {
    const ForcePlan plan = forcePlan(ForceVariant{}, 16384, 132);
    EXPECT_EQ(plan.blocks, 16);
    EXPECT_GE(plan.slices, 16);
}

}  // namespace
}  // namespace rayscope

#else

TEST(Forces, Compile_long) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
