#pragma once

// A square with pictures on it, and what is seen of them.

#include <cstdint>

#include "tests/made_of_triangles.h"
#include "tests/render_helper.h"

namespace rayscope {

inline constexpr std::uint32_t kRed = 0xff0000ff, kGreen = 0xff00ff00, kBlue = 0xffff0000,
                               kGrey = 0xff808080;

/// A square from -1 to 1 with a picture, all of it `times` times along each side.
inline Mesh squareWith(Picture8 picture, Wrap wrap = Wrap::repeat, float times = 1,
                       float shift = 0) {
    Mesh mesh;
    mesh.corners = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    const float end = times + shift;
    mesh.uvs = {{shift, end}, {end, end}, {end, shift}, {shift, shift}};
    mesh.faces = {{{0, 1, 2}, 0}, {{0, 2, 3}, 0}};
    mesh.materials = {materialOfKind(MaterialKind::lambert, 1)};
    mesh.textures = {{{std::make_shared<const Picture8>(std::move(picture)), wrap, wrap}}};
    return mesh;
}

/// What a ray straight at a point of it sees under a white sky: its colour.
inline glm::dvec3 colourAt(const Mesh& mesh, double x, double y,
                           const std::vector<std::string>& choices = {}) {
    Scene scene = sceneOf(mesh, 1);
    scene.camera.from = {x, y, 5};
    scene.camera.to = {x, y, 0};
    scene.camera.vfov = 1;
    return renderCpu(scene, cpuSettings(scene, choices), 2, 2, 16).mean() * 1.;
}

inline void expectColour(const glm::dvec3& colour, const glm::dvec3& expected,
                         double within = 2e-3) {
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(colour[i], expected[i], within) << i;
}

inline constexpr std::uint32_t kBlack8 = 0xff000000, kWhite8 = 0xffffffff;

/// Two colours beside each other.
inline std::shared_ptr<const Picture8> halves(std::uint32_t left, std::uint32_t right,
                                              int size = 256) {
    Picture8 picture{size, size};
    for (int i = 0; i < size * size; ++i)
        picture.texels.push_back(i % size < size / 2 ? left : right);
    return std::make_shared<const Picture8>(std::move(picture));
}

/// A floor below a lamp whose brightness is a picture; the lamp itself is seen, too.
inline Scene underALamp(const std::shared_ptr<const Picture8>& picture, Wrap wrap = Wrap::repeat) {
    Mesh lamp = squareWith({1, 1, {kWhite8}}, wrap, 1.5, .25);
    lamp.corners = {{-1, 1, 1}, {1, 1, 1}, {1, 1, -1}, {-1, 1, -1}};
    lamp.textures[0] = {{}, {}, {picture, wrap, wrap}};
    lamp.materials[0] = materialOfKind(MaterialKind::lambert, .5, 5);
    Mesh floor = squareWith({1, 1, {kWhite8}});
    floor.corners = {{-3, -1, 3}, {3, -1, 3}, {3, -1, -3}, {-3, -1, -3}};
    floor.materials[0] = materialOfKind(MaterialKind::lambert, .5);
    floor.textures.clear();
    floor.uvs.clear();
    Scene scene = sceneOf(std::move(floor));
    scene.meshes.push_back(placed(std::move(lamp)));
    return scene;
}

}  // namespace rayscope
