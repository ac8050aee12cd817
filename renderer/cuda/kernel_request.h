#pragma once

#include "renderer/choices/settings.h"
#include "renderer/cuda/kernel_builder.h"
#include "renderer/scene/scene.h"

// Which kernel settings ask for.

namespace rayscope {

/// What a kernel knows of a scene; `baked`: bakedId() of the scene, 0 where it is too large.
Traits kernelTraits(SceneMemory memory, Traits scene, unsigned baked);

/// The variant with what follows from the scene and the depth.
Variant kernelVariant(const Settings& settings, const Traits& scene, unsigned baked);

/// bakedScene(), or nothing where the scene is too large for that.
std::string bakedTextOf(const Scene& scene);

/// All that the kernel of the settings is built from.
BuildRequest kernelRequest(const Settings& settings, const Scene& scene);

}  // namespace rayscope
