#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "renderer/cuda/kernel_builder.h"
#include "renderer/cuda/loaded_kernel.h"

namespace rayscope {

/// The kernels on the device, the last used first, and the one that renders. A kernel that is not
/// there is built in the background while the last good one goes on.
class KernelStore {
public:
    /// Whether a kernel, perhaps of another variant, computes what is asked for.
    using Usable = std::function<bool(const LoadedKernel&)>;

    explicit KernelStore(const CudaDevice& device);

    /// What kernels with SceneMemory::baked are built with from now on.
    void setBakedScene(std::string text) { baked_ = std::move(text); }

    /// The kernel to launch now: that of the variant, else the last good one that is usable, else
    /// nullptr. Where there is none to go on with it waits for the compiler, and takes the time
    /// from leftMs. `allowed`: the device can have the variant, so building it makes sense.
    LoadedKernel* choose(const Variant& variant, bool allowed, const Usable& usable,
                         double& leftMs);

    /// The loaded kernel of this variant, or nullptr.
    const LoadedKernel* loaded(const Variant& variant) const;

    /// The kernel behind the pointer while it is still loaded, or nullptr.
    LoadedKernel* stillLoaded(const LoadedKernel* kernel) const;

    /// Of the kernel that renders.
    KernelInfo info() const;

private:
    LoadedKernel* find(const BuildRequest& request);
    void takeBuilt();
    bool want(const BuildRequest& request, bool allowed, const Usable& usable);
    bool keepUsable(const Usable& usable);

    const CudaDevice& device_;
    std::string baked_;
    std::list<std::unique_ptr<LoadedKernel>> kernels_;
    LoadedKernel* active_ = nullptr;
    bool ready_ = false;  ///< active_ is what was asked for last
    /// What failed last is not built again, also when other kernels are asked for in between.
    BuildRequest failed_;
    std::string compileLog_;  ///< why failed_ failed; empty where nothing did
    bool refused_ = false;    ///< failed_ is what was asked for last
    KernelBuilder builder_;
};

}  // namespace rayscope
