#pragma once

#include <optional>
#include <string_view>

#include "renderer/scene/scene.h"

namespace rayscope {

/// The number of spheres in a name such as "field-1000"; nothing if the name has another form or
/// the number is not in 2..kMaxSpheres.
std::optional<int> fieldCount(std::string_view name);

/// The same for "grid-1000".
std::optional<int> gridCount(std::string_view name);

/// The number of bodies in "nbody-1000", in 1..kMaxBodies.
std::optional<int> nbodyCount(std::string_view name);

/// A scene of any number of spheres, to see how a method scales: a ground, and spheres with the
/// materials of Ray Tracing in One Weekend that fill the same box at random. The more spheres, the
/// smaller they are, so that they always cover about as much of the picture. The same number gives
/// the same scene.
Scene fieldScene(int spheres);

/// The same with the spheres on a cubic grid, layer by layer.
Scene gridScene(int spheres);

}  // namespace rayscope
