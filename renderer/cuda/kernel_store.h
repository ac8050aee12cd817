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
    bool packing = false;    ///< KernelInfo::packing
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

    struct Wish {
        bool allowed = false;  ///< the variant runs on the device, so building it makes sense
        Usable usable;
        std::optional<KernelTrial> trial{};  ///< KernelBuilder::request()
    };

    /// Chooses the kernel to launch now: that of the variant, else the one so far if it is usable,
    /// else the most recently used one that is. If there is none, waits for the compiler for up to
    /// leftMs, from which it subtracts the time, and returns false if there still is none.
    bool choose(const Variant& variant, int source, const Wish& wish, KernelChoice& choice,
                double& leftMs);

    /// The loaded kernel of this variant from this source, or nullptr.
    const LoadedKernel* loaded(const Variant& variant, int source) const;

private:
    std::shared_ptr<LoadedKernel> find(const BuildRequest& request);
    void fail(const BuildRequest& request, const std::string& log);
    std::string failureOf(const BuildRequest& request) const;
    void takeBuilt();
    bool want(const BuildRequest& request, const Wish& wish, KernelChoice& choice);
    bool keepUsable(const Usable& usable, KernelChoice& choice) const;

    const CudaDevice& device_;
    std::string baked_;
    std::list<std::shared_ptr<LoadedKernel>> kernels_;
    struct Failed {
        BuildRequest request;
        std::string log;
    };
    std::list<Failed> failed_;  ///< not built again; newest first
    KernelBuilder builder_;
};

}  // namespace rayscope
