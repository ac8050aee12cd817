#include "renderer/scene/half_corners.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <limits>
#include <memory>
#include <utility>

#include "renderer/scene/mesh.h"
#include "renderer/scene/places.h"

namespace rayscope {

HalfFrame halfFrame(const Scene& scene) {
    glm::vec3 low(std::numeric_limits<float>::infinity()), high = -low;
    for (const SceneMesh& placed : scene.meshes) {
        for (const glm::vec3& corner : placed.mesh->corners) {
            low = glm::min(low, corner);
            high = glm::max(high, corner);
        }
    }
    if (!(low.x <= high.x)) return {{0, 0, 0}, 1};
    const glm::vec3 middle = low + (high - low) / 2.f;
    const glm::vec3 half = glm::max(high - middle, middle - low);
    int exponent = 0;
    std::frexp(std::max({half.x, half.y, half.z}) / kMostHalf, &exponent);
    return {{middle.x, middle.y, middle.z}, std::ldexp(1.f, exponent)};
}

Scene withHalfCorners(const Scene& scene, const HalfFrame& frame) {
    const bool places = hasPlaces(scene);
    // here and not later, as copies of lamps would not be rounded
    Scene halved = places ? withLampsFlattened(scene) : scene;
    // kernels look for places where the scene has some, even if these were all lamps
    if (places && !hasPlaces(halved)) halved.meshes[0].places = {Placement(1)};
    for (SceneMesh& placed : halved.meshes) {
        Mesh mesh = *placed.mesh;
        for (glm::vec3& corner : mesh.corners) {
            const Vec3<float> p = rounded({corner.x, corner.y, corner.z}, frame);
            corner = {p.x, p.y, p.z};
        }
        placed.mesh = std::make_shared<const Mesh>(std::move(mesh));
    }
    return halved;
}

}  // namespace rayscope
