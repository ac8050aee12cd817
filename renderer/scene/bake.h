#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace rayscope {

/// The text that stands for core/baked_scene.h in kernels with SceneMemory::baked: the spheres'
/// geometry as packScene writes it, in double precision. Only for scenes of at most
/// kMaxBakedSpheres.
std::string bakedScene(const Scene& scene);

/// Tells baked scenes apart in Traits::baked; never 0.
unsigned bakedId(const std::string& bakedScene);

}  // namespace rayscope
