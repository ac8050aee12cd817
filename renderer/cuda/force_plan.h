#pragma once

#include "renderer/core/force_variant.h"

namespace rayscope {

inline constexpr int ceilDivide(int a, int b) {
    return (a + b - 1) / b;
}

/// The most slices, each of which needs memory for the accelerations of all bodies.
inline constexpr int kMostSlices = 64;

/// The grid of a simulation's `accelerate`: blocks of bodies, and slices of what attracts them.
struct ForcePlan {
    int blocks = 1;
    int slices = 1;
    bool operator==(const ForcePlan&) const = default;
};

/// The slices with which the busiest multiprocessor should be done soonest.
ForcePlan forcePlan(const ForceVariant& variant, int bodies, int multiprocessors);

}  // namespace rayscope
