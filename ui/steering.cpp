#include "ui/steering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>
#include <limits>
#include <span>

#include "renderer/scene/camera_path.h"
#include "renderer/scene/pack_pictures.h"
#include "renderer/scene/places.h"
#include "ui/format.h"
#include "ui/meetings.h"

namespace rayscope {

namespace {

/// A drag shorter than this is a click with an unsteady hand.
constexpr double kClickDistance = 3;

/// A frame that took longer (a dragged window) does not fling the camera away.
constexpr double kLongestStep = .1;

constexpr double kFlightSeconds = .8;  ///< to a bookmark

/// A camera stays as far from surfaces as it usually flies in this time, in seconds.
constexpr double kNearest = .04;

Push pushOf(const Input& input) {
    const auto axis = [&](Key plus, Key minus) {
        return (input.down(plus) ? 1.0 : 0.0) - (input.down(minus) ? 1.0 : 0.0);
    };
    return {axis(Key::forward, Key::back), axis(Key::right, Key::left), axis(Key::up, Key::down),
            input.down(Key::shift)};
}

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

bool passesBy(const Box& box, const glm::dvec3& origin, const glm::dvec3& direction) {
    double near = 0, far = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        const double a = (box.low[axis] - origin[axis]) / direction[axis];
        const double b = (box.high[axis] - origin[axis]) / direction[axis];
        near = std::max(near, std::min(a, b));
        far = std::min(far, std::max(a, b));
    }
    return near > far * (1 + 1e-9);
}

/// The nearest triangle of what stands in places.
std::optional<Meeting> meet(const PlacedPiece& piece, const glm::dvec3& origin,
                            const glm::dvec3& direction, double epsilon) {
    const Mesh& mesh = *piece.mesh->mesh;
    const auto faces = std::span(mesh.faces)
                           .subspan(static_cast<std::size_t>(piece.firstFace - piece.firstOfMesh),
                                    static_cast<std::size_t>(piece.faces));
    const Box box = boxOf(piece);
    std::optional<Meeting> nearest;
    for (const Placement& place : piece.places) {
        const glm::dmat4x3 in = inverseOf(place);
        const glm::dvec3 from = in * glm::dvec4(origin, 1), along = in * glm::dvec4(direction, 0);
        if (passesBy(box, from, along)) continue;
        std::optional<Meeting> met = meet(*piece.mesh, faces, from, along, epsilon);
        if (!met || (nearest && nearest->distance <= met->distance)) continue;
        met->normal = glm::normalize(glm::transpose(glm::dmat3(in)) * met->normal);
        nearest = met;
    }
    return nearest;
}

}  // namespace

std::optional<Pick> pick(const Scene& scene, const Camera& camera, double x, double y, Size size) {
    const auto [width, height] = size;
    const glm::dvec3 target = imagePlane(camera, width, height).at(x / width - .5, .5 - y / height);
    const glm::dvec3 origin = camera.from + target * (camera.start / camera.focus);
    const glm::dvec3 direction = glm::normalize(target);
    double nearest = std::numeric_limits<double>::infinity();
    std::optional<int> sphere;
    glm::dvec3 normal{0, 0, 1};
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
        const double t = sphereDistance(scene.spheres[i], origin, direction, scene.epsilon);
        if (t <= 0 || t >= nearest) continue;
        nearest = t;
        sphere = static_cast<int>(i);
    }
    if (sphere)
        normal = glm::normalize(origin + direction * nearest - scene.spheres[*sphere].center);
    const auto meetOther = [&](double distance, const glm::dvec3& across) {
        if (!(distance > scene.epsilon && distance < nearest)) return;
        nearest = distance;
        normal = across;
        sphere = -1;
    };
    for (const PlacedPiece& piece : placedPieces(scene)) {
        if (const auto met = meet(piece, origin, direction, scene.epsilon))
            meetOther(met->distance, met->normal);
    }
    if (scene.floor) meetOther(-origin.z / direction.z, {0, 0, 1});
    if (!sphere) return std::nullopt;
    return Pick{origin + direction * nearest, *sphere, normal};
}

