#pragma once

#include "renderer/cpu/thread_pool.h"
#include "renderer/renderer.h"

namespace rayscope {

/// Renderer::pathLengths() by kernels of its own, in single precision.
PathLengths cpuPathLengths(const Settings& settings, const Scene& scene, const Camera& camera,
                           int width, int height, int samples, ThreadPool& pool);

}  // namespace rayscope
