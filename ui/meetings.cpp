#include "ui/meetings.h"

#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/scene/pack_pictures.h"

namespace rayscope {

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

std::optional<Meeting> meet(const SceneMesh& placed, std::span<const Triangle> faces,
                            const glm::dvec3& origin, const glm::dvec3& direction, double epsilon) {
    const Mesh& mesh = *placed.mesh;
    const auto isHole = [&](const Triangle& face, double u, double v) {
        const Textures* const textures =
            texturesOf(placed, static_cast<std::size_t>(face.material));
        if (textures == nullptr || textures->holesBelow == 0) return false;
        const auto at = [&](int k) { return glm::dvec2(mesh.uvs[face.corners[k]]); };
        const glm::dvec2 place = at(0) * (1 - u - v) + at(1) * u + at(2) * v;
        return isHoleAt(*textures, place.x, place.y);
    };
    std::optional<Meeting> nearest;
    for (const Triangle& face : faces) {
        const glm::dvec3 a(mesh.corners[face.corners[0]]);
        const glm::dvec3 ab = glm::dvec3(mesh.corners[face.corners[1]]) - a;
        const glm::dvec3 ac = glm::dvec3(mesh.corners[face.corners[2]]) - a;
        const glm::dvec3 p = glm::cross(direction, ac), q = glm::cross(origin - a, ab);
        const double inverse = 1 / glm::dot(ab, p);
        const double u = glm::dot(origin - a, p) * inverse, v = glm::dot(direction, q) * inverse;
        if (!(u >= 0 && v >= 0 && u + v <= 1)) continue;
        const double t = glm::dot(ac, q) * inverse;
        if (t > epsilon && (!nearest || t < nearest->distance) && !isHole(face, u, v))
            nearest = {t, glm::normalize(glm::cross(ab, ac))};
    }
    return nearest;
}

}  // namespace rayscope
