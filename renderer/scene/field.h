#pragma once

#include <optional>
#include <string_view>

#include "renderer/scene/scene.h"

namespace rayscope {

/// How many spheres "field-1000" asks for; nothing where the name is no such name or the number is
/// not in 2..kMaxSpheres.
std::optional<int> fieldCount(std::string_view name);

/// The same of "grid-1000".
std::optional<int> gridCount(std::string_view name);

/// A scene of as many spheres as one likes, to see how a method scales: a ground and spheres of
/// Ray Tracing in One Weekend's materials that fill the same box, smaller the more they are, so
/// that about as much of the picture is covered. The same number gives the same scene.
Scene fieldScene(int spheres);

/// The same, but for where the spheres are: on a cubic grid, layer by layer.
Scene gridScene(int spheres);

}  // namespace rayscope
