#pragma once

#include "renderer/cuda/path_buffers.h"
#include "renderer/cuda/tree_kernels.h"

namespace rayscope {

/// Builds linear hierarchies on the device (core/linear_bvh.h), and fits the boxes of any tree to
/// spheres that have moved. All work goes to the legacy default stream; nothing waits for it.
/// Throws std::runtime_error.
class TreeBuilder {
public:
    explicit TreeBuilder(int architecture) : kernels_(architecture) {}

    /// TreeKernels::ready(); the others wait.
    Result<bool> ready(double waitMs) { return kernels_.ready(waitMs); }

    /// buildLaunches()
    void build(const DeviceTree& tree) { launch(tree, buildLaunches(tree)); }
    /// adoptLaunches()
    void adopt(const DeviceTree& tree) { launch(tree, adoptLaunches(tree)); }
    /// refitLaunches()
    void refit(const DeviceTree& tree) { launch(tree, refitLaunches(tree)); }

private:
    void launch(const DeviceTree& tree, const std::vector<TreeLaunch>& launches);

    TreeKernels kernels_;
    DeviceBuffer memory_;
};

}  // namespace rayscope
