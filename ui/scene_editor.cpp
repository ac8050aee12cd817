#include "ui/scene_editor.h"

#include <algorithm>
#include <cmath>

#include "renderer/core/vector.h"

namespace rayscope {

namespace {

constexpr double kClickDistance = 3;  ///< screen units; further is a drag
constexpr int kOutlinePoints = 96;
constexpr double kInWindow = 12;  ///< new spheres in the height of the window
constexpr const char* kEdited = "-edited";

double lengthOf(const Vec3<double>& v) {
    return std::sqrt(dot(v, v));
}

CameraParams<double> paramsOf(const Camera& camera, Size window) {
    return cameraParams<double>(camera, window.width, window.height);
}

/// From the camera through a place, not of unit length.
Vec3<double> towards(const CameraParams<double>& p, Size window, Place place) {
    return p.forward + p.right * (place.x / window.width - .5) +
           p.up * (.5 - place.y / window.height);
}

double depthOf(const CameraParams<double>& p, const Vec3<double>& point) {
    return dot(point - p.origin, p.forward) / dot(p.forward, p.forward);
}

/// How long a unit of the window is at that point.
double unitAt(const CameraParams<double>& p, Size window, const Vec3<double>& point) {
    return depthOf(p, point) * lengthOf(p.up) / window.height;
}

/// Where the ray through a place meets the plane through a point that faces the camera.
Vec3<double> onPlane(const CameraParams<double>& p, Size window, Place place,
                     const Vec3<double>& point) {
    return p.origin + towards(p, window, place) * depthOf(p, point);
}

Vec3<double> clamped(const Vec3<double>& v) {
    const auto within = [](double x) { return std::clamp(x, -kMaxCoordinate, kMaxCoordinate); };
    return {within(v.x), within(v.y), within(v.z)};
}

}  // namespace

std::optional<Place> placeOf(const Camera& camera, Size window, const Vec3<double>& point) {
    const CameraParams<double> p = paramsOf(camera, window);
    const Vec3<double> to = point - p.origin;
    const double depth = depthOf(p, point);
    if (depth <= 0) return {};
    const double right = dot(to, p.right) / dot(p.right, p.right) / depth;
    const double up = dot(to, p.up) / dot(p.up, p.up) / depth;
    return Place{(right + .5) * window.width, (.5 - up) * window.height};
}

std::vector<Place> outlineOf(const Sphere& sphere, const Camera& camera, Size window) {
    const Vec3<double> to = sphere.center - paramsOf(camera, window).origin;
    const double distance2 = dot(to, to), radius2 = sphere.radius * sphere.radius;
    if (distance2 <= radius2) return {};
    // the circle in which the cone of tangents touches the sphere
    const Vec3<double> axis = to * (1 / std::sqrt(distance2));
    const Vec3<double> middle = sphere.center - axis * (radius2 / std::sqrt(distance2));
    const double radius = sphere.radius * std::sqrt(1 - radius2 / distance2);
    const Vec3<double> other =
        std::abs(axis.x) < .6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    const Vec3<double> across = cross(axis, other);
    const Vec3<double> u = across * (radius / lengthOf(across));
    const Vec3<double> v = cross(axis, u);
    std::vector<Place> line;
    for (int i = 0; i < kOutlinePoints; ++i) {
        const double angle = 2 * M_PI * i / kOutlinePoints;
        const auto place =
            placeOf(camera, window, middle + u * std::cos(angle) + v * std::sin(angle));
        if (!place) return {};
        line.push_back(*place);
    }
    return line;
}

Sphere sphereAt(const Scene& scene, const Camera& camera, Size window, Place place) {
    const CameraParams<double> p = paramsOf(camera, window);
    const auto seen = pick(scene, camera, place.x, place.y, window.width, window.height);
    Sphere sphere;
    const Vec3<double> ahead = p.origin + p.forward * (camera.focus / lengthOf(p.forward));
    const Vec3<double> point = seen ? seen->point : onPlane(p, window, place, ahead);
    const double depth = dot(point - p.origin, p.forward) / dot(p.forward, p.forward);
    sphere.radius = std::clamp(depth * lengthOf(p.up) / kInWindow / 2, kMinRadius, kMaxCoordinate);
    if (!seen) {
        sphere.center = clamped(point);
        return sphere;
    }
    Vec3<double> normal{0, 0, 1};
    if (seen->sphere < static_cast<int>(scene.spheres.size())) {
        normal = point - scene.spheres[seen->sphere].center;
        normal = normal * (1 / lengthOf(normal));
    }
    if (dot(normal, point - p.origin) > 0) normal = -normal;
    sphere.center = clamped(point + normal * sphere.radius);
    return sphere;
}

std::string editedName(const std::string& name) {
    return name.ends_with(kEdited) ? name : name + kEdited;
}

Edit SceneEditor::steer(Input& input, const Steering::Surroundings& around, const Camera& camera,
                        Scene& scene) {
    const int count = static_cast<int>(scene.spheres.size());
    if (selected_ >= count) selected_ = -1;
    Edit edit = Edit::none;
    if (!around.overPanels) {
        std::erase_if(input.presses, [&](const MousePress& p) {
            bool taken = false;
            const Edit done = press(p, around, camera, scene, &taken);
            if (done != Edit::none) edit = done;
            return taken;
        });
    }
    if (pressed_ && !input.down(MouseButton::left)) {
        if (std::hypot(input.x - pressed_->x, input.y - pressed_->y) < kClickDistance) {
            const auto seen = pick(scene, camera, pressed_->x, pressed_->y, around.window.width,
                                   around.window.height);
            selected_ = seen && seen->sphere < count ? seen->sphere : -1;
        }
        pressed_.reset();
    }
    if (!grab_) return edit;
    if (!input.down(MouseButton::left) || selected_ < 0) {
        const bool moved = grab_->moved;
        grab_.reset();
        return moved ? Edit::changed : edit;
    }
    const Edit dragged = drag(input, around, camera, scene);
    return dragged != Edit::none ? dragged : edit;
}

Edit SceneEditor::press(const MousePress& press, const Steering::Surroundings& around,
                        const Camera& camera, Scene& scene, bool* taken) {
    if (press.button != MouseButton::left || press.alt || press.twice) return Edit::none;
    const Place place{press.x, press.y};
    if (placing_) {
        *taken = true;
        placing_ = false;
        return add(scene, sphereAt(scene, camera, around.window, place));
    }
    const auto seen =
        pick(scene, camera, press.x, press.y, around.window.width, around.window.height);
    pressed_ = place;
    if (!seen || seen->sphere != selected_ || selected_ >= static_cast<int>(scene.spheres.size()))
        return Edit::none;
    *taken = true;
    const Sphere& sphere = scene.spheres[selected_];
    Grab grab{seen->point, sphere, 0, false};
    if (const auto middle = placeOf(camera, around.window, sphere.center))
        grab.distance = std::hypot(press.x - middle->x, press.y - middle->y);
    grab_ = grab;
    return Edit::none;
}

Edit SceneEditor::drag(const Input& input, const Steering::Surroundings& around,
                       const Camera& camera, Scene& scene) {
    if (pressed_ && std::hypot(input.x - pressed_->x, input.y - pressed_->y) < kClickDistance)
        return Edit::none;
    pressed_.reset();
    Sphere sphere = grab_->sphere;
    const Place cursor{input.x, input.y};
    const CameraParams<double> p = paramsOf(camera, around.window);
    if (input.down(Key::shift)) {
        const auto middle = placeOf(camera, around.window, sphere.center);
        if (!middle) return Edit::none;
        const double further =
            std::hypot(cursor.x - middle->x, cursor.y - middle->y) - grab_->distance;
        sphere.radius = std::clamp(sphere.radius + further * unitAt(p, around.window, grab_->point),
                                   kMinRadius, kMaxCoordinate);
    } else {
        const Vec3<double> to = onPlane(p, around.window, cursor, grab_->point);
        sphere.center = clamped(sphere.center + (to - grab_->point));
    }
    if (sphere == scene.spheres[selected_]) return Edit::none;
    scene.spheres[selected_] = sphere;
    grab_->moved = true;
    return Edit::moving;
}

Edit SceneEditor::remove(Scene& scene) {
    if (scene.spheres.size() < 2) return Edit::none;
    if (!has(scene)) return Edit::none;
    scene.spheres.erase(scene.spheres.begin() + selected_);
    selected_ = -1;
    grab_.reset();
    return Edit::changed;
}

Edit SceneEditor::duplicate(Scene& scene) {
    if (!has(scene)) return Edit::none;
    Sphere copy = scene.spheres[selected_];
    copy.center = clamped(copy.center + cameraFrame(scene.camera).right * (2 * copy.radius));
    return add(scene, copy);
}

Edit SceneEditor::add(Scene& scene, const Sphere& sphere) {
    if (scene.spheres.size() >= static_cast<size_t>(kMaxSpheres)) return Edit::none;
    scene.spheres.push_back(sphere);
    selected_ = static_cast<int>(scene.spheres.size()) - 1;
    return Edit::changed;
}

}  // namespace rayscope
