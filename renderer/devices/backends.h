#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "renderer/devices/device_list.h"

namespace rayscope {

/// The renderers of this machine: always the CPU's, and CUDA's if there is a device.
class Backends {
public:
    explicit Backends(const DeviceList& devices = {});
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
    void giveHierarchy(const SharedBvh& built);

    /// The names of the GPUs, by CUDA number.
    const std::vector<std::string>& gpus() const { return gpus_; }
    /// The devices that the renderers use. Any thread may ask.
    DeviceList devices() const;
    /// Replaces the renderers by those of these devices, without a scene.
    void use(const DeviceList& devices);

    /// Why these settings cannot be rendered on this machine and display, or an empty string.
    std::string unsupported(const Settings& settings) const;
    /// The same for another scene than the renderers', as far as that can be told without them.
    std::string unsupported(const Settings& settings, const Scene& scene) const;

    /// From now on display=interop is impossible, for this reason.
    void setNoInterop(const std::string& reason) { noInterop_ = reason; }
    /// The GPU of the films has failed: true if others of several go on (Renderer::goOnWithout()).
    bool goOnWithout(const std::string& reason);
    /// The device has failed: destroys its renderer and keeps the reason for whoever asks for CUDA.
    void loseCuda(const std::string& reason);

private:
    void tell(const std::function<void(Renderer&)>& what);
    void open();
    std::string missing(const Settings& settings) const;

    std::unique_ptr<Renderer> cpu_, cuda_;
    std::vector<std::string> gpus_;
    mutable std::mutex mutex_;
    DeviceList devices_;
    std::string noCuda_, noInterop_;
};

}  // namespace rayscope
