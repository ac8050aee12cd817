#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// The renderers of this machine: always the CPU's, and CUDA's if there is a device.
class Backends {
public:
    explicit Backends(int gpu = 0);
    /// With given renderers: for tests without a GPU.
    Backends(std::unique_ptr<Renderer> cpu, std::unique_ptr<Renderer> cuda);

    Renderer& get(Backend backend);
    const Renderer& get(Backend backend) const { return const_cast<Backends*>(this)->get(backend); }
    bool has(Backend backend) const { return backend == Backend::cpu || cuda_ != nullptr; }
    /// Why there is no CUDA; empty if there is.
    const std::string& noCuda() const { return noCuda_; }

    void setScene(const SharedScene& scene);
    /// Renderer::moveSpheres().
    void moveSpheres(const MovedScene& scene);
    /// Renderer::adjustSphere().
    void adjustSphere(int number, const Sphere& sphere);

    /// Renderer::giveHierarchy().
    void giveHierarchy(const Bvh& built);

    /// The names of the GPUs, by CUDA number.
    const std::vector<std::string>& gpus() const { return gpus_; }
    /// The number of the GPU that CUDA's renderer uses. Any thread may ask.
    int gpu() const { return gpu_; }
    /// Replaces CUDA's renderer by one on the GPU of this number, without a scene.
    void useGpu(int number);

    /// Why these settings cannot be rendered on this machine and display, or an empty string.
    std::string unsupported(const Settings& settings) const;
    /// The same for another scene than the renderers', as far as that can be told without them.
    std::string unsupported(const Settings& settings, const Scene& scene) const;

    /// From now on display=interop is impossible, for this reason.
    void setNoInterop(const std::string& reason) { noInterop_ = reason; }
    /// The device has failed: destroys its renderer and keeps the reason for whoever asks for CUDA.
    void loseCuda(const std::string& reason);

private:
    void tell(const std::function<void(Renderer&)>& what);
    void openCuda();
    std::string missing(const Settings& settings) const;

    std::unique_ptr<Renderer> cpu_, cuda_;
    std::vector<std::string> gpus_;
    std::atomic<int> gpu_ = 0;
    std::string noCuda_, noInterop_;
};

}  // namespace rayscope
