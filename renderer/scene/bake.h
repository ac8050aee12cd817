#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace rayscope {

/// The source text that replaces core/baked_scene.h in kernels with SceneMemory::baked: the
/// spheres' geometry as packScene() writes it, in double precision. For scenes of at most
/// kMaxBakedSpheres.
std::string bakedScene(const Scene& scene);

/// Identifies a baked scene in Traits::baked; never 0.
unsigned bakedId(const std::string& bakedScene);

}  // namespace rayscope
