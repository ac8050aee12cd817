#pragma once

#include <string>
#include <vector>

#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/cuda/kernel_store.h"
#include "renderer/cuda/launch_ring.h"
#include "renderer/cuda/stack_limit.h"

namespace rayscope {

class CudaSession;

/// What the sessions of a CUDA renderer share. All work goes to the legacy default stream, in the
/// order in which it is asked for.
class CudaCore {
public:
    explicit CudaCore(CudaDevice found);

    /// The device is the calling thread's from here on.
    void takeThread() const;
    void setScene(const SharedScene& scene);
    void adjustSphere(int number, const Sphere& sphere);
    Variant derived(const Settings& settings) const;
    std::string unsupported(const Settings& settings) const;
    /// True where the kernel computes this scene with these settings, though perhaps by another
    /// variant.
    bool usable(const LoadedKernel& kernel, const Settings& settings) const;
    /// Gives the results of launches that are done to the sessions that made them.
    void collect();
    /// Frees what all sessions keep of paths.
    void releasePaths();

    void enter(CudaSession& session) { sessions_.push_back(&session); }
    void leave(CudaSession& session);

    const CudaDevice device;
    StackLimit& stack;
    DeviceScene scene;
    KernelStore kernels;
    LaunchRing ring;  ///< after the kernels: launches end before these are unloaded

private:
    void takeScene();

    unsigned baked_ = 0;  ///< Traits::baked of the scene; 0: it is too large for that
    std::vector<CudaSession*> sessions_;
};

}  // namespace rayscope
