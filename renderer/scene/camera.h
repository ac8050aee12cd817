#pragma once

#include "renderer/core/types.h"

namespace rayscope {

enum class Lens { disk, square };

/// A thin-lens camera. Angles in degrees, lengths in scene units.
struct Camera {
    Vec3<double> from{0, 2, 3};
    Vec3<double> to{0, 0, 0};
    Vec3<double> up{0, 1, 0};
    double vfov = 60;       ///< full vertical field of view
    double lensRadius = 0;  ///< disk: radius; square: half the side
    double focus = 1;       ///< distance of the plane in focus
    double start = 0;  ///< rays start this far along their unnormalised direction (smallpt: 140)
    Lens lens = Lens::disk;
    bool operator==(const Camera&) const = default;
};

/// Orthonormal, right-handed: right x forward = up.
struct CameraFrame {
    Vec3<double> forward, right, up;
};
CameraFrame cameraFrame(const Camera& camera);

/// The camera as the kernels read it, for an image of this shape.
template <class Real>
CameraParams<Real> cameraParams(const Camera& camera, int width, int height);

}  // namespace rayscope
