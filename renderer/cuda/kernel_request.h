#pragma once

#include "renderer/choices/settings.h"
#include "renderer/cuda/kernel_builder.h"
#include "renderer/scene/scene.h"

// From settings and a scene to the kernel that renders them.

namespace rayscope {

/// What a kernel knows of a scene; `baked`: bakedId() of the scene, 0 if it is too large.
Traits kernelTraits(SceneMemory memory, Traits scene, unsigned baked);

/// The variant with what follows from the scene and the depth.
Variant kernelVariant(const Settings& settings, const Traits& scene, unsigned baked);

/// bakedScene(); empty if the scene is too large to be baked.
std::string bakedTextOf(const Scene& scene);

/// Everything that the kernel of the settings is built from.
BuildRequest kernelRequest(const Settings& settings, const Scene& scene);

}  // namespace rayscope
