#include "renderer/cuda/tree_builder.h"

#include <stdexcept>

#include "renderer/cuda/check.h"

namespace rayscope {

namespace {

/// Of the timeline.
const char* zoneOf(TreeStep step) {
    const bool sorts = step == TreeStep::boxes || step == TreeStep::keys || step == TreeStep::sort;
    return sorts ? "sort" : "build";
}

}  // namespace

TreeKernels& TreeBuilder::kernels(int source) {
    return kernels_.try_emplace(source, device_, source).first->second;
}

TreeParams TreeBuilder::prepare(const DeviceTree& tree) {
    const TreeMemory needed = treeMemory(tree);
    if (!memory_.reserve(needed.bytes)) {
        throw std::runtime_error(
            "the GPU has no memory left to build a hierarchy: use a smaller scene, or "
            "hierarchy=sah");
    }
    check(cudaMemsetAsync(memory_.data(), 0, needed.zeros), "prepare to build a hierarchy");
    return treeParams(tree, memory_.data());
}

std::optional<int> TreeBuilder::count(const DeviceTree& tree, BuildTimer& timer) {
    const TreeParams params = prepare(tree);
    launch(tree, params, countLaunches(tree), timer);
    TreeFacts facts;
    check(cudaMemcpy(&facts, params.facts, sizeof facts, cudaMemcpyDeviceToHost),
          "build a hierarchy");
    return countedNodes(tree, facts);
}

void TreeBuilder::write(const DeviceTree& tree, BuildTimer& timer) {
    launch(tree, treeParams(tree, memory_.data()), writeLaunches(tree), timer);
}

void TreeBuilder::launch(const DeviceTree& tree, const std::vector<TreeLaunch>& launches,
                         BuildTimer& timer) {
    launch(tree, prepare(tree), launches, timer);
}

void TreeBuilder::launch(const DeviceTree& tree, TreeParams params,
                         const std::vector<TreeLaunch>& launches, BuildTimer& timer) {
    constexpr double kWithoutLimit = 1e9;
    TreeKernels& from = kernels(tree.source);
    if (const Result<bool> ready = from.ready(kWithoutLimit); !ready)
        throw std::runtime_error(ready.reason());
    const char* zone = nullptr;
    for (const TreeLaunch& l : launches) {
        if (zoneOf(l.step) != zone) timer.part(zone = zoneOf(l.step));
        int pass = l.pass;
        void* arguments[] = {&params, &pass};  // those that take one ignore the other
        check(cudaLaunchKernel(from.function(l.step, tree.variant), dim3(l.blocks),
                               dim3(kTreeThreads), arguments, 0, nullptr),
              "build a hierarchy");
    }
}

}  // namespace rayscope
