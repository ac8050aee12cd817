#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// The renderers of this machine: the CPU's always, CUDA's where there is a device.
class Backends {
public:
    explicit Backends(int gpu = 0);
    /// Of given renderers: for tests, without a GPU.
    Backends(std::unique_ptr<Renderer> cpu, std::unique_ptr<Renderer> cuda);

    Renderer& get(Backend backend);
    const Renderer& get(Backend backend) const { return const_cast<Backends*>(this)->get(backend); }
    bool has(Backend backend) const { return backend == Backend::cpu || cuda_ != nullptr; }
    /// Why there is no CUDA; empty where there is.
    const std::string& noCuda() const { return noCuda_; }

    void setScene(const SharedScene& scene);
    /// Renderer::adjustSphere().
    void adjustSphere(int number, const Sphere& sphere);

    /// Renderer::giveHierarchy().
    void giveHierarchy(const Bvh& built);

    /// The names of the GPUs, by CUDA's numbers.
    const std::vector<std::string>& gpus() const { return gpus_; }
    /// The one that CUDA's renderer is for. Any thread may ask.
    int gpu() const { return gpu_; }
    /// Makes CUDA's renderer anew, on the GPU of this number. It has no scene yet.
    void useGpu(int number);

    /// The reason why these settings cannot be had on this machine and display, or an empty string.
    std::string unsupported(const Settings& settings) const;
    /// The same with a scene that is not the renderers' own, as far as it can be known without
    /// them.
    std::string unsupported(const Settings& settings, const Scene& scene) const;

    /// From now on display=interop is impossible, for this reason.
    void setNoInterop(const std::string& reason) { noInterop_ = reason; }

    /// The device has failed: gives up its renderer, and says why whenever it is asked for.
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
