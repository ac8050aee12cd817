#pragma once

#include <memory>
#include <vector>

#include "renderer/backend/simulator.h"
#include "renderer/core/variant.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

/// Where bodies were at some step, in the memory of a device. May outlive its simulator.
class PlacedBodies {
public:
    virtual ~PlacedBodies() = default;
    /// False if one is too far away to be drawn, or its position is no number.
    virtual bool canBeDrawn() const = 0;
    /// Waits for the device. Throws std::runtime_error.
    virtual std::vector<glm::dvec3> positions() const = 0;
    /// Moves the bodies' spheres, which are its first, in a scene that is packed on the device:
    /// `padded` spheres with those that nothing hits, and no walls. Nothing waits. False, and
    /// nothing moves, where that is another device or precision. Throws std::runtime_error.
    virtual bool place(unsigned char* scene, Precision precision, SceneLayout layout,
                       int padded) const = 0;
};

/// A scene after its spheres have moved by themselves, perhaps only on a device so far: positions
/// pass through the host when somebody there asks for them, and not before. Copies share them.
class MovedScene {
public:
    MovedScene(SharedScene now);
    MovedScene(SharedScene before, std::shared_ptr<const PlacedBodies> bodies);

    /// Waits for the device the first time. Where that fails, as the device is lost, spheres stay
    /// where they were.
    const SharedScene& now() const;
    /// The same but for where spheres are.
    const SharedScene& outline() const;
    /// nullptr: they are on the host alone.
    const PlacedBodies* bodies() const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

/// The scene of a simulator with its bodies where they are now; none if they cannot be drawn.
std::optional<MovedScene> movedBy(Simulator& simulator, const SharedScene& scene);

}  // namespace rayscope
