#include "renderer/cuda/cuda_core.h"

#include <utility>

#include "renderer/choices/axes.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/cuda_session.h"
#include "renderer/cuda/kernel_request.h"

namespace rayscope {

CudaCore::CudaCore(CudaDevice found)
    : device(std::move(found)), stack(StackLimit::of(device.number)), kernels([this](BuildResult built) {
          return std::make_shared<LoadedKernel>(std::move(built), device);
      }) {}

void CudaCore::useThread() const {
    check(cudaSetDevice(device.number), "use the device");
}

void CudaCore::setScene(const SharedScene& wanted) {
    useThread();
    scene.set(wanted);
    takeScene();
}

void CudaCore::moveSpheres(const MovedScene& moved) {
    useThread();
    scene.follow(moved);
    if (scene.outline().spheres.size() <= kMaxBakedSpheres) takeScene();
}

void CudaCore::adjustSphere(int number, const Sphere& sphere) {
    useThread();
    scene.adjust(number, sphere);
    takeScene();
}

/// Prepares kernels for the new scene.
void CudaCore::takeScene() {
    bakedText_ = bakedTextOf(scene.scene());
    baked_ = bakedIdOf(bakedText_);
}

Variant CudaCore::derived(const Settings& settings) const {
    return kernelVariant(settings, scene.traits(), baked_);
}

std::string CudaCore::unsupported(const Settings& settings) const {
    if (settings.backend != Backend::cuda) return "backend=cpu: this is the cuda backend";
    if (std::string reason = rayscope::unsupported(settings, scene.outline()); !reason.empty())
        return reason;
    const Variant v = derived(settings);
    if (const Result<void> fits = checkBlock(v, device); !fits) return fits.reason();
    const LoadedKernel* const kernel = kernels.loaded([&](const LoadedKernel& k) {
        return k.variant() == v && k.request().source == settings.source;
    });
    return kernel != nullptr ? kernel->checkDepth(settings.depth, device).reason() : std::string();
}

BuildRequest CudaCore::requestFor(const Variant& variant, int source) const {
    return requestOf(variant, source, device.architecture, bakedText_);
}

bool CudaCore::usable(const LoadedKernel& kernel, const Settings& settings) const {
    const Variant& v = kernel.variant();
    return kernel.request().source == settings.source &&
           v.traits == kernelTraits(v.sceneMemory, scene.traits(), baked_) &&
           (v.path != Path::stack || settings.depth <= v.stackLevels) &&
           kernel.checkDepth(settings.depth, device);
}

void CudaCore::collect() {
    scene.recordBuilds();  // before those of the launches that walk them
    FinishedLaunch finished;
    while (ring.takeFinished(finished)) {
        if (finished.record.session != nullptr) finished.record.session->take(finished);
    }
}

void CudaCore::releasePaths() {
    for (CudaSession* session : sessions_) session->releaseEngines();
    warn(stack.release(), "free stacks");
}

void CudaCore::leave(CudaSession& session) {
    std::erase(sessions_, &session);
    ring.forget(session);
    if (sessions_.empty()) warn(stack.release(), "free stacks");
}

}  // namespace rayscope
