#pragma once

#include "renderer/choices/settings.h"
#include "renderer/compile/builder.h"
#include "renderer/scene/scene.h"

// From settings and a scene to the kernel that renders them.

namespace rayscope {

/// Everything that the kernel of a variant (kernel_variant.h) is built from. `baked`: bakedTextOf()
/// the scene.
BuildRequest requestOf(const Variant& variant, int source, int architecture,
                       const std::string& baked);

/// The same for settings.
BuildRequest kernelRequest(const Settings& settings, const Scene& scene, int architecture);

}  // namespace rayscope
