#include "renderer/cuda/tree_builder.h"

#include <stdexcept>

#include "renderer/cuda/check.h"

namespace rayscope {

void TreeBuilder::launch(const DeviceTree& tree, const std::vector<TreeLaunch>& launches) {
    constexpr double kWithoutLimit = 1e9;
    if (const Result<bool> ready = kernels_.ready(kWithoutLimit); !ready)
        throw std::runtime_error(ready.reason());
    const TreeMemory needed = treeMemory(tree);
    if (!memory_.reserve(needed.bytes)) {
        throw std::runtime_error(
            "the GPU has no memory left to build a hierarchy: use a scene of fewer spheres");
    }
    check(cudaMemsetAsync(memory_.data(), 0, needed.zeros), "prepare to build a hierarchy");
    TreeParams params = treeParams(tree, memory_.data());
    for (const TreeLaunch& l : launches) {
        int pass = l.pass;
        void* arguments[] = {&params, &pass};  // those that take one ignore the other
        check(cudaLaunchKernel(kernels_.function(l.step, tree.variant), dim3(l.blocks),
                               dim3(kTreeThreads), arguments, 0, nullptr),
              "build a hierarchy");
    }
}

}  // namespace rayscope
