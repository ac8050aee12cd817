#pragma once

#include <algorithm>

#include "renderer/cuda/kernel_names.h"
#include "renderer/cuda/kernel_timer.h"
#include "renderer/cuda/loaded_kernel.h"

namespace rayscope {

/// Launches the stages of a program one after the other. Once the device has refused one it
/// launches no more.
class StageLauncher {
public:
    /// timer: times each kernel, if the host works in between; or nullptr.
    StageLauncher(const LoadedKernel& kernel, KernelTimer* timer)
        : kernel_(kernel), timer_(timer) {}

    /// mostBlocks: the size of a grid that strides over its work; 0: one thread per params.count,
    /// or for Stage::sort one block per tile.
    template <class Real>
    void launch(Stage stage, StageParams<Real>& params, int mostBlocks = 0) {
        if (error_ != cudaSuccess || params.count == 0) return;
        const int each = stage == Stage::sort ? kTileKeys : threadsOf(kernel_.variant(), stage);
        int blocks = (params.count + each - 1) / each;
        if (mostBlocks > 0) blocks = std::min(blocks, mostBlocks);
        void* arguments[] = {&params};
        if (timer_ != nullptr) timer_->begin(nameOf(stage));
        error_ = kernel_.launch(stage, dim3(blocks), arguments);
        if (timer_ != nullptr) timer_->end();
    }

    cudaError_t error() const { return error_; }

private:
    const LoadedKernel& kernel_;
    KernelTimer* timer_;
    cudaError_t error_ = cudaSuccess;
};

}  // namespace rayscope
