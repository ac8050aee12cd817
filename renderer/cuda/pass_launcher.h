#pragma once

#include "renderer/cuda/engine.h"
#include "renderer/cuda/kernel_store.h"
#include "renderer/cuda/stack_limit.h"

namespace rayscope {

/// Renders the passes of films: cuts them into bands, launches these and collects their results
/// when they are done. All work goes to the legacy default stream, in the order of the calls.
class PassLauncher {
public:
    /// `kernels` says which kernels are still loaded.
    PassLauncher(const CudaDevice& device, DeviceScene& scene, const KernelStore& kernels);

    /// As Renderer::advance(); this kernel has `leftMs` of the budget left.
    void advance(LoadedKernel& kernel, const Settings& settings, const Camera& camera, Film& film,
                 double leftMs, double budgetMs);
    /// Collects the results of launches that are done.
    void collect();
    /// What was finished since the last call.
    FrameStats takeStats();
    /// Renderer::releasePaths()
    void releasePaths();

private:
    KernelSpeed& speedOf(LoadedKernel& kernel, const Settings& settings) const;
    Result<void> prepareMemory(const Variant& variant, const Film& film);
    int samplesOfPass(LoadedKernel& kernel, const Settings& settings, const Film& film,
                      double budgetMs) const;
    int nextRows(LoadedKernel& kernel, const Settings& settings, const Film& film, double leftMs);
    bool launch(LoadedKernel& kernel, const Settings& settings, const Camera& camera, Film& film,
                int rows);
    void learnSpeed(const FinishedLaunch& finished);
    double wait(double leftMs);

    StackLimit& stack_;
    DeviceScene& scene_;
    const KernelStore& kernels_;
    Engines engines_;
    LaunchRing ring_;
    FrameStats stats_;
};

}  // namespace rayscope
