#include "renderer/devices/backends.h"

#include "renderer/choices/axes.h"

namespace rayscope {

Backends::Backends(const DeviceList& devices) : gpus_(cudaDevices()), devices_(devices) {
    open();
}

void Backends::open() {
    OpenedDevices opened = openBoth(devices_);
    cpu_ = std::move(opened.cpu);
    cuda_ = std::move(opened.cuda);
    noCuda_ = std::move(opened.noCuda);
}

DeviceList Backends::devices() const {
    const std::lock_guard lock(mutex_);
    return devices_;
}

Backends::Backends(std::unique_ptr<Renderer> cpu, std::unique_ptr<Renderer> cuda)
    : cpu_(std::move(cpu)), cuda_(std::move(cuda)) {
    if (!cuda_) noCuda_ = "there is no CUDA device";
}

Renderer& Backends::get(Backend backend) {
    return backend == Backend::cuda && cuda_ ? *cuda_ : *cpu_;
}

void Backends::setScene(const SharedScene& scene) {
    tell([&](Renderer& renderer) { renderer.setScene(scene); });
}

void Backends::moveSpheres(const MovedScene& scene) {
    tell([&](Renderer& renderer) { renderer.moveSpheres(scene); });
}

void Backends::adjustSphere(int number, const Sphere& sphere) {
    tell([&](Renderer& renderer) { renderer.adjustSphere(number, sphere); });
}

void Backends::tell(const std::function<void(Renderer&)>& what) {
    what(*cpu_);
    if (!cuda_) return;
    try {
        what(*cuda_);
    } catch (const std::exception& error) {
        loseCuda(error.what());
    }
}

void Backends::giveHierarchy(const SharedBvh& built) {
    cpu_->giveHierarchy(built);
    if (cuda_) cuda_->giveHierarchy(built);
}

void Backends::use(const DeviceList& devices) {
    cpu_.reset();
    cuda_.reset();
    noInterop_.clear();
    {
        const std::lock_guard lock(mutex_);
        devices_ = devices;
    }
    open();
}

/// Why this backend or display path is missing, or an empty string.
std::string Backends::missing(const Settings& settings) const {
    if (settings.backend == Backend::cpu) return {};
    if (!cuda_) return noCuda_;
    return settings.display == Display::interop ? noInterop_ : std::string();
}

std::string Backends::unsupported(const Settings& settings) const {
    const std::string problem = missing(settings);
    return problem.empty() ? get(settings.backend).unsupported(settings) : problem;
}

std::string Backends::unsupported(const Settings& settings, const Scene& scene) const {
    const std::string problem = missing(settings);
    return problem.empty() ? rayscope::unsupported(settings, scene) : problem;
}

bool Backends::goOnWithout(const std::string& reason) {
    return cuda_ && cuda_->goOnWithout(reason) == Backend::cuda;
}

void Backends::loseCuda(const std::string& reason) {
    cuda_.reset();
    noCuda_ = reason;
}

}  // namespace rayscope
