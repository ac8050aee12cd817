#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/base/thread_pool.h"

// Kernels that record what rays do, in single precision.

namespace rayscope {

/// Renderer::pathLengths()
PathLengths cpuPathLengths(const Settings& settings, const Scene& scene, const Camera& camera,
                           int width, int height, int samples, ThreadPool& pool,
                           const std::stop_token& stop);

/// Renderer::pixelTimes()
PixelTimes cpuPixelTimes(const Settings& settings, const Scene& scene, const Camera& camera,
                         int width, int height, int samples, ThreadPool& pool,
                         const std::stop_token& stop);

}  // namespace rayscope
