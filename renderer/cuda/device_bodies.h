#pragma once

#include "renderer/backend/moved_scene.h"
#include "renderer/cuda/loaded_forces.h"
#include "renderer/cuda/path_buffers.h"

namespace rayscope {

/// All calls go to the legacy default stream.
class DeviceBodies : public PlacedBodies {
public:
    /// Copies the bodies of a simulator with these kernels, on the calling thread's device. What
    /// was copied before is lost. Throws std::runtime_error.
    template <class Real>
    void copy(std::shared_ptr<const LoadedForces> kernels, const GravityParams<Real>& params);

    bool canBeDrawn() const override { return canBeDrawn_; }
    std::vector<glm::dvec3> positions() const override;
    bool place(unsigned char* scene, Precision precision, SceneLayout layout,
               int padded) const override;

private:
    template <class Real>
    GravityParams<Real> params() const;
    template <class Real>
    std::vector<glm::dvec3> download() const;
    template <class Real>
    void placeIn(const BodySpheres<Real>& to) const;
    bool isDouble() const { return kernels_->variant().precision == Precision::float64; }

    std::shared_ptr<const LoadedForces> kernels_;
    int device_ = 0, count_ = 0, capacity_ = 0;
    bool canBeDrawn_ = false;
    DeviceBuffer bodies_, lost_;
};

}  // namespace rayscope
