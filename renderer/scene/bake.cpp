#include "renderer/scene/bake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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

}  // namespace

std::string bakedScene(const Scene& scene) {
    const bool curved = (traitsOf(scene).features & kWalls) != 0;
    return fmt::format(
        "#pragma once\n"
        "namespace rayscope {{\n"
        "inline constexpr int kBakedSpheres = {0};\n"
        "inline constexpr double kBakedScene[{1}][7] = {{\n{2}}};\n"
        "}}\n",
        scene.spheres.size(), std::max<size_t>(scene.spheres.size(), 1),
        curved ? rows<CurvedSphere<double>>(scene) : rows<CenterSphere<double>>(scene));
}

unsigned bakedId(const std::string& bakedScene) {
    unsigned h = 2166136261u;  // FNV-1a (Fowler, Noll and Vo), 32 bit
    for (unsigned char c : bakedScene) h = (h ^ c) * 16777619u;
    return h == 0 ? 1 : h;
}

}  // namespace rayscope
