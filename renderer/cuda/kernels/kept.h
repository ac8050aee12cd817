#pragma once

#include "renderer/core/footprint.h"
#include "renderer/core/platform.h"
#include "renderer/cuda/kernels/kernel.h"

namespace rayscope {

/// Sets what kept() adds. All threads of the block must arrive.
template <Variant V>
__device__ __forceinline__ void prepareKept() {
    if constexpr (keeps(V)) {
        if (threadOfBlock() == 0) keptZero() = 0;
        __syncthreads();
    }
}

}  // namespace rayscope
