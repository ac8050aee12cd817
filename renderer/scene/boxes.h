#pragma once

#include <glm/common.hpp>

#include "renderer/scene/bvh.h"

namespace rayscope {

/// The box around both.
inline Box united(const Box& a, const Box& b) {
    return {glm::min(a.low, b.low), glm::max(a.high, b.high)};
}

/// Half the surface of a box with these edges.
inline double halfArea(const glm::dvec3& edges) {
    return edges.x * edges.y + edges.y * edges.z + edges.z * edges.x;
}

}  // namespace rayscope
