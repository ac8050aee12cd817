#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "renderer/compile/builder.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/loaded_library.h"
#include "renderer/cuda/tree_plan.h"

namespace rayscope {

/// All of them, for all variants. They round as the host does, whatever settings say of maths.
KernelProgram treeProgram(int architecture);
/// The position of a kernel in treeProgram().
size_t numberOf(TreeStep step, const TreeVariant& variant);

/// The kernels on a device. They are compiled on a thread of their own when they are first needed.
class TreeKernels {
public:
    TreeKernels(const CudaDevice& device, int source) : device_(device), source_(source) {}
    TreeKernels(const TreeKernels&) = delete;
    TreeKernels& operator=(const TreeKernels&) = delete;

    /// Whether they are there; waits up to `waitMs` for the compiler, and fails with its log. Those
    /// of sources that have been edited since go on until new ones are there, whatever problem()
    /// these have. Throws std::runtime_error if the device does not take them.
    Result<bool> ready(double waitMs);
    /// Why kernels of the sources as they are now cannot be had; empty where they can.
    const std::string& problem() const { return log_; }
    /// Once they are ready.
    const void* function(TreeStep step, const TreeVariant& variant) const;

private:
    const CudaDevice& device_;
    int source_;
    KernelBuilder builder_;
    unsigned sources_ = 0;  ///< kernelSourcesVersion() of what was compiled last
    std::string log_;       ///< why that does not compile; else empty
    LoadedLibrary library_;
};

}  // namespace rayscope
