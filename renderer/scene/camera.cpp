#include "renderer/scene/camera.h"

#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/scene/to_kernel.h"

namespace rayscope {

CameraFrame cameraFrame(const Camera& camera) {
    const glm::dvec3 forward = glm::normalize(camera.to - camera.from);
    const glm::dvec3 right = glm::normalize(glm::cross(forward, camera.up));
    return {forward, right, glm::cross(right, forward)};
}

ImagePlane imagePlane(const Camera& camera, int width, int height) {
    const CameraFrame frame = cameraFrame(camera);
    // not glm::radians(vfov / 2), whose rounding would change every picture's last bits
    const double tall = 2 * std::tan(camera.vfov * (3.14159265358979323846 / 360)) * camera.focus;
    const double wide = tall * width / height;
    return {frame.forward * camera.focus, frame.right * wide, frame.up * tall};
}

template <class Real>
CameraParams<Real> cameraParams(const Camera& camera, int width, int height) {
    const CameraFrame frame = cameraFrame(camera);
    const ImagePlane image = imagePlane(camera, width, height);
    CameraParams<Real> p{};
    p.origin = toKernel<Real>(camera.from);
    p.corner = toKernel<Real>(image.forward + (image.up - image.right) / 2.);
    p.right = toKernel<Real>(image.right / static_cast<double>(width));
    p.down = toKernel<Real>(image.up / -static_cast<double>(height));
    p.lensRight = toKernel<Real>(frame.right * camera.lensRadius);
    p.lensUp = toKernel<Real>(frame.up * camera.lensRadius);
    p.start = static_cast<Real>(camera.start / camera.focus);
    p.lens = camera.lensRadius > 0 ? (camera.lens == Lens::disk ? 1 : 2) : 0;
    p.aimRadius = p.lens != 0 ? -1 : 0;
    return p;
}

template CameraParams<float> cameraParams(const Camera&, int, int);
template CameraParams<double> cameraParams(const Camera&, int, int);

}  // namespace rayscope
