#include "ui/pick.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

namespace rayscope {

namespace {

/// Distance along a unit direction, or 0 where the sphere is missed or lies behind.
double sphereDistance(const Sphere& sphere, const glm::dvec3& origin, const glm::dvec3& direction,
                      double epsilon) {
    const glm::dvec3 oc = sphere.center - origin;
    const double b = glm::dot(oc, direction);
    const double discriminant = b * b - glm::dot(oc, oc) + sphere.radius * sphere.radius;
    if (!(discriminant > 0)) return 0;
    const double root = std::sqrt(discriminant);
    if (b - root > epsilon) return b - root;
    return b + root > epsilon ? b + root : 0;
}

}  // namespace

std::optional<Pick> pick(const Scene& scene, const Camera& camera, double x, double y, int width,
                         int height) {
    const glm::dvec3 target = imagePlane(camera, width, height).at(x / width - .5, .5 - y / height);
    const glm::dvec3 origin = camera.from + target * (camera.start / camera.focus);
    const glm::dvec3 direction = glm::normalize(target);
    double nearest = std::numeric_limits<double>::infinity();
    std::optional<int> sphere;
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
        const double t = sphereDistance(scene.spheres[i], origin, direction, scene.epsilon);
        if (t <= 0 || t >= nearest) continue;
        nearest = t;
        sphere = static_cast<int>(i);
    }
    if (scene.floor) {
        const double t = -origin.z / direction.z;
        if (t > scene.epsilon && t < nearest) {
            nearest = t;
            sphere = -1;
        }
    }
    if (!sphere) return std::nullopt;
    return Pick{origin + direction * nearest, *sphere};
}

}  // namespace rayscope
