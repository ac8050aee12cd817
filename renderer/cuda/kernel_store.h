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
    bool ready = false;      ///< `active` is the kernel last asked for
    std::string compileLog;  ///< why the kernel last asked for does not compile; else empty

    KernelInfo info() const;
};

/// The kernels on the device, most recently used first. A kernel that is missing is built in the
/// background while the last good one goes on.
class KernelStore {
public:
    /// Whether a kernel, perhaps of another variant, can render what is asked for.
    using Usable = std::function<bool(const LoadedKernel&)>;

    explicit KernelStore(const CudaDevice& device);

    /// Sets the text of core/baked_scene.h that kernels with SceneMemory::baked are built with.
    void setBakedScene(std::string text) { baked_ = std::move(text); }

    /// Chooses the kernel to launch now: that of the variant, else the one so far if it is usable,
    /// else the most recently used one that is. If there is none, waits for the compiler for up to
    /// leftMs, from which it subtracts the time, and returns false if there still is none.
    /// `allowed`: the variant runs on the device, so building it makes sense.
    bool choose(const Variant& variant, int source, bool allowed, const Usable& usable,
                KernelChoice& choice, double& leftMs);

    /// The loaded kernel of this variant from this source, or nullptr.
    const LoadedKernel* loaded(const Variant& variant, int source) const;

private:
    std::shared_ptr<LoadedKernel> find(const BuildRequest& request);
    void takeBuilt();
    bool want(const BuildRequest& request, bool allowed, const Usable& usable,
              KernelChoice& choice);
    bool keepUsable(const Usable& usable, KernelChoice& choice) const;

    const CudaDevice& device_;
    std::string baked_;
    std::list<std::shared_ptr<LoadedKernel>> kernels_;
    /// The last request that failed: not built again, even if others are asked for in between.
    BuildRequest failed_;
    std::string compileLog_;  ///< why failed_ failed; empty if nothing has
    KernelBuilder builder_;
};

}  // namespace rayscope
