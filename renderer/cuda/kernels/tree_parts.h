#pragma once

#include "renderer/cuda/kernels/hierarchy.h"
#include "renderer/cuda/kernels/kernel.h"

// What several of the kernels that build hierarchies need.

namespace rayscope {

__device__ __forceinline__ int threadOfGrid() {
    return blockIdx.x * kTreeThreads + threadIdx.x;
}

/// In the order of the numbers, never 0.
__device__ __forceinline__ unsigned ordered(float x) {
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}
__device__ __forceinline__ float fromOrdered(unsigned u) {
    return __builtin_bit_cast(float, u >> 31 ? u & ~(1u << 31) : ~u);
}

/// What is known of the tree's boxes. Triangles need no more slack than large spheres do (slackAt).
__device__ __forceinline__ BvhHeader measuredHeader(const TreeParams& p) {
    BvhHeader header{};
    header.reach = fromOrdered(p.facts->reach);
    const bool spheres = p.facts->smallest > 0;
    header.smallest = spheres ? -fromOrdered(p.facts->smallest) : header.reach;
    return header;
}

}  // namespace rayscope
