#include "renderer/cuda/force_plan.h"

#include <algorithm>

namespace rayscope {

namespace {

/// Warps of a multiprocessor from which it always has an instruction to issue: arithmetic takes
/// four cycles, each of the four schedulers issues one a cycle, and a warp waits for itself now and
/// then.
constexpr double kBusyWarps = 16;

/// What it takes to store a sum and to add it later, in interactions: 24 bytes by way of the second
/// level cache, at some 27 bytes a cycle and multiprocessor, in which 10 interactions are issued.
constexpr double kInteractionsOfSum = 9;

}  // namespace

ForcePlan forcePlan(const ForceVariant& v, int bodies, int multiprocessors) {
    const int bodiesOfBlock = v.tile * bodiesOfThread(v);
    const int tiles = ceilDivide(bodies, v.tile);
    ForcePlan plan{ceilDivide(bodies, bodiesOfBlock), 1};
    if (!slices(v)) return plan;
    double least = 0;
    for (int slices = 1; slices <= std::min(kMostSlices, tiles); ++slices) {
        const double busiest = ceilDivide(plan.blocks * slices, multiprocessors);
        const double warps = busiest * v.tile / 32;
        const double work = busiest * bodiesOfBlock * ceilDivide(tiles, slices) * v.tile;
        const double sums = kInteractionsOfSum * bodies * slices / multiprocessors;
        const double cost = work * std::max(1., kBusyWarps / warps) + sums;
        if (slices > 1 && cost >= least) continue;
        least = cost;
        plan.slices = slices;
    }
    return plan;
}

}  // namespace rayscope
