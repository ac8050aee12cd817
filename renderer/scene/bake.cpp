#include "renderer/scene/bake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <span>

#include "renderer/core/scene_view.h"
#include "renderer/scene/baked_boxes.h"

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

/// A row for each box: the middle and half the extent along each axis.
std::string rows(std::span<const BakedBox> boxes) {
    std::string text;
    for (const BakedBox& b : boxes) {
        const glm::dvec3 middle = (b.box.low + b.box.high) / 2.,
                         half = (b.box.high - b.box.low) / 2.;
        text += "    {";
        for (int a = 0; a < 3; ++a)
            text += fmt::format("{{{:.17g}, {:.17g}}}, ", middle[a], half[a]);
        text += "},\n";
    }
    return text;
}

bool isGlass(const Material& m) {
    return m.kind == MaterialKind::dielectric || m.kind == MaterialKind::glass;
}

/// The share of a sphere's surface from which a ray slips through that of `other`, because it is
/// within `epsilon` of it on this side. Points at a distance from a centre are a circle of the
/// sphere, and so those between two distances a zone, whose area goes with its height.
double shareNear(const Sphere& sphere, const Sphere& other, PathSide side, double epsilon) {
    const double d = glm::distance(sphere.center, other.center);
    const double end = other.radius + (side == PathSide::outside ? epsilon : -epsilon);
    if (!(d > 0)) {
        const auto [low, high] = std::minmax(other.radius, end);
        return low <= sphere.radius && sphere.radius <= high ? 1 : 0;
    }
    const auto heightAt = [&](double distance) {
        const double h = (sphere.radius * sphere.radius + d * d - distance * distance) / (2 * d);
        return std::clamp(h, -sphere.radius, sphere.radius);
    };
    return std::abs(heightAt(other.radius) - heightAt(end)) / (2 * sphere.radius);
}

/// Such shares are too small to be told from what rounding does to paths. Where spheres touch, the
/// points are in a cleft that few paths reach; half a unit and an epsilon of .001 make .001.
constexpr double kNegligibleOfCrossing = 1e-5;
constexpr double kNegligibleOfTouching = 2e-3;

bool slipThrough(const Sphere& from, const Sphere& into, PathSide side, double epsilon) {
    const glm::dvec3 apart = from.center - into.center;
    const double reach = from.radius + into.radius + epsilon;
    if (glm::dot(apart, apart) > reach * reach) return false;  // quickly: this is asked each launch
    const double d = glm::length(apart);
    const bool crosses = d < from.radius + into.radius - epsilon &&
                         d > std::abs(from.radius - into.radius) + epsilon;
    return shareNear(from, into, side, epsilon) >
           (crosses ? kNegligibleOfCrossing : kNegligibleOfTouching);
}

/// The rectangle on which camera rays start, by its middle and halves of its edges.
struct Starts {
    glm::dvec3 middle, right, up;
    double lens;  ///< how far the lens shifts them

    double nearest(const glm::dvec3& point) const {
        const glm::dvec3 v = point - middle;
        const auto along = [&](const glm::dvec3& edge) {
            const double length2 = glm::dot(edge, edge);
            return length2 > 0 ? std::clamp(glm::dot(v, edge) / length2, -1., 1.) : 0.;
        };
        return glm::length(v - right * along(right) - up * along(up)) - lens;
    }
    double farthest(const glm::dvec3& point) const {
        const glm::dvec3 v = point - middle;
        return std::max({glm::length(v - right - up), glm::length(v - right + up),
                         glm::length(v + right - up), glm::length(v + right + up)}) +
               lens;
    }
};

Starts startsOf(const Camera& camera, int width, int height) {
    const ImagePlane image = imagePlane(camera, width, height);
    const double start = camera.start / camera.focus;
    // the tent filter reaches beyond the image, and a square lens beyond its radius
    return {camera.from + image.forward * start, image.right * (start * (.5 + 1. / width)),
            image.up * (start * (.5 + 1. / height)), std::sqrt(2.) * camera.lensRadius};
}

