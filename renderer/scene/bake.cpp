#include "renderer/scene/bake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>

#include "renderer/core/scene_view.h"

namespace rayscope {

namespace {

/// A row of initialisers per sphere, from the packed geometry.
template <class Geometry>
std::string rows(const Scene& scene) {
    constexpr bool kCurved = sizeof(Geometry) == sizeof(CurvedSphere<double>);
    const PackedScene bytes = packScene<double>(scene, SceneLayout::aos);
    std::string text;
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
        double values[8] = {};
        std::memcpy(values, bytes.data() + i * sizeof(Geometry), sizeof(Geometry));
        text += "    {";
        for (int f = 0; f < (kCurved ? 7 : 4); ++f) text += fmt::format("{:.17g}, ", values[f]);
        text += "},\n";
    }
    return text;
}

bool isGlass(const Material& m) {
    return m.kind == MaterialKind::dielectric || m.kind == MaterialKind::glass;
}

/// The share of a sphere's surface that lies outside `other`, but within `epsilon` of it. Points at
/// a distance from a centre are a circle of the sphere, and so those between two distances a zone,
/// whose area goes with its height.
double shareNear(const Sphere& sphere, const Sphere& other, double epsilon) {
    const double d = glm::distance(sphere.center, other.center);
    if (!(d > 0)) return std::abs(sphere.radius - other.radius) < epsilon ? 1 : 0;
    const auto heightAt = [&](double distance) {
        const double h = (sphere.radius * sphere.radius + d * d - distance * distance) / (2 * d);
        return std::clamp(h, -sphere.radius, sphere.radius);
    };
    return (heightAt(other.radius) - heightAt(other.radius + epsilon)) / (2 * sphere.radius);
}

/// Rays that slip into a sphere from such a share of another's surface are too few to be told from
/// paths that rounding sends elsewhere. Spheres of half a unit that touch the ground, with an
/// epsilon of .001, have half of it.
constexpr double kNegligibleShare = 2e-3;

}  // namespace

std::vector<bool> spheresEntered(const Scene& scene) {
    std::vector<bool> entered(scene.spheres.size());
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
        const Sphere& sphere = scene.spheres[i];
        entered[i] = isGlass(sphere.material);
        for (size_t k = 0; k < scene.spheres.size() && !entered[i]; ++k) {
            if (k == i) continue;
            entered[i] = shareNear(scene.spheres[k], sphere, scene.epsilon) > kNegligibleShare;
        }
    }
    return entered;
}

std::vector<int> spheresAroundCamera(const Scene& scene, const Camera& camera, int width,
                                     int height) {
    const ImagePlane image = imagePlane(camera, width, height);
    const double start = camera.start / camera.focus;
    const glm::dvec3 middle = camera.from + image.forward * start;
    // the tent filter reaches beyond the image
    const glm::dvec3 right = image.right * (start * (.5 + 1. / width));
    const glm::dvec3 up = image.up * (start * (.5 + 1. / height));
    const auto along = [](const glm::dvec3& v, const glm::dvec3& edge) {
        const double length2 = glm::dot(edge, edge);
        return length2 > 0 ? std::clamp(glm::dot(v, edge) / length2, -1., 1.) : 0.;
    };
    std::vector<int> found;
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
        const Sphere& s = scene.spheres[i];
        if (isGlass(s.material)) continue;
        const glm::dvec3 v = s.center - middle;  // to the nearest point of a rectangle
        const glm::dvec3 nearest = middle + right * along(v, right) + up * along(v, up);
        const double reach = s.radius + std::sqrt(2.) * camera.lensRadius + 2 * scene.epsilon;
        if (glm::distance(nearest, s.center) < reach) found.push_back(static_cast<int>(i));
    }
    return found;
}

std::string bakedScene(const Scene& scene) {
    const bool curved = (traitsOf(scene).features & kWalls) != 0;
    std::string entered;
    for (const bool e : spheresEntered(scene)) entered += e ? "true, " : "false, ";
    return fmt::format(
        "#pragma once\n"
        "namespace rayscope {{\n"
        "inline constexpr int kBakedSpheres = {0};\n"
        "inline constexpr double kBakedScene[{1}][7] = {{\n{2}}};\n"
        "inline constexpr bool kBakedFar[{1}] = {{{3}}};\n"
        "}}\n",
        scene.spheres.size(), std::max<size_t>(scene.spheres.size(), 1),
        curved ? rows<CurvedSphere<double>>(scene) : rows<CenterSphere<double>>(scene), entered);
}

unsigned bakedId(const std::string& bakedScene) {
    unsigned h = 2166136261u;  // FNV-1a (Fowler, Noll and Vo), 32 bit
    for (unsigned char c : bakedScene) h = (h ^ c) * 16777619u;
    return h == 0 ? 1 : h;
}

}  // namespace rayscope
