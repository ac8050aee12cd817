#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "ui/scene_panel.h"

namespace rayscope {

namespace {

constexpr double kPickDistance = 3;  ///< screen units; further is a drag
constexpr int kOutlinePoints = 96;
constexpr double kInWindow = 12;  ///< new spheres in the height of the window
constexpr const char* kEdited = "-edited";

ImagePlane planeOf(const Camera& camera, Size window) {
    return imagePlane(camera, window.width, window.height);
}

/// Of a point, in units of the distance in focus.
double depthOf(const Camera& camera, const glm::dvec3& point) {
    return glm::dot(point - camera.from, cameraFrame(camera).forward) / camera.focus;
}

/// The height of the window at that point.
double heightAt(const Camera& camera, Size window, const glm::dvec3& point) {
    return depthOf(camera, point) * glm::length(planeOf(camera, window).up);
}

/// Where the ray through a place meets the plane through a point that faces the camera.
glm::dvec3 onPlane(const Camera& camera, Size window, Place place, const glm::dvec3& point) {
    const glm::dvec3 target =
        planeOf(camera, window).at(place.x / window.width - .5, .5 - place.y / window.height);
    return camera.from + target * depthOf(camera, point);
}

glm::dvec3 clamped(const glm::dvec3& v) {
    return glm::clamp(v, -kMaxCoordinate, kMaxCoordinate);
}

}  // namespace

std::optional<Place> placeOf(const Camera& camera, Size window, const glm::dvec3& point) {
    const double depth = depthOf(camera, point);
    if (depth <= 0) return {};
    const glm::dvec3 to = (point - camera.from) / depth;
    const ImagePlane plane = planeOf(camera, window);
    const double right = glm::dot(to, plane.right) / glm::dot(plane.right, plane.right);
    const double up = glm::dot(to, plane.up) / glm::dot(plane.up, plane.up);
    return Place{(right + .5) * window.width, (.5 - up) * window.height};
}

std::vector<Place> outlineOf(const Sphere& sphere, const Camera& camera, Size window) {
    const glm::dvec3 to = sphere.center - camera.from;
    const double distance = glm::length(to), sine = sphere.radius / distance;
    if (!(sine < 1)) return {};
    // the circle in which the cone of tangents touches the sphere
    const glm::dvec3 axis = to / distance;
    const glm::dvec3 middle = sphere.center - axis * (sphere.radius * sine);
    const glm::dvec3 across = std::abs(axis.x) < .6 ? glm::dvec3{1, 0, 0} : glm::dvec3{0, 1, 0};
    const glm::dvec3 u =
        glm::normalize(glm::cross(axis, across)) * (sphere.radius * std::sqrt(1 - sine * sine));
    const glm::dvec3 v = glm::cross(axis, u);
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
    const auto seen = pick(scene, camera, place.x, place.y, window);
    const glm::dvec3 ahead = camera.from + cameraFrame(camera).forward * camera.focus;
    const glm::dvec3 point = seen ? seen->point : onPlane(camera, window, place, ahead);
    Sphere sphere;
    sphere.radius =
        std::clamp(heightAt(camera, window, point) / kInWindow / 2, kMinRadius, kMaxCoordinate);
    if (!seen) {
        sphere.center = clamped(point);
        return sphere;
    }
    const glm::dvec3 facing = glm::faceforward(seen->normal, point - camera.from, seen->normal);
    sphere.center = clamped(point + facing * sphere.radius);
    return sphere;
}

std::string editedName(const std::string& name) {
    return name.ends_with(kEdited) ? name : name + kEdited;
}

Edit SceneEditor::steer(Input& input, const Steering::Surroundings& around, const Camera& camera,
                        SharedScene& scene) {
    if (!has(scene)) selected_ = -1;
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
        if (glm::distance(Place{input.x, input.y}, *pressed_) < kPickDistance) {
            const auto seen = pick(scene, camera, pressed_->x, pressed_->y, around.window);
            selected_ = seen ? seen->sphere : -1;
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
                        const Camera& camera, SharedScene& scene, bool* taken) {
    if (press.button != MouseButton::left || press.alt || press.twice) return Edit::none;
    const Place place{press.x, press.y};
    if (placing_) {
        *taken = true;
        placing_ = false;
        return add(scene, sphereAt(scene, camera, around.window, place));
    }
    const auto seen = pick(scene, camera, press.x, press.y, around.window);
    pressed_ = place;
    if (!has(scene) || !seen || seen->sphere != selected_) return Edit::none;
    *taken = true;
    const Sphere& sphere = scene->spheres[selected_];
    Grab grab{seen->point, sphere, 0, false};
    if (const auto middle = placeOf(camera, around.window, sphere.center))
        grab.distance = glm::distance(place, *middle);
    grab_ = grab;
    return Edit::none;
}

Edit SceneEditor::drag(const Input& input, const Steering::Surroundings& around,
                       const Camera& camera, SharedScene& scene) {
    const Place cursor{input.x, input.y};
    if (pressed_ && glm::distance(cursor, *pressed_) < kPickDistance) return Edit::none;
    pressed_.reset();
    Sphere sphere = grab_->sphere;
    if (input.down(Key::shift)) {
        const auto middle = placeOf(camera, around.window, sphere.center);
        if (!middle) return Edit::none;
        const double further = glm::distance(cursor, *middle) - grab_->distance;
        const double unit = heightAt(camera, around.window, grab_->point) / around.window.height;
        sphere.radius = std::clamp(sphere.radius + further * unit, kMinRadius, kMaxCoordinate);
    } else {
        const glm::dvec3 to = onPlane(camera, around.window, cursor, grab_->point);
        sphere.center = clamped(sphere.center + (to - grab_->point));
    }
    if (sphere == scene->spheres[selected_]) return Edit::none;
    scene.change([&](Scene& s) {
        s.spheres[selected_] = sphere;
        standStill(s, selected_);
    });
    grab_->moved = true;
    return Edit::moving;
}

Edit SceneEditor::remove(SharedScene& scene) {
    if (shapeCount(scene) < 2 || !has(scene)) return Edit::none;
    scene.change([&](Scene& s) {
        s.spheres.erase(s.spheres.begin() + selected_);
        standStill(s, selected_);
    });
    selected_ = -1;
    grab_.reset();
    return Edit::changed;
}

Edit SceneEditor::duplicate(SharedScene& scene) {
    if (!has(scene)) return Edit::none;
    Sphere copy = scene->spheres[selected_];
    copy.center = clamped(copy.center + cameraFrame(scene->camera).right * (2 * copy.radius));
    return add(scene, copy);
}

Edit SceneEditor::add(SharedScene& scene, const Sphere& sphere) {
    if (scene->spheres.size() >= static_cast<size_t>(kMaxSpheres)) return Edit::none;
    scene.change([&](Scene& s) { s.spheres.push_back(sphere); });
    selected_ = static_cast<int>(scene->spheres.size()) - 1;
    return Edit::changed;
}

}  // namespace rayscope
