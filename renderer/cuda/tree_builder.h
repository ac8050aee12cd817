#pragma once

#include <map>
#include <optional>

#include "renderer/cuda/build_timer.h"
#include "renderer/cuda/path_buffers.h"
#include "renderer/cuda/tree_kernels.h"

namespace rayscope {

/// Builds linear hierarchies on the device (core/linear_bvh.h), and fits the boxes of any tree to
/// spheres that have moved. All work goes to the legacy default stream; only what is said to wait
/// waits for it.
/// Throws std::runtime_error.
class TreeBuilder {
public:
    explicit TreeBuilder(const CudaDevice& device) : device_(device) {}

    /// TreeKernels::ready(); the others wait.
    Result<bool> ready(int source, double waitMs) { return kernels(source).ready(waitMs); }
    /// TreeKernels::problem()
    const std::string& problem(int source) { return kernels(source).problem(); }

    /// buildLaunches(). The timer learns of its parts.
    void build(const DeviceTree& tree, BuildTimer& timer) {
        launch(tree, buildLaunches(tree), timer);
    }
    /// Waits for countedNodes() of a tree over triangles, ...
    std::optional<int> count(const DeviceTree& tree, BuildTimer& timer);
    /// ... which come next: writeLaunches().
    void write(const DeviceTree& tree, BuildTimer& timer);
    /// Gives back the memory for building; waits for the device.
    void release() { memory_.release(); }
    /// adoptLaunches()
    void adopt(const DeviceTree& tree, BuildTimer& timer) {
        launch(tree, adoptLaunches(tree), timer);
    }
    /// refitLaunches()
    void refit(const DeviceTree& tree, BuildTimer& timer) {
        launch(tree, refitLaunches(tree), timer);
    }

private:
    TreeKernels& kernels(int source);
    /// With memory in which nothing is known yet.
    TreeParams prepare(const DeviceTree& tree);
    void launch(const DeviceTree& tree, const std::vector<TreeLaunch>& launches, BuildTimer& timer);
    void launch(const DeviceTree& tree, TreeParams params, const std::vector<TreeLaunch>& launches,
                BuildTimer& timer);

    const CudaDevice& device_;
    std::map<int, TreeKernels> kernels_;  ///< by source
    DeviceBuffer memory_;
};

}  // namespace rayscope