double defaultSpeed(const Scene& scene) {
    const Camera& camera = scene.camera;
    // among very many triangles, what the camera looks at must do
    const bool many = triangleCount(scene) > 20'000;
    const auto seen = many ? std::nullopt : pick(scene, camera, .5, .5, {1, 1});
    const double way =
        seen ? glm::distance(seen->point, eyeOf(camera)) : glm::distance(camera.to, camera.from);
    return std::max(way / 2, 1e-3);
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

void Steering::enter(const Scene& scene) {
    flight = {};
    flight.speed = usual_ = defaultSpeed(scene);
    obstacles_.forget();
}

/// Bodies that move on a device only are in nobody's way: where they are is not known here.
void Steering::fly(const Push& push, const Surroundings& around, Camera& camera) {
    const double seconds = std::min(around.seconds, kLongestStep);
    const Camera wish = flown(camera, flight, push, seconds);
    if (flight.through || around.scene.bodies() != nullptr) {
        camera = wish;
        return;
    }
    const glm::dvec3 way = obstacles_.allowed(around.scene.now(), eyeOf(camera),
                                              wish.from - camera.from, seconds, kNearest * usual_);
    camera.from += way;
    camera.to += way;
}

std::string Steering::where(const MovedScene& scene, const Camera& camera) {
    if (scene.bodies() != nullptr) return {};
    const std::uint64_t version = scene.now().version();
    if (seen_ == camera && seenIn_ == version) return where_;
    seen_ = camera;
    seenIn_ = version;
    const glm::dvec3 eye = eyeOf(camera);
    if (const auto sphere = sphereAround(scene.now(), eye))
        return where_ = fmt::format("Inside sphere {}: Home flies back, S backs out", *sphere);
    if (scene.now()->floor && eye.z < 0 && eyeOf(scene.now()->camera).z > 0)
        return where_ = "Below the floor: Home flies back";
    return where_ = {};
}

std::string Steering::steer(const Input& input, const Surroundings& around, Camera& camera) {
    const Camera before = camera;
    std::string message;
    for (const MousePress& p : input.presses) {
        if (around.overPanels) break;
        const std::string said = press(p, around, camera);
        if (!said.empty()) message = said;
    }
    if (dragging_ && !input.down(*dragging_)) {
        dragging_.reset();
        turning_ = false;
    }
    if (dragging_) drag(input, around, camera);
    if (!around.overPanels && input.wheel != 0) {
        flight.speed = changedSpeed(flight.speed, input.wheel, usual_);
    }
    const Push push = pushOf(input);
    if (!around.typing && push.any()) {
        fly(push, around, camera);
    }
    if (camera != before) {
        lastMove_ = around.now;
        leg_.reset();
    }
    if (leg_) {
        const double t = (around.now - leg_->began) / kFlightSeconds;
        camera = between(leg_->from, leg_->to, t);
        lastMove_ = around.now;
        if (t >= 1) leg_.reset();
    }
    return message;
}

std::string Steering::press(const MousePress& press, const Surroundings& around, Camera& camera) {
    if (press.twice && press.button == MouseButton::left) {
        const auto found = pick(around.scene.now(), camera, press.x, press.y, around.window);
        if (!found) return "There is nothing to focus on there";
        camera = focusedOn(camera, found->point);
        return fmt::format("Focus at distance {}", formatNumber(camera.focus));
    }
    dragging_ = press.button;
    turning_ = false;
    dragged_ = 0;
    orbitingDrag_ = false;
    if (!press.alt) return {};
    const auto found = pick(around.scene.now(), camera, press.x, press.y, around.window);
    if (!found) return "There is nothing to orbit around there";
    flight.pivot = found->point;
    orbitingDrag_ = true;
    return {};
}

void Steering::drag(const Input& input, const Surroundings& around, Camera& camera) {
    dragged_ += std::hypot(input.dx, input.dy);
    if (!turning_ && dragged_ < kClickDistance) return;
    turning_ = true;
    const double angle = radiansPerUnit(camera, around.window.height);
    const double yaw = input.dx * angle, pitch = -input.dy * angle;
    if (yaw == 0 && pitch == 0) return;
    camera = flight.orbit || orbitingDrag_ ? orbited(camera, flight.pivot, yaw, pitch)
                                           : turned(camera, yaw, pitch);
}

std::string Steering::toggleOrbit(const Input& input, const Surroundings& around,
                                  const Camera& camera) {
    flight.orbit = !flight.orbit;
    if (!flight.orbit) return "Orbit off";
    const Size window = around.window;
    const double x = around.overPanels ? window.width / 2.0 : input.x;
    const double y = around.overPanels ? window.height / 2.0 : input.y;
    const auto found = pick(around.scene.now(), camera, x, y, window);
    flight.pivot = found ? found->point : camera.to;
    return found ? "Orbit around the point under the cursor: drag to turn"
                 : "Orbit around the camera's target: drag to turn";
}

}  // namespace rayscope
