#include "renderer/scene/camera.h"

#include <cmath>

#include "renderer/scene/host_vector.h"

namespace rayscope {

CameraFrame cameraFrame(const Camera& camera) {
    const Vec3<double> forward = unit(camera.to - camera.from);
    const Vec3<double> right = unit(cross(forward, camera.up));
    return {forward, right, cross(right, forward)};
}

template <class Real>
CameraParams<Real> cameraParams(const Camera& camera, int width, int height) {
    const CameraFrame frame = cameraFrame(camera);
    const double tall = 2 * std::tan(camera.vfov * (3.14159265358979323846 / 360)) * camera.focus;
    const double wide = tall * width / height;
    CameraParams<Real> p{};
    p.origin = narrow<Real>(camera.from);
    p.forward = narrow<Real>(frame.forward * camera.focus);
    p.right = narrow<Real>(frame.right * wide);
    p.up = narrow<Real>(frame.up * tall);
    p.lensRight = narrow<Real>(frame.right * camera.lensRadius);
    p.lensUp = narrow<Real>(frame.up * camera.lensRadius);
    p.start = static_cast<Real>(camera.start / camera.focus);
    p.lens = camera.lensRadius > 0 ? (camera.lens == Lens::disk ? 1 : 2) : 0;
    return p;
}

template CameraParams<float> cameraParams(const Camera&, int, int);
template CameraParams<double> cameraParams(const Camera&, int, int);

}  // namespace rayscope
