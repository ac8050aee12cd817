#pragma once

#include <optional>

#include "renderer/scene/scene.h"

namespace rayscope {

/// The nearest point of the scene seen through a place in the window.
struct Pick {
    glm::dvec3 point;
    int sphere;  ///< its index; -1: the floor
};

/// x, y from the top left, in the units of width and height. Double precision, through the middle
/// of the lens. Nothing where only the sky is seen.
std::optional<Pick> pick(const Scene& scene, const Camera& camera, double x, double y, int width,
                         int height);

}  // namespace rayscope
