// Where a plane cuts the shapes of a scene, for buildSplitBvh().

#include <algorithm>
#include <glm/common.hpp>
#include <memory>

#include "renderer/scene/bvh.h"

namespace rayscope {

namespace {

void add(Box& box, const glm::dvec3& point) {
    box = {glm::min(box.low, point), glm::max(box.high, point)};
}

Halves cutBox(const Box& box, int axis, double plane) {
    Halves halves{box, box};
    halves.below.high[axis] = std::min(halves.below.high[axis], plane);
    halves.above.low[axis] = std::max(halves.above.low[axis], plane);
    return halves;
}

Halves cutTriangle(const glm::dvec3 (&corners)[3], int axis, double plane) {
    Halves halves{kBoxOfNothing, kBoxOfNothing};
    for (int k = 0; k < 3; ++k) {
        const glm::dvec3 &from = corners[k], &to = corners[(k + 1) % 3];
        if (from[axis] <= plane) add(halves.below, from);
        if (from[axis] >= plane) add(halves.above, from);
        if ((from[axis] < plane && plane < to[axis]) || (to[axis] < plane && plane < from[axis])) {
            glm::dvec3 on = glm::mix(from, to, (plane - from[axis]) / (to[axis] - from[axis]));
            on[axis] = plane;
            add(halves.below, on);
            add(halves.above, on);
        }
    }
    return halves;
}

/// The meshes of a scene by the numbers of their first triangles.
struct FirstTriangles {
    std::vector<int> first;
    const Scene& scene;

    explicit FirstTriangles(const Scene& s) : scene(s) {
        int triangles = 0;
        for (const SceneMesh& placed : scene.meshes) {
            first.push_back(triangles);
            triangles += static_cast<int>(placed.mesh->faces.size());
        }
    }
    void corners(int triangle, glm::dvec3 (&to)[3]) const {
        const auto next = std::upper_bound(first.begin(), first.end(), triangle);
        const auto mesh = static_cast<std::size_t>(next - first.begin() - 1);
        const Mesh& own = *scene.meshes[mesh].mesh;
        const Triangle& face = own.faces[static_cast<std::size_t>(triangle - first[mesh])];
        for (int k = 0; k < 3; ++k) to[k] = own.corners[static_cast<std::size_t>(face.corners[k])];
    }
};

}  // namespace

Cut cutOf(const Scene& scene) {
    const auto triangles = std::make_shared<const FirstTriangles>(scene);
    const int spheres = static_cast<int>(scene.spheres.size());
    return [triangles, spheres](int shape, int axis, double plane) {
        if (shape < spheres) {
            const Sphere& s = triangles->scene.spheres[static_cast<std::size_t>(shape)];
            return cutBox({s.center - s.radius, s.center + s.radius}, axis, plane);
        }
        glm::dvec3 corners[3];
        triangles->corners(shape - spheres, corners);
        return cutTriangle(corners, axis, plane);
    };
}

}  // namespace rayscope
