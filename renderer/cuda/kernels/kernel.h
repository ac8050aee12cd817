#pragma once

#include "renderer/core/real.h"
#include "renderer/core/types.h"

// What all kernels have in common.

namespace rayscope {

__device__ __forceinline__ int threadOfBlock() {
    return threadIdx.y * blockDim.x + threadIdx.x;
}

/// Adds the warp's sum of `value` with one atomic. All 32 lanes must arrive.
__device__ __forceinline__ void addWarp(unsigned long long* counter, unsigned value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
    if (threadOfBlock() % 32 == 0 && value != 0) {
        atomicAdd(counter, static_cast<unsigned long long>(value));
    }
}

}  // namespace rayscope