/// Whether some ray may start elsewhere than on this side of the sphere.
bool inDoubt(const Starts& starts, const Sphere& sphere, PathSide side, double epsilon) {
    const double slack = 2 * epsilon;
    return (side == PathSide::outside && starts.nearest(sphere.center) < sphere.radius + slack) ||
           (side == PathSide::inside && starts.farthest(sphere.center) > sphere.radius - slack);
}

}  // namespace

std::vector<PathSide> sidesOf(const Scene& scene) {
    const Starts starts = startsOf(scene.camera, scene.width, scene.height);
    std::vector<PathSide> sides;
    for (const Sphere& sphere : scene.spheres) {
        const bool outside = glm::distance(starts.middle, sphere.center) > sphere.radius;
        PathSide side = outside ? PathSide::outside : PathSide::inside;
        if (isGlass(sphere.material) || inDoubt(starts, sphere, side, scene.epsilon))
            side = PathSide::both;
        for (const Sphere& other : scene.spheres) {
            if (side == PathSide::both) break;
            if (&other != &sphere && slipThrough(other, sphere, side, scene.epsilon))
                side = PathSide::both;
        }
        sides.push_back(side);
    }
    return sides;
}

std::vector<int> spheresInDoubt(const Scene& scene, const Camera& camera, int width, int height) {
    const Starts starts = startsOf(camera, width, height);
    const std::vector<PathSide> sides = sidesOf(scene);
    std::vector<int> found;
    for (size_t i = 0; i < sides.size(); ++i) {
        const int number = static_cast<int>(i);
        if (inDoubt(starts, scene.spheres[i], sides[i], scene.epsilon))
            found.push_back(sides[i] == PathSide::inside ? ~number : number);
    }
    return found;
}

std::string bakedScene(const Scene& scene) {
    const bool curved = (traitsOf(scene).features & kWalls) != 0;
    std::string sides, boxed;
    bool outside = true;
    auto sphere = scene.spheres.begin();
    for (const PathSide side : sidesOf(scene)) {
        sides += fmt::format("{}, ", static_cast<int>(side));
        outside = outside && (side == PathSide::outside || isGlass(sphere->material));
        ++sphere;
    }
    const std::vector<BakedBox> boxes = curved ? std::vector<BakedBox>() : bakedBoxes(scene);
    std::vector<int> boxOf(scene.spheres.size(), -1);
    for (size_t b = 0; b < boxes.size(); ++b)
        for (const int i : boxes[b].spheres) boxOf[static_cast<size_t>(i)] = static_cast<int>(b);
    for (const int box : boxOf) boxed += fmt::format("{}, ", box);
    return fmt::format(
        "#pragma once\n"
        "namespace rayscope {{\n"
        "inline constexpr int kBakedSpheres = {0};\n"
        "inline constexpr double kBakedScene[{1}][7] = {{\n{2}}};\n"
        "inline constexpr int kBakedSides[{1}] = {{{3}}};\n"
        "inline constexpr bool kBakedOutside = {8};\n"
        "inline constexpr int kBakedBoxes = {4};\n"
        "inline constexpr double kBakedBox[{5}][3][2] = {{\n{6}}};\n"
        "inline constexpr int kBakedBoxOf[{1}] = {{{7}}};\n"
        "}}\n",
        scene.spheres.size(), std::max<size_t>(scene.spheres.size(), 1),
        curved ? rows<CurvedSphere<double>>(scene) : rows<CenterSphere<double>>(scene), sides,
        boxes.size(), std::max<size_t>(boxes.size(), 1), rows(boxes), boxed, outside);
}

unsigned bakedId(const std::string& bakedScene) {
    unsigned h = 2166136261u;  // FNV-1a (Fowler, Noll and Vo), 32 bit
    for (unsigned char c : bakedScene) h = (h ^ c) * 16777619u;
    return h == 0 ? 1 : h;
}

}  // namespace rayscope
