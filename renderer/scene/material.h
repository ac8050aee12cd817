#pragma once

#include <glm/vec3.hpp>

#include "renderer/core/types.h"

namespace rayscope {

/// The material of a shape; `kind` says which of the other fields are read.
struct Material {
    MaterialKind kind = MaterialKind::lambert;
    glm::dvec3 albedo{.8, .8, .8};
    glm::dvec3 emission{0, 0, 0};
    double roughness = 0;  ///< metal: radius of the ball added to the mirror direction
    double index = 1.5;    ///< dielectric, glass: index of refraction
    bool operator==(const Material&) const = default;
};

}  // namespace rayscope
