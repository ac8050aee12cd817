#include "renderer/cuda/kernel_store.h"

#include <chrono>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "renderer/base/timeline.h"

namespace rayscope {

namespace {

/// Kernels that stay loaded, so that switching back and forth is immediate; some 150 KB each.
constexpr size_t kLoadedKernels = 24;

}  // namespace

KernelStore::KernelStore(const CudaDevice& device)
    : device_(device), builder_(device.architecture, KernelCache(KernelCache::defaultFolder())) {}

/// The kernel, moved to the front, or nullptr.
LoadedKernel* KernelStore::find(const BuildRequest& request) {
    for (auto k = kernels_.begin(); k != kernels_.end(); ++k) {
        if (!((*k)->request() == request)) continue;
        kernels_.splice(kernels_.begin(), kernels_, k);
        return kernels_.front().get();
    }
    return nullptr;
}

const LoadedKernel* KernelStore::loaded(const Variant& variant) const {
    for (const std::unique_ptr<LoadedKernel>& k : kernels_) {
        if (k->variant() == variant) return k.get();
    }
    return nullptr;
}

LoadedKernel* KernelStore::stillLoaded(const LoadedKernel* kernel) const {
    for (const std::unique_ptr<LoadedKernel>& k : kernels_) {
        if (k.get() == kernel) return k.get();
    }
    return nullptr;
}

/// Loads what the builder has finished.
void KernelStore::takeBuilt() {
    std::optional<BuildResult> result = builder_.take();
    if (!result || find(result->request) != nullptr) return;
    if (std::string* log = std::get_if<std::string>(&result->outcome)) {
        failed_ = result->request;
        compileLog_ = std::move(*log);
        return;
    }
    try {
        const Zone zone("load kernel");
        kernels_.push_front(std::make_unique<LoadedKernel>(
            result->request, std::move(std::get<CompiledKernel>(result->outcome)), device_));
    } catch (const std::runtime_error& error) {
        failed_ = result->request;
        compileLog_ = error.what();
    }
    while (kernels_.size() > kLoadedKernels) {
        auto last = std::prev(kernels_.end());
        if (last->get() == active_) --last;
        kernels_.erase(last);
    }
}

/// Makes the kernel the active one where it is loaded, or else asks for it. Returns true while it
/// is being made.
bool KernelStore::want(const BuildRequest& request, bool allowed, const Usable& usable) {
    takeBuilt();
    LoadedKernel* const found = find(request);
    ready_ = found != nullptr && usable(*found);
    if (ready_) {
        active_ = found;
    }
    refused_ = found == nullptr && failed_ == request && !compileLog_.empty();
    if (found != nullptr || refused_ || !allowed) return false;
    builder_.request(request);
    return true;
}

/// Makes the last used kernel that will do the active one, unless that does.
bool KernelStore::keepUsable(const Usable& usable) {
    if (active_ != nullptr && usable(*active_)) return true;
    for (const std::unique_ptr<LoadedKernel>& k : kernels_) {
        if (k->launches == 0 || !usable(*k)) continue;
        active_ = k.get();
        return true;
    }
    return false;
}

LoadedKernel* KernelStore::choose(const Variant& variant, bool allowed, const Usable& usable,
                                  double& leftMs) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const bool baked = variant.sceneMemory == SceneMemory::baked;
    const BuildRequest request{variant, kernelSourcesVersion(), baked ? baked_ : std::string()};
    const bool building = want(request, allowed, usable);
    if (keepUsable(usable)) return active_;
    if (!building) return nullptr;
    const auto start = std::chrono::steady_clock::now();
    builder_.wait(Milliseconds(leftMs));
    leftMs -= Milliseconds(std::chrono::steady_clock::now() - start).count();
    want(request, allowed, usable);
    return keepUsable(usable) ? active_ : nullptr;
}

KernelInfo KernelStore::info() const {
    KernelInfo info;
    if (active_ != nullptr) info = active_->info();
    info.ready = ready_;
    if (refused_) info.compileLog = compileLog_;
    return info;
}

}  // namespace rayscope
