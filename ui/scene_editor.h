#pragma once

#include <glm/vec2.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/shared_scene.h"
#include "ui/steering.h"

// Spheres edited with the mouse in the picture. Knows neither GLFW nor ImGui.

namespace rayscope {

/// A place in the window, in screen units from the top left.
using Place = glm::dvec2;

/// Where a point is seen, as through the middle of the lens; nothing where it lies behind the
/// camera.
std::optional<Place> placeOf(const Camera& camera, Size window, const glm::dvec3& point);

/// The sphere's rim as it is seen, a closed line; empty where part of it lies behind the camera or
/// the camera is inside.
std::vector<Place> outlineOf(const Sphere& sphere, const Camera& camera, Size window);

/// A sphere that lies on what is seen at this place or, over the sky, in the plane of focus; as
/// large as twelve of them are in the height of the window there.
Sphere sphereAt(const Scene& scene, const Camera& camera, Size window, Place place);

/// The name of a scene that is no longer the one it was.
std::string editedName(const std::string& name);

/// What has become of the scene in this frame.
enum class Edit {
    none,
    moving,   ///< a sphere is under way: only its place or size
    changed,  ///< for good
};

class SceneEditor {
public:
    /// The selected sphere's index; below 0: none.
    int selected() const { return selected_; }
    void select(int sphere) { selected_ = sphere; }
    /// The selected sphere is one of the scene's.
    bool has(const Scene& scene) const {
        return selected_ >= 0 && selected_ < static_cast<int>(scene.spheres.size());
    }
    /// The next click into the picture adds a sphere.
    bool placing() const { return placing_; }
    void place(bool placing) { placing_ = placing; }
    /// Nothing is dragged or waited for any more.
    void letGo() {
        placing_ = false;
        grab_.reset();
        pressed_.reset();
    }
    /// A sphere is being dragged.
    bool dragging() const { return grab_.has_value(); }

    /// One frame of input, from which is taken what does not steer the camera any more: a click
    /// selects, a drag of the selected sphere moves it, beside the picture's plane; with Shift it
    /// changes the radius.
    Edit steer(Input& input, const Steering::Surroundings& around, const Camera& camera,
               SharedScene& scene);

    /// Each returns what it has done to the scene. One sphere stays.
    Edit remove(SharedScene& scene);
    Edit duplicate(SharedScene& scene);
    Edit add(SharedScene& scene, const Sphere& sphere);

private:
    /// Of a drag: where the cursor took hold, and of what.
    struct Grab {
        glm::dvec3 point;
        Sphere sphere;
        double distance = 0;  ///< of the cursor from the centre, screen units
        bool moved = false;
    };
    Edit press(const MousePress& press, const Steering::Surroundings& around, const Camera& camera,
               SharedScene& scene, bool* taken);
    Edit drag(const Input& input, const Steering::Surroundings& around, const Camera& camera,
              SharedScene& scene);

    int selected_ = -1;
    bool placing_ = false;
    std::optional<Grab> grab_;
    std::optional<Place> pressed_;  ///< of a click that may become a drag of the camera
};

}  // namespace rayscope
