#include "renderer/scene/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "renderer/scene/numbered.h"

namespace rayscope {

namespace {

constexpr Numbered kFieldFamilies[] = {{"field-", 2, kMaxSpheres, "spheres"},
                                       {"grid-", 2, kMaxSpheres, "spheres"},
                                       {"nbody-", 1, kMaxBodies, "bodies"}};
constexpr const Numbered &kField = kFieldFamilies[0], &kGrid = kFieldFamilies[1],
                         &kNbody = kFieldFamilies[2];
constexpr double kWidth = 8, kHeight = 3;  ///< of the box, whose floor is a square
/// The spheres' volume as a share of the box's. They overlap a little.
constexpr double kFilled = .12;

/// Uniform in [0, 1). The standard fixes the output of this generator, but not of distributions.
class Uniform {
public:
    double operator()() { return static_cast<double>(bits_() >> 8) / (1 << 24); }

private:
    std::mt19937 bits_{1};
};

Material materialFrom(Uniform& random) {
    Material m;
    const double choice = random();
    const double r = random(), g = random(), b = random();
    if (choice < .8) {
        m.albedo = {r * r, g * g, b * b};
    } else if (choice < .95) {
        m.kind = MaterialKind::metal;
        m.albedo = {.5 + .5 * r, .5 + .5 * g, .5 + .5 * b};
        m.roughness = .5 * random();
    } else {
        m.kind = MaterialKind::dielectric;
        m.albedo = {1, 1, 1};
    }
    return m;
}

/// A scene with nothing but the ground. Sets the radius of the spheres that are to fill the box.
Scene emptyBox(const Numbered& family, int spheres, double* radius) {
    Scene scene;
    scene.name = fmt::format("{}{}", family.prefix, spheres);
    scene.title = fmt::format("{} spheres in a box, to see how methods scale", spheres);
    scene.sky = {SkyKind::gradient, {1, 1, 1}, {.5, .7, 1}};
    scene.display.gamma = 2;
    scene.camera.from = {9, 4.5, 9};
    scene.camera.to = {0, 1, 0};
    scene.camera.up = {0, 1, 0};
    scene.camera.vfov = 36;
    scene.spheres.push_back({{0, -1000, 0}, 1000, {}});
    scene.spheres[0].material.albedo = {.5, .5, .5};
    const double volume = kFilled * kWidth * kWidth * kHeight / (spheres - 1);
    *radius = std::cbrt(volume * 3 / (4 * M_PI));
    return scene;
}

}  // namespace

std::span<const Numbered> numberedFields() {
    return kFieldFamilies;
}

std::optional<int> fieldCount(std::string_view name) {
    return numberIn(name, kField);
}

std::optional<int> gridCount(std::string_view name) {
    return numberIn(name, kGrid);
}

std::optional<int> nbodyCount(std::string_view name) {
    return numberIn(name, kNbody);
}

Scene fieldScene(int spheres) {
    double radius = 0;
    Scene scene = emptyBox(kField, spheres, &radius);
    Uniform random;
    for (int i = 1; i < spheres; ++i) {
        const double x = kWidth * (random() - .5), y = kHeight * random();
        const double z = kWidth * (random() - .5);
        scene.spheres.push_back({{x, y + radius, z}, radius, materialFrom(random)});
    }
    return scene;
}

Scene gridScene(int spheres) {
    double radius = 0;
    Scene scene = emptyBox(kGrid, spheres, &radius);
    // the fewest cells on a side with which the layers that fit the box's height hold all spheres
    const double cells = std::cbrt((spheres - 1) * kWidth / kHeight);
    const int side = std::max(1, static_cast<int>(std::ceil(cells)));
    const double step = kWidth / side;
    Uniform random;
    for (int i = 0; i + 1 < spheres; ++i) {
        const int x = i % side, z = i / side % side, y = i / side / side;
        const glm::dvec3 center{(x + .5) * step - kWidth / 2, y * step + radius,
                                (z + .5) * step - kWidth / 2};
        scene.spheres.push_back({center, radius, materialFrom(random)});
    }
    return scene;
}

}  // namespace rayscope
