#include "renderer/scene/field.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <random>

namespace rayscope {

namespace {

constexpr std::string_view kPrefix = "field-";
constexpr double kWidth = 8, kHeight = 3;  ///< of the box, whose floor is a square
/// Of the box that the spheres fill: they overlap a little.
constexpr double kFilled = .12;

/// Numbers from 0 to 1; the standard fixes this generator's output, not that of distributions.
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

}  // namespace

std::optional<int> fieldCount(std::string_view name) {
    if (!name.starts_with(kPrefix)) return {};
    name.remove_prefix(kPrefix.size());
    int count = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), count);
    if (error != std::errc() || end != name.data() + name.size()) return {};
    if (count < 2 || count > kMaxSpheres) return {};
    return count;
}

Scene fieldScene(int spheres) {
    Scene scene;
    scene.name = fmt::format("{}{}", kPrefix, spheres);
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
    const double radius = std::cbrt(volume * 3 / (4 * M_PI));
    Uniform random;
    for (int i = 1; i < spheres; ++i) {
        const double x = kWidth * (random() - .5), y = kHeight * random();
        const double z = kWidth * (random() - .5);
        scene.spheres.push_back({{x, y + radius, z}, radius, materialFrom(random)});
    }
    return scene;
}

}  // namespace rayscope
