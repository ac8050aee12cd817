#include "renderer/cuda/kernel_store.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "renderer/base/timeline.h"

namespace rayscope {

namespace {

/// Kernels that stay loaded, so that switching back and forth is immediate; about 150 KB each.
constexpr size_t kLoadedKernels = 24;

}  // namespace

KernelStore::KernelStore(const CudaDevice& device)
    : device_(device), builder_(device.architecture, KernelCache(KernelCache::defaultFolder())) {}

KernelInfo KernelChoice::info() const {
    KernelInfo info;
    if (active) info = active->info();
    info.ready = ready;
    info.packing = packing;
    info.compileLog = compileLog;
    return info;
}

/// The kernel, moved to the front, or nullptr.
std::shared_ptr<LoadedKernel> KernelStore::find(const BuildRequest& request) {
    for (auto k = kernels_.begin(); k != kernels_.end(); ++k) {
        if (!((*k)->request() == request)) continue;
        kernels_.splice(kernels_.begin(), kernels_, k);
        return kernels_.front();
    }
    return nullptr;
}

const LoadedKernel* KernelStore::loaded(const Variant& variant, int source) const {
    for (const std::shared_ptr<LoadedKernel>& k : kernels_) {
        if (k->variant() == variant && k->request().source == source) return k.get();
    }
    return nullptr;
}

void KernelStore::fail(const BuildRequest& request, const std::string& log) {
    failed_.push_front({request, log});
    if (failed_.size() > kLoadedKernels) failed_.pop_back();
}

/// Why it could not be built; empty if nobody has tried.
std::string KernelStore::failureOf(const BuildRequest& request) const {
    const auto known = std::ranges::find(failed_, request, &Failed::request);
    return known == failed_.end() ? std::string() : known->log;
}

/// Loads the kernel that the builder has finished, if any.
void KernelStore::takeBuilt() {
    std::optional<BuildResult> result = builder_.take();
    if (!result || find(result->request) != nullptr) return;
    if (!result->kernel) {
        return fail(result->request, result->kernel.reason());
    }
    try {
        const Zone zone("load kernel");
        kernels_.push_front(
            std::make_shared<LoadedKernel>(result->request, *std::move(result->kernel), device_));
    } catch (const std::runtime_error& error) {
        fail(result->request, error.what());
    }
    if (kernels_.size() > kLoadedKernels) kernels_.pop_back();
}

/// Makes the kernel active if it is loaded, else asks for it. Returns true while it is being built.
bool KernelStore::want(const BuildRequest& request, const Wish& wish, KernelChoice& choice) {
    takeBuilt();
    const std::shared_ptr<LoadedKernel> found = find(request);
    choice.ready = found && wish.usable(*found);
    if (choice.ready) choice.active = found;
    choice.compileLog = found ? std::string() : failureOf(request);
    if (found || !choice.compileLog.empty() || !wish.allowed) return false;
    builder_.request(request, wish.trial);
    return true;
}

/// Keeps the active kernel if it is usable, else activates the most recently used one that is.
bool KernelStore::keepUsable(const Usable& usable, KernelChoice& choice) const {
    if (choice.active && usable(*choice.active)) return true;
    for (const std::shared_ptr<LoadedKernel>& k : kernels_) {
        if (k->launches == 0 || !usable(*k)) continue;
        choice.active = k;
        return true;
    }
    return false;
}

bool KernelStore::choose(const Variant& variant, int source, const Wish& wish, KernelChoice& choice,
                         double& leftMs) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const bool baked = variant.sceneMemory == SceneMemory::baked;
    const BuildRequest request{variant, source, kernelSourcesVersion(source),
                               baked ? baked_ : std::string()};
    const bool building = want(request, wish, choice);
    if (keepUsable(wish.usable, choice)) return true;
    if (!building) return false;
    const auto start = std::chrono::steady_clock::now();
    builder_.wait(Milliseconds(leftMs));
    leftMs -= Milliseconds(std::chrono::steady_clock::now() - start).count();
    want(request, wish, choice);
    return keepUsable(wish.usable, choice);
}

}  // namespace rayscope
