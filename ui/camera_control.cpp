#include "ui/camera_control.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>

#include "ui/pick.h"

namespace rayscope {

namespace {

/// The view stays this far from straight up and down, where right is undefined.
constexpr double kSteepest = glm::radians(89.);

/// Of the two turns, the pitch that is left after the limit.
double allowedPitch(const Camera& camera, double pitch) {
    const double sine = glm::dot(cameraFrame(camera).forward, glm::normalize(camera.up));
    const double now = std::asin(std::clamp(sine, -1.0, 1.0));
    const double limit = std::max(kSteepest, std::fabs(now));
    return std::clamp(now + pitch, -limit, limit) - now;
}

/// The pitch, then the yaw about the camera's own vertical.
glm::dquat turnOf(const Camera& camera, double yaw, double pitch) {
    const glm::dvec3 right = cameraFrame(camera).right;
    return glm::angleAxis(-yaw, glm::normalize(camera.up)) *
           glm::angleAxis(allowedPitch(camera, pitch), right);
}

}  // namespace

double defaultSpeed(const Scene& scene) {
    const Camera& camera = scene.camera;
    const auto seen = pick(scene, camera, .5, .5, 1, 1);
    return std::max(glm::distance(seen ? seen->point : camera.to, camera.from) / 2, 1e-3);
}

double changedSpeed(double speed, double notches, double usual) {
    return std::clamp(speed * std::pow(1.2, notches), usual / 1000, usual * 1000);
}

Camera flown(const Camera& camera, const Flight& flight, const Push& push, double seconds) {
    const CameraFrame frame = cameraFrame(camera);
    const double distance = flight.speed * (push.fast ? kFastFactor : 1) * seconds;
    const glm::dvec3 way = frame.forward * push.forward + frame.right * push.right +
                           glm::normalize(camera.up) * push.up;
    Camera moved = camera;
    moved.from = camera.from + way * distance;
    moved.to = camera.to + way * distance;
    return moved;
}

Camera turned(const Camera& camera, double yaw, double pitch) {
    Camera result = camera;
    result.to = camera.from + turnOf(camera, yaw, pitch) * (camera.to - camera.from);
    return result;
}

Camera orbited(const Camera& camera, const glm::dvec3& pivot, double yaw, double pitch) {
    const glm::dquat turn = turnOf(camera, yaw, pitch);
    Camera result = camera;
    result.from = pivot + turn * (camera.from - pivot);
    result.to = pivot + turn * (camera.to - pivot);
    return result;
}

Camera focusedOn(const Camera& camera, const glm::dvec3& point) {
    const double distance = glm::dot(point - camera.from, cameraFrame(camera).forward);
    if (!(distance > 1e-6)) return camera;
    Camera result = camera;
    result.focus = distance;
    return result;
}

double radiansPerUnit(const Camera& camera, int windowHeight) {
    return glm::radians(camera.vfov) / std::max(windowHeight, 1);
}

}  // namespace rayscope
