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
    /// How much of a kernel over all bodies is launched at once: Simulator::setMostMs(). In units
    /// of which each fills the device, as less takes no less time.
    struct Parts {
        int units = 1;
        void learn(int launched, double ms, double mostMs);
    };
    template <class Real>
    void accelerate(GravityParams<Real> p);
    int blocksOfUnit() const;  ///< of bodies, each with its slices: they fill the device
    int units() const;
    template <class Launch>
    void timed(const char* zone, const Launch& launch);
    template <class Launch>
    void inParts(const char* zone, int units, Parts& parts, const Launch& launch);
    template <class Real>
    GravityParams<Real> params() const;
    template <class Real>
    void run(int steps);
    template <class Real>
    Bodies download() const;
    template <class Real>
    std::vector<double> potentials();

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
    bool each_ = false;    ///< kernel is timed by itself, and not the whole call
    double kernelMs_ = 0;  ///< of parts that are done
    Parts forceParts_, potentialParts_;
};

std::unique_ptr<Simulator> makeCudaSimulator(std::shared_ptr<CudaCore> core,
                                             const Simulation& simulation, const Bodies& start);

}  // namespace rayscope
