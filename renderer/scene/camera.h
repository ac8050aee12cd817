#pragma once

#include <glm/vec3.hpp>

#include "renderer/core/types.h"

namespace rayscope {

enum class Lens { disk, square };

/// A thin-lens camera. Angles in degrees, lengths in scene units.
struct Camera {
    glm::dvec3 from{0, 2, 3};
    glm::dvec3 to{0, 0, 0};
    glm::dvec3 up{0, 1, 0};
    double vfov = 60;       ///< full vertical field of view
    double lensRadius = 0;  ///< disk: radius; square: half the side
    double focus = 1;       ///< distance of the plane in focus
    double start = 0;  ///< rays start this far along their unnormalised direction (smallpt: 140)
    Lens lens = Lens::disk;
    bool operator==(const Camera&) const = default;
};

/// Orthonormal, right-handed: right x forward = up.
struct CameraFrame {
    glm::dvec3 forward, right, up;
};
CameraFrame cameraFrame(const Camera& camera);

/// The image in the plane in focus, relative to the camera's position.
struct ImagePlane {
    glm::dvec3 forward;    ///< to its centre
    glm::dvec3 right, up;  ///< as long as the image is wide and high

    /// The point (u, v), both from -.5 to .5, v upwards.
    glm::dvec3 at(double u, double v) const { return forward + right * u + up * v; }
};
ImagePlane imagePlane(const Camera& camera, int width, int height);

/// The camera as kernels read it, for an image of this size.
template <class Real>
CameraParams<Real> cameraParams(const Camera& camera, int width, int height);

}  // namespace rayscope
