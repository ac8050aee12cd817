#pragma once

// Scenes of triangles for tests.

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "renderer/scene/scene.h"
#include "tests/random_points.h"

namespace rayscope {

inline Material materialOfKind(MaterialKind kind, double albedo, double emission = 0) {
    Material m;
    m.kind = kind;
    m.albedo = glm::dvec3(albedo);
    m.emission = glm::dvec3(emission);
    return m;
}

/// The cube from -1 to 1, seen from outside.
inline Mesh cube() {
    Mesh mesh;
    for (int k = 0; k < 8; ++k)
        mesh.corners.emplace_back(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    constexpr int kSides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& s : kSides) {
        mesh.faces.push_back({{s[0], s[1], s[2]}, 0});
        mesh.faces.push_back({{s[0], s[2], s[3]}, 0});
    }
    mesh.materials = {materialOfKind(MaterialKind::lambert, .8)};
    return mesh;
}

/// The unit sphere, 12 4^levels triangles, with normals if wanted.
inline Mesh ball(int levels, bool smooth = false) {
    Mesh mesh = cube();
    for (int level = 0; level < levels; ++level) {
        std::map<std::pair<int, int>, int> middles;
        const auto middle = [&](int a, int b) {
            const auto [known, fresh] =
                middles.emplace(std::minmax(a, b), static_cast<int>(mesh.corners.size()));
            if (fresh) mesh.corners.push_back((mesh.corners[a] + mesh.corners[b]) * .5f);
            return known->second;
        };
        std::vector<Triangle> faces;
        for (const auto& [corners, material] : mesh.faces) {
            const auto [a, b, c] = corners;
            const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            for (const std::array<int, 3> f : {std::array{a, ab, ca}, std::array{ab, b, bc},
                                               std::array{ca, bc, c}, std::array{ab, bc, ca}})
                faces.push_back({f, material});
        }
        mesh.faces = std::move(faces);
    }
    for (glm::vec3& c : mesh.corners) c = glm::normalize(c);
    if (smooth) mesh.normals = mesh.corners;
    return mesh;
}

inline SceneMesh placed(Mesh mesh) {
    return {std::make_shared<const Mesh>(std::move(mesh))};
}

/// A mesh under a uniform sky, seen from (0, 0, 5).
inline Scene sceneOf(Mesh mesh, double sky = 0) {
    Scene scene;
    scene.name = "triangles";
    scene.sky = {SkyKind::gradient, {sky, sky, sky}, {sky, sky, sky}};
    scene.camera.from = {0, 0, 5};
    scene.camera.to = {0, 0, 0};
    scene.camera.vfov = 40;
    scene.epsilon = 1e-4;
    scene.meshes.push_back(placed(std::move(mesh)));
    return scene;
}

/// A box that shines as much as it absorbs: whoever looks at its walls sees 1.
inline Scene furnace() {
    Mesh mesh = cube();
    mesh.materials = {materialOfKind(MaterialKind::lambert, .5, .5)};
    Scene scene = sceneOf(mesh);
    scene.camera.from = {.3, .2, .4};
    scene.epsilon = 1e-6;
    scene.depth = kMaxDepth;
    return scene;
}

/// A ray that leaves within epsilon of an edge may pass the wall there: one in a million.
inline auto pixelsNotOne(const std::vector<Pixel>& pixels) {
    return std::count_if(pixels.begin(), pixels.end(),
                         [](const Pixel& p) { return std::abs(p.g / p.samples - 1) > 1e-5; });
}

/// check(scene, moved) for balls of few and of many triangles with spheres beside them, of which
/// the first `moved` are to be moved, and for a single triangle.
template <class Check>
void forTreesOfAllSizes(const Check& check) {
    for (const int levels : {0, 1, 4}) {
        Scene scene = sceneOf(ball(levels));
        for (const int spheres : {0, 1, 300}) {
            Twister random(2);
            scene.spheres.clear();
            for (int i = 0; i < spheres; ++i)
                scene.spheres.push_back({pointIn(random, 2), uniform(random, .01, .1), {}});
            for (const int moved : {0, 1, 300}) check(scene, std::min(moved, spheres));
        }
    }
    Mesh one = cube();
    one.faces.resize(1);
    check(sceneOf(one), 0);
}

}  // namespace rayscope
