#pragma once

#include "renderer/choices/settings.h"

namespace rayscope {

/// What a compiler gets for the scene and the settings consists of numbers, and of words of this
/// program.
void promiseKernelText(const Scene& scene, const Settings& settings);

}  // namespace rayscope
