#pragma once

#include <memory>

#include "renderer/backend/simulator.h"
#include "renderer/cuda/cuda_core.h"
#include "renderer/cuda/force_plan.h"
#include "renderer/cuda/kernel_timer.h"
#include "renderer/cuda/loaded_forces.h"
#include "renderer/cuda/path_buffers.h"

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
    Conserved conserved() override;

    /// Moves the bodies' spheres in a scene that is packed on the device, which they are the first
    /// of: no position passes through the host. After prepare(). The scene has the precision of the
    /// simulation, `padded` spheres with those that nothing hits, and no walls.
    void place(unsigned char* scene, SceneLayout layout, int padded);

private:
    const ForceVariant& variant() const { return kernels_->variant(); }
    int capacity() const;
    void upload(const ForceVariant& variant, const Bodies& bodies);
    void reserve();
    template <class Real>
    void accelerate(const GravityParams<Real>& p) const;
    template <class Real>
    GravityParams<Real> params() const;
    template <class Real>
    void run(int steps);
    template <class Real>
    Bodies download() const;
    template <class Real>
    std::vector<double> potentials() const;
    template <class Real>
    void launch(Stage stage, dim3 grid, int block, const GravityParams<Real>& p) const;
    template <class Real>
    void placeIn(const BodySpheres<Real>& to) const;

    const std::shared_ptr<CudaCore> core_;
    std::unique_ptr<LoadedForces> kernels_;
    int count_ = 0;
    Bodies start_;  ///< until they are on the device
    bool equalMasses_ = false;
    double mass_ = 1;  ///< of each body, where that is the same
    ForcePlan plan_;
    DeviceBuffer bodies_, velocities_, accelerations_, potentials_;
    KernelTimer timer_;
};

std::unique_ptr<Simulator> makeCudaSimulator(std::shared_ptr<CudaCore> core,
                                             const Simulation& simulation, const Bodies& start);

}  // namespace rayscope
