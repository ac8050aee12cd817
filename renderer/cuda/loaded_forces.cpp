#include "renderer/cuda/loaded_forces.h"

#include <stdexcept>
#include <utility>

#include "renderer/compile/cache.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/isolation.h"

namespace rayscope {

LoadedForces::LoadedForces(const ForceVariant& variant, int source, const CudaDevice& device)
    : variant_(variant), sources_(kernelSourcesVersion(source)) {
    Result<CompiledKernel> compiled =
        compileCached(KernelCache::common(),
                      programOf(variant, device.architecture), kernelSources(source));
    if (!compiled)
        throw std::runtime_error("the simulation's kernels do not compile:\n" + compiled.reason());
    if (const auto tried = tryOtherKernels(OtherKernels::forces, source, device.number); !tried)
        throw std::runtime_error(tried.reason());
    compiled_ = *std::move(compiled);
    library_ = {compiled_, "a simulation's kernels"};
}

void LoadedForces::launch(Stage stage, dim3 grid, int block, void** arguments) const {
    check(cudaLaunchKernel(function(stage), grid, dim3(block), arguments, 0, nullptr),
          "launch a simulation's kernel");
}

void LoadedForces::launchEach(Stage stage, int bodies, void** arguments) const {
    constexpr int kThreads = 128;
    launch(stage, dim3((bodies + kThreads - 1) / kThreads), kThreads, arguments);
}

const void* LoadedForces::function(Stage stage) const {
    size_t i = 0;
    while (compiled_.functions.at(i).stage != stage) ++i;
    return library_.kernel(i);
}

}  // namespace rayscope
