// Where lanes are lost, from counted instructions, for kernels whose losses are known.

#include "renderer/profile/idle_lanes.h"

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA
#include "tests/planted_kernels.h"
#endif

namespace rayscope {
namespace {

constexpr auto kAt = [](Part part) { return static_cast<std::size_t>(part); };

/// Kernel "k": a start, the loop with a search, metal that draws random numbers, and an instruction
/// of which nobody knows the line.
LineTable stepsOf() {
    LineTable t;
    t.files = {"/a/renderer/core/path.h", "/a/renderer/core/intersect.h",
               "/a/renderer/core/shade.h", "/a/renderer/core/random.h"};
    t.functions = {"_ZN8rayscope9startPathEv", "_ZN8rayscope10followLoopEv",
                   "_ZN8rayscope10closestHitEv", "_ZN8rayscope12scatterMetalEv",
                   "_ZN8rayscope7uniformEv"};
    t.places = {{0, 10, 0, -1}, {0, 20, 1, -1}, {1, 30, 2, 1}, {2, 40, 3, 1}, {3, 50, 4, 3}};
    t.kernels["k"] = {{0, 0, 0}, {16, 1, 1}, {32, 2, 2}, {48, 3, 3}, {64, 4, 4}, {80, -1, -1}};
    return t;
}

const std::vector<std::string> kStepSources{"renderer/core/path.h", "renderer/core/intersect.h",
                                            "renderer/core/shade.h", "renderer/core/random.h"};

IdleLanes idleOf(const std::vector<InstructionCount>& instructions, std::uint64_t rays) {
    return idleLanes({{"k", instructions}}, stepsOf(), kStepSources, Rays{.bounce = rays});
}

TEST(IdleLanes, PathsOfTwoLengthsWait) {
    // ten warps: half of the lanes trace one ray, the others three
    const std::uint64_t rays = 10 * (16 * 1 + 16 * 3);
    const IdleLanes idle =
        idleOf({{0, 10, 320, 320}, {16, 30, rays, rays}, {32, 30, rays, rays}}, rays);
    EXPECT_NEAR(idle.stepLanes, 64 / 3., 1e-9);
    EXPECT_DOUBLE_EQ(idle.slots, 32 * 70);
    EXPECT_DOUBLE_EQ(idle.waiting, 2 * (960 - 640.));
    EXPECT_DOUBLE_EQ(idle.inBranches(), 0);
    EXPECT_EQ(idleText(idle), "29 % of lanes are idle: 29 % wait for other paths to end");
}

TEST(IdleLanes, OneLaneInFourInABranch) {
    const IdleLanes idle =
        idleOf({{16, 100, 3200, 3200}, {32, 100, 3200, 3200}, {48, 100, 800, 800}}, 3200);
    EXPECT_DOUBLE_EQ(idle.stepLanes, 32);
    EXPECT_DOUBLE_EQ(idle.waiting, 0);
    EXPECT_DOUBLE_EQ(idle.branches[kAt(Part::metal)], 2400);
    EXPECT_EQ(idleText(idle),
              "25 % of lanes are idle: 25 % in branches inside a step, most while "
              "others scatter at metal (25 %)");
}

TEST(IdleLanes, BothAddUpAndTheLargerComesFirst) {
    // half of the lanes at the head, half of those in the branch, and random numbers that it draws
    const IdleLanes idle = idleOf(
        {{16, 100, 1600, 1600}, {48, 100, 800, 800}, {64, 100, 800, 800}, {80, 10, 160, 9}}, 1600);
    EXPECT_DOUBLE_EQ(idle.waiting, 3 * 1600);
    EXPECT_DOUBLE_EQ(idle.branches[kAt(Part::metal)], 2 * 800);
    EXPECT_DOUBLE_EQ(idle.branches[kAt(Part::random)], 0);
    EXPECT_DOUBLE_EQ(idle.unknown, 160);
    EXPECT_DOUBLE_EQ(idle.all(), 32 * 310 - 1600 - 800 - 800 - 160);
    EXPECT_EQ(idleText(idle),
              "66 % of lanes are idle: 48 % wait for other paths to end; 16 % in "
              "branches inside a step, most while others scatter at metal (16 %)");
    const std::vector<IdlePlace> places = placesOf(idle);
    ASSERT_EQ(places.size(), 3u);
    EXPECT_EQ(places[0].id, "waiting");
    EXPECT_EQ(places[1].id, "metal");
    EXPECT_EQ(places[2].id, "unknown");
    double sum = 0;
    for (const IdlePlace& place : places) sum += place.share;
    EXPECT_DOUBLE_EQ(sum, idle.share(idle.all()));
}

/// A warp may pass an instruction several times in a step, each time with some of its lanes: the
/// head is where it does so with most.
TEST(IdleLanes, TheHeadIsWhereMostLanesAreTogether) {
    const IdleLanes idle = idleOf({{16, 100, 2400, 2400}, {48, 300, 2400, 2400}}, 2400);
    EXPECT_DOUBLE_EQ(idle.stepLanes, 24);
    EXPECT_DOUBLE_EQ(idle.waiting, 8 * 400);
    EXPECT_DOUBLE_EQ(idle.branches[kAt(Part::metal)], (24 - 8) * 300);
}

/// Camera rays pass through one kernel, all others through another; a third traces none.
TEST(IdleLanes, StepsOfTwoKernels) {
    LineTable lines = stepsOf();
    lines.kernels["l"] = lines.kernels["m"] = lines.kernels["k"];
    const std::vector<KernelCounts> counts{{"k", {{16, 100, 3200, 3200}, {48, 100, 800, 800}}},
                                           {"l", {{16, 100, 1600, 1600}}},
                                           {"m", {{16, 10, 80, 80}}}};
    const IdleLanes idle =
        idleLanes(counts, lines, kStepSources, Rays{.camera = 3200, .bounce = 1600});
    EXPECT_DOUBLE_EQ(idle.stepLanes, 24);
    EXPECT_DOUBLE_EQ(idle.waiting, 1600);
    EXPECT_DOUBLE_EQ(idle.branches[kAt(Part::metal)], 2400);
    // a kernel through which all pass says it alone
    const IdleLanes all =
        idleLanes(counts, lines, kStepSources, Rays{.camera = 1600, .bounce = 1600});
    EXPECT_DOUBLE_EQ(all.stepLanes, 32);
    EXPECT_DOUBLE_EQ(all.waiting, 0);
}

TEST(IdleLanes, AKernelWithoutStepsOnlyBranches) {
    const IdleLanes idle = idleOf({{0, 10, 320, 320}, {16, 10, 80, 80}}, 7777);
    EXPECT_EQ(idle.stepLanes, 0);
    EXPECT_DOUBLE_EQ(idle.waiting, 0);
    EXPECT_DOUBLE_EQ(idle.all(), 240);
    EXPECT_EQ(idleText(idleOf({{0, 10, 320, 320}}, 320)), "0 % of lanes are idle");
}

#ifdef RAYSCOPE_CUDA

/// What tests/gpu/idle_gpu_test.cpp runs: the parts that lose lanes are in its machine code.
TEST(IdleLanes, PlantedKernelsHaveTheirParts) {
    if (!compilerInfo()) GTEST_SKIP() << compilerInfo().reason();
    const Result<CompiledKernel> compiled = plantedKernels(90);
    ASSERT_TRUE(compiled) << compiled.reason();
    const Result<LineTable> lines = readLineTable(compiled->code);
    ASSERT_TRUE(lines) << lines.reason();
    const SourceMap map(*lines, plantedNames());
    std::array<int, kParts> rows{};
    for (const LineTable::Row& row : lines->kernels.at(compiled->functions.at(0).loweredName)) {
        if (row.place >= 0) ++rows[kAt(map.stage(row.place))];
    }
    for (const Part part : {Part::loop, Part::search, Part::metal})
        EXPECT_GT(rows[kAt(part)], 0) << kPartNames[kAt(part)];
}

#endif

TEST(IdleLanes, EveryPartHasWords) {
    for (int i = 0; i < kParts; ++i)
        EXPECT_GT(std::string(doingIn(static_cast<Part>(i))).size(), 5u);
}

}  // namespace
}  // namespace rayscope
