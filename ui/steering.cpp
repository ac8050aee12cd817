#include "ui/steering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/format.h"

namespace rayscope {

namespace {

/// A drag shorter than this is a click with an unsteady hand.
constexpr double kClickDistance = 3;

/// A frame that took longer (a dragged window) does not fling the camera away.
constexpr double kLongestStep = .1;

std::optional<Pick> pickAt(const Steering::Surroundings& around, const Camera& camera, double x,
                           double y) {
    return pick(around.scene, camera, x, y, around.window.width, around.window.height);
}

Push pushOf(const Input& input) {
    const auto axis = [&](Key plus, Key minus) {
        return (input.down(plus) ? 1.0 : 0.0) - (input.down(minus) ? 1.0 : 0.0);
    };
    return {axis(Key::forward, Key::back), axis(Key::right, Key::left), axis(Key::up, Key::down),
            input.down(Key::shift)};
}

}  // namespace

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
        flight.speed = changedSpeed(flight.speed, input.wheel, defaultSpeed(around.scene));
    }
    const Push push = pushOf(input);
    if (!around.typing && push.any()) {
        camera = flown(camera, flight, push, std::min(around.seconds, kLongestStep));
    }
    if (camera != before) lastMove_ = around.now;
    return message;
}

std::string Steering::press(const MousePress& press, const Surroundings& around, Camera& camera) {
    if (press.twice && press.button == MouseButton::left) {
        const auto found = pickAt(around, camera, press.x, press.y);
        if (!found) return "There is nothing to focus on there";
        camera = focusedOn(camera, found->point);
        return fmt::format("Focus at distance {}", formatNumber(camera.focus));
    }
    dragging_ = press.button;
    turning_ = false;
    dragged_ = 0;
    orbitingDrag_ = false;
    if (!press.alt) return {};
    const auto found = pickAt(around, camera, press.x, press.y);
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
    const double middleX = around.window.width / 2.0, middleY = around.window.height / 2.0;
    const auto found = around.overPanels ? pickAt(around, camera, middleX, middleY)
                                         : pickAt(around, camera, input.x, input.y);
    flight.pivot = found ? found->point : camera.to;
    return found ? "Orbit around the point under the cursor: drag to turn"
                 : "Orbit around the camera's target: drag to turn";
}

}  // namespace rayscope
