#pragma once

#include <memory>

#include "renderer/cuda/cuda_core.h"
#include "renderer/cuda/device_bodies.h"
#include "renderer/cuda/force_plan.h"
#include "renderer/cuda/kernel_timer.h"

namespace rayscope {

/// On the default stream, as all work of the renderer. The bodies stay on the device from step to
/// step.
class CudaSimulator : public Simulator {
public:
    CudaSimulator(std::shared_ptr<CudaCore> core, const Simulation& simulation,
                  const Bodies& start);

    std::string unsupported(const Settings& settings) const override;
    void prepare(const Settings& settings) override;
    StepStats step(const Settings& settings, int steps) override;
    ForceInfo info() const override;
    Bodies bodies() const override;
    /// After prepare().
    std::shared_ptr<const PlacedBodies> placed() override;
    Conserved conserved() override;

private:
    const ForceVariant& variant() const { return kernels_->variant(); }
    int capacity() const;
    void upload(const ForceVariant& variant, const Bodies& bodies);
    void reserve();
    template <class Real>
    void accelerate(GravityParams<Real> p) const;
    template <class Launch>
    void timed(const char* zone, const Launch& launch);
    template <class Real>
    GravityParams<Real> params() const;
    template <class Real>
    void run(int steps);
    template <class Real>
    Bodies download() const;
    template <class Real>
    std::vector<double> potentials() const;

    const std::shared_ptr<CudaCore> core_;
    std::shared_ptr<const LoadedForces> kernels_;
    int count_ = 0;
    Bodies start_;  ///< until they are on the device
    bool equalMasses_ = false;
    double mass_ = 1;  ///< of each body, where that is the same
    ForcePlan plan_;
    DeviceBuffer bodies_, velocities_, accelerations_, potentials_;
    std::vector<std::shared_ptr<DeviceBodies>> placed_;  ///< those in use, and to be used again
    KernelTimer timer_;
    bool zones_ = false;  ///< of each kernel, where a timeline takes them; else of the whole call
};

std::unique_ptr<Simulator> makeCudaSimulator(std::shared_ptr<CudaCore> core,
                                             const Simulation& simulation, const Bodies& start);

}  // namespace rayscope
