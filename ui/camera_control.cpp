#include "ui/camera_control.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/host_vector.h"
#include "ui/pick.h"

namespace rayscope {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The view stays this far from straight up and down, where right is undefined.
constexpr double kSteepest = 89 * kPi / 180;

double length(Vec3<double> a) {
    return std::sqrt(dot(a, a));
}

/// Rodrigues' rotation of `a` about a unit axis.
Vec3<double> rotated(Vec3<double> a, Vec3<double> axis, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return a * c + cross(axis, a) * s + axis * (dot(axis, a) * (1 - c));
}

/// Of the two turns, the pitch that is left after the limit.
double allowedPitch(const Camera& camera, double pitch) {
    const double sine = dot(cameraFrame(camera).forward, unit(camera.up));
    const double now = std::asin(std::clamp(sine, -1.0, 1.0));
    const double limit = std::max(kSteepest, std::fabs(now));
    return std::clamp(now + pitch, -limit, limit) - now;
}

}  // namespace

double defaultSpeed(const Scene& scene) {
    const Camera& camera = scene.camera;
    const auto seen = pick(scene, camera, .5, .5, 1, 1);
    return std::max(length((seen ? seen->point : camera.to) - camera.from) / 2, 1e-3);
}

double changedSpeed(double speed, double notches, double usual) {
    return std::clamp(speed * std::pow(1.2, notches), usual / 1000, usual * 1000);
}

Camera flown(const Camera& camera, const Flight& flight, const Push& push, double seconds) {
    const CameraFrame frame = cameraFrame(camera);
    const double distance = flight.speed * (push.fast ? kFastFactor : 1) * seconds;
    const Vec3<double> way =
        frame.forward * push.forward + frame.right * push.right + unit(camera.up) * push.up;
    Camera moved = camera;
    moved.from = camera.from + way * distance;
    moved.to = camera.to + way * distance;
    return moved;
}

Camera turned(const Camera& camera, double yaw, double pitch) {
    const CameraFrame frame = cameraFrame(camera);
    const Vec3<double> up = unit(camera.up);
    const Vec3<double> tilted =
        rotated(camera.to - camera.from, frame.right, allowedPitch(camera, pitch));
    Camera result = camera;
    result.to = camera.from + rotated(tilted, up, -yaw);
    return result;
}

Camera orbited(const Camera& camera, Vec3<double> pivot, double yaw, double pitch) {
    const CameraFrame frame = cameraFrame(camera);
    const Vec3<double> up = unit(camera.up);
    const double tilt = allowedPitch(camera, pitch);
    const auto turn = [&](Vec3<double> p) {
        return pivot + rotated(rotated(p - pivot, frame.right, tilt), up, -yaw);
    };
    Camera result = camera;
    result.from = turn(camera.from);
    result.to = turn(camera.to);
    return result;
}

Camera focusedOn(const Camera& camera, Vec3<double> point) {
    const double distance = dot(point - camera.from, cameraFrame(camera).forward);
    if (!(distance > 1e-6)) return camera;
    Camera result = camera;
    result.focus = distance;
    return result;
}

double radiansPerUnit(const Camera& camera, int windowHeight) {
    return camera.vfov * kPi / 180 / std::max(windowHeight, 1);
}

}  // namespace rayscope
