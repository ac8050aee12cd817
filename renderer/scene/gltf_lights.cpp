#include "renderer/scene/gltf_lights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/scene/gltf_buffers.h"
#include "renderer/scene/loose_json.h"
#include "renderer/scene/places.h"
#include "renderer/scene/scene.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// The radius of a lamp that stands for a point, as a share of the model's: too small for soft
/// shadows, and large enough that rays find it.
constexpr double kLampShare = .005;

/// Lamps of a scene with very many lights would hide it.
constexpr int kMostGltfLights = 1000;

/// Triangles of a ball's eighth along a side.
constexpr int kRowsOfLamp = 4;

/// Appends an eighth of a ball between three unit vectors, counter-clockwise from outside.
void addEighth(const std::array<glm::dvec3, 3>& axes, const glm::dvec3& middle, double radius,
               int material, Mesh& mesh) {
    const int first = static_cast<int>(mesh.corners.size());
    const auto number = [&](int row, int i) { return first + row * (row + 1) / 2 + i; };
    for (int row = 0; row <= kRowsOfLamp; ++row) {
        for (int i = 0; i <= row; ++i) {
            const glm::dvec3 p =
                axes[0] * (1. * kRowsOfLamp - row) + axes[1] * (1. * row - i) + axes[2] * (1. * i);
            mesh.corners.emplace_back(middle + radius * glm::normalize(p));
        }
    }
    for (int row = 0; row < kRowsOfLamp; ++row) {
        for (int i = 0; i <= row; ++i) {
            mesh.faces.push_back(
                {{number(row, i), number(row + 1, i), number(row + 1, i + 1)}, material});
            if (i < row)
                mesh.faces.push_back(
                    {{number(row, i), number(row + 1, i + 1), number(row, i + 1)}, material});
        }
    }
}

/// `intensity`: of each colour, per steradian. What shines evenly with the radiance L has the
/// intensity L S / 4 on average over all directions if it is convex and its surface is S.
void addBall(const glm::dvec3& middle, double radius, const glm::dvec3& intensity, Mesh& mesh) {
    const int material = static_cast<int>(mesh.materials.size());
    mesh.materials.push_back({.albedo = {0, 0, 0}});
    mesh.textures.emplace_back();
    const std::size_t first = mesh.faces.size();
    for (const double x : {-1., 1.}) {
        for (const double y : {-1., 1.}) {
            for (const double z : {-1., 1.}) {
                std::array<glm::dvec3, 3> axes{glm::dvec3(x, 0, 0), {0, y, 0}, {0, 0, z}};
                if (x * y * z < 0) std::swap(axes[1], axes[2]);
                addEighth(axes, middle, radius, material, mesh);
            }
        }
    }
    double surface = 0;
    for (std::size_t i = first; i < mesh.faces.size(); ++i)
        surface += doubleArea(mesh, mesh.faces[i]) / 2.;
    mesh.materials.back().emission = glm::min(intensity * 4. / surface, glm::dvec3(kMaxEmission));
}

}  // namespace

void addLights(const json& root, std::span<const GltfPlaces::Other> lights, Mesh& mesh,
               Remarks& remarks) {
    if (lights.empty() || mesh.faces.empty()) return;
    const json& all = member(member(member(root, "extensions"), "KHR_lights_punctual"), "lights");
    const Box bounds = boundsOf(mesh);
    const double size = glm::distance(bounds.low, bounds.high) / 2;
    int added = 0;
    for (const GltfPlaces::Other& placed : lights) {
        const std::string where = fmt::format("lights[{}]", placed.index);
        if (!all.is_array() || placed.index < 0 ||
            placed.index >= static_cast<long long>(all.size()))
            throw GltfProblem{where + " is not there"};
        const json& light = all[static_cast<std::size_t>(placed.index)];
        const std::string type = textOf(member(light, "type"));
        if (type != "point") {
            remarks.add(type == "spot"          ? "spot lights are not shown"
                        : type == "directional" ? "directional lights are not shown; the sky is"
                                                : "lights of unknown types are not shown",
                        where);
            continue;
        }
        const glm::dvec3 intensity =
            glm::max(vectorOr(member(light, "color"), {1, 1, 1}), glm::dvec3(0)) *
            std::max(0., numberOr(member(light, "intensity"), 1));
        const double most = std::max({intensity.x, intensity.y, intensity.z});
        const glm::dvec3 middle(placed.transform[3]);
        if (!(most > 0) || !std::isfinite(most) || !inReach(middle)) continue;
        if (added++ == kMostGltfLights) {
            remarks.add(fmt::format("lights after the first {} are not shown", kMostGltfLights),
                        where);
            return;
        }
        // what shines brighter than a scene's materials may is larger
        const double least = std::sqrt(most / (M_PI * kMaxEmission)) * 1.05;
        addBall(middle, std::max({kLampShare * size, least, kMinRadius}), intensity, mesh);
        remarks.add("point lights become small emissive balls", where);
    }
    if (!mesh.normals.empty()) mesh.normals.resize(mesh.corners.size(), glm::vec3(0));
    if (!mesh.uvs.empty()) mesh.uvs.resize(mesh.corners.size(), glm::vec2(0));
    if (!mesh.colours.empty()) mesh.colours.resize(mesh.corners.size(), glm::vec3(1));
}

}  // namespace rayscope
