#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

#include "renderer/backend/renderer.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/cupti.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/cuda/kernel_request.h"
#include "renderer/cuda/kernel_store.h"
#include "renderer/cuda/pass_launcher.h"
#include "renderer/cuda/path_lengths.h"
#include "renderer/scene/bake.h"

namespace rayscope {

namespace {

class CudaRenderer : public Renderer {
public:
    explicit CudaRenderer(CudaDevice device)
        : device_(std::move(device)), kernels_(device_), passes_(device_, scene_, kernels_) {}

    DeviceInfo device() const override { return device_.info; }
    void setScene(const SharedScene& scene) override;
    void adjustSphere(int number, const Sphere& sphere) override;
    void giveHierarchy(const Bvh& built) override { scene_.giveHierarchy(built); }
    std::string unsupported(const Settings& settings) const override;
    void clear(Film& film) override;
    FrameStats advance(const Settings& settings, const Camera& camera, Film& film,
                       double budgetMs) override;
    FrameStats finish() override;
    void releasePaths() override { passes_.releasePaths(); }
    KernelInfo kernel() const override { return kernels_.info(); }
    PathLengths pathLengths(const Settings& settings, const Camera& camera, int width, int height,
                            int samples, const std::stop_token& stop) override {
        takeThread();
        return cudaPathLengths(device_, scene_, settings, camera, width, height, samples, stop);
    }
    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        takeThread();
        return cudaPixelTimes(device_, scene_, settings, camera, width, height, samples, stop);
    }
    CounterReaderOr counterReader(const std::vector<std::string>& metrics) override {
        takeThread();
        return openCounterReader(device_.number, metrics);
    }

private:
    /// The device is the calling thread's from here on.
    void takeThread() const { check(cudaSetDevice(device_.number), "use the device"); }
    Variant derived(const Settings& settings) const {
        return kernelVariant(settings, scene_.traits(), baked_);
    }
    bool usable(const LoadedKernel& kernel, const Settings& settings) const;
    void takeScene();

    CudaDevice device_;
    DeviceScene scene_;
    unsigned baked_ = 0;  ///< Traits::baked of the scene; 0: it is too large for that
    KernelStore kernels_;
    PassLauncher passes_;  ///< after kernels_: launches end before kernels are unloaded
};

void CudaRenderer::setScene(const SharedScene& scene) {
    takeThread();
    scene_.set(scene);
    takeScene();
}

void CudaRenderer::adjustSphere(int number, const Sphere& sphere) {
    takeThread();
    scene_.adjust(number, sphere);
    takeScene();
}

/// What kernels are made for.
void CudaRenderer::takeScene() {
    const std::string text = bakedTextOf(scene_.scene());
    baked_ = text.empty() ? 0 : bakedId(text);
    kernels_.setBakedScene(text);
}

std::string CudaRenderer::unsupported(const Settings& settings) const {
    if (settings.backend != Backend::cuda) return "backend=cpu: this is the cuda backend";
    if (std::string reason = rayscope::unsupported(settings, scene_.scene()); !reason.empty()) {
        return reason;
    }
    const Variant v = derived(settings);
    if (std::string reason = problemOf(v, device_); !reason.empty()) return reason;
    if (const LoadedKernel* k = kernels_.loaded(v)) {
        return k->problemAt(settings.depth, device_);
    }
    return {};
}

/// True where the kernel computes this scene with these settings, though perhaps by another
/// variant.
bool CudaRenderer::usable(const LoadedKernel& kernel, const Settings& settings) const {
    const Variant& v = kernel.variant();
    return v.traits == kernelTraits(v.sceneMemory, scene_.traits(), baked_) &&
           (v.path != Path::stack || settings.depth <= v.stackLevels) &&
           kernel.problemAt(settings.depth, device_).empty();
}

FrameStats CudaRenderer::advance(const Settings& settings, const Camera& camera, Film& film,
                                 double budgetMs) {
    takeThread();
    passes_.collect();
    double left = budgetMs;
    LoadedKernel* const kernel = kernels_.choose(
        derived(settings), unsupported(settings).empty(),
        [&](const LoadedKernel& k) { return usable(k, settings); }, left);
    if (kernel != nullptr && film.width > 0 && film.height > 0) {
        passes_.advance(*kernel, settings, camera, film, left, budgetMs);
    }
    return passes_.takeStats();
}

FrameStats CudaRenderer::finish() {
    const Zone zone("finish");
    takeThread();
    check(cudaDeviceSynchronize(), "finish rendering");
    passes_.collect();
    return passes_.takeStats();
}

void CudaRenderer::clear(Film& film) {
    takeThread();
    const size_t bytes = size_t{1} * film.width * film.height * sizeof(Pixel);
    if (bytes > 0) check(cudaMemsetAsync(film.pixels, 0, bytes), "clear the film");
    film.samples = film.skipped = film.passSamples = film.cursor = 0;
}

}  // namespace

Result<std::unique_ptr<Renderer>> makeCudaRenderer(int number) {
    Result<CudaDevice> device = openDevice(number);
    if (!device) return device.failure();
    try {
        return std::unique_ptr<Renderer>(std::make_unique<CudaRenderer>(*std::move(device)));
    } catch (const std::exception& error) {
        return Failure{error.what()};
    }
}

}  // namespace rayscope
