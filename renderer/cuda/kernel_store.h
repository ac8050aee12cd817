#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "renderer/cuda/kernel_builder.h"
#include "renderer/cuda/loaded_kernel.h"

namespace rayscope {

/// The kernel that renders a film.
struct KernelChoice {
    std::shared_ptr<LoadedKernel> active;
    bool ready = false;      ///< it is what was asked for last
    std::string compileLog;  ///< why what was asked for last does not compile; else empty

    KernelInfo info() const;
};

/// The kernels on the device, the last used first. A kernel that is not there is built in the
/// background while the last good one goes on.
class KernelStore {
public:
    /// Whether a kernel, perhaps of another variant, computes what is asked for.
    using Usable = std::function<bool(const LoadedKernel&)>;

    explicit KernelStore(const CudaDevice& device);

    /// What kernels with SceneMemory::baked are built with from now on.
    void setBakedScene(std::string text) { baked_ = std::move(text); }

    /// Chooses the kernel to launch now: that of the variant, else the one so far where it is
    /// usable, else the last one that is; false where there is none. Where there is none to go on
    /// with it waits for the compiler, and takes the time from leftMs. `allowed`: the device can
    /// have the variant, so building it makes sense.
    bool choose(const Variant& variant, bool allowed, const Usable& usable, KernelChoice& choice,
                double& leftMs);

    /// The loaded kernel of this variant, or nullptr.
    const LoadedKernel* loaded(const Variant& variant) const;

private:
    std::shared_ptr<LoadedKernel> find(const BuildRequest& request);
    void takeBuilt();
    bool want(const BuildRequest& request, bool allowed, const Usable& usable,
              KernelChoice& choice);
    bool keepUsable(const Usable& usable, KernelChoice& choice) const;

    const CudaDevice& device_;
    std::string baked_;
    std::list<std::shared_ptr<LoadedKernel>> kernels_;
    /// What failed last is not built again, also when other kernels are asked for in between.
    BuildRequest failed_;
    std::string compileLog_;  ///< why failed_ failed; empty where nothing did
    KernelBuilder builder_;
};

}  // namespace rayscope
