#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/compile/store.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/cuda/film_adder.h"
#include "renderer/cuda/launch_ring.h"
#include "renderer/cuda/loaded_kernel.h"
#include "renderer/cuda/stack_limit.h"

namespace rayscope {

class CudaSession;

/// What the sessions of a CUDA renderer share. All work goes to the legacy default stream, in the
/// order of the calls.
class CudaCore {
public:
    explicit CudaCore(CudaDevice found);

    /// Renderer::useThread()
    void useThread() const;
    void setScene(const SharedScene& scene);
    void moveSpheres(const MovedScene& scene);
    void adjustSphere(int number, const Sphere& sphere);
    Variant derived(const Settings& settings) const;
    std::string unsupported(const Settings& settings) const;
    /// Everything that the kernel of derived() settings is built from.
    BuildRequest requestFor(const Variant& variant, int source) const;
    /// True if the kernel can render this scene with these settings, perhaps as another variant.
    bool usable(const LoadedKernel& kernel, const Settings& settings) const;

    /// Hands the results of finished launches to the sessions that made them.
    void collect();
    /// Frees the path memory of all sessions.
    void releasePaths();

    /// Adds recent samples to films; its kernel is compiled from the first call on.
    FilmAdder& adder() {
        if (!adder_) adder_.emplace(device.architecture);
        return *adder_;
    }

    void enter(CudaSession& session) { sessions_.push_back(&session); }
    void leave(CudaSession& session);

    const CudaDevice device;
    StackLimit& stack;
    DeviceScene scene{device};
    KernelStore<LoadedKernel> kernels;
    LaunchRing ring;  ///< declared after the kernels: launches end before those are unloaded

private:
    void takeScene();

    std::string bakedText_;  ///< bakedTextOf() the scene
    unsigned baked_ = 0;     ///< its bakedId()
    std::vector<CudaSession*> sessions_;
    std::optional<FilmAdder> adder_;
};

}  // namespace rayscope
