#pragma once

#include <glm/vec3.hpp>
#include <optional>
#include <span>

#include "renderer/scene/scene.h"

// Where a ray of the window's own, in double precision, intersects shapes.

namespace rayscope {

struct Meeting {
    double distance;
    glm::dvec3 normal;  ///< a unit vector, on either side
};

/// Distance along a unit direction, or 0 where the sphere is missed or lies behind.
double sphereDistance(const Sphere& sphere, const glm::dvec3& origin, const glm::dvec3& direction,
                      double epsilon);

/// The nearest of some triangles of a mesh (Moller and Trumbore 1997, "Fast, Minimum Storage
/// Ray/Triangle Intersection"), not in a hole of its texture.
std::optional<Meeting> meet(const SceneMesh& placed, std::span<const Triangle> faces,
                            const glm::dvec3& origin, const glm::dvec3& direction, double epsilon);

}  // namespace rayscope
