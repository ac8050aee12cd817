#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/base/thread_pool.h"
#include "renderer/compile/cache.h"

// Kernels that record what rays do, in single precision.

namespace rayscope {

/// The program from the cache, or compiled. Throws std::runtime_error where that fails or is
/// stopped.
CompiledKernel compiledOrThrow(const KernelProgram& program,
                               const std::vector<KernelSource>& sources,
                               const std::stop_token& stop);

/// Renderer::pathLengths()
PathLengths cpuPathLengths(const Settings& settings, const Scene& scene, const Camera& camera,
                           int width, int height, int samples, ThreadPool& pool,
                           const std::stop_token& stop);

/// Renderer::pixelTimes()
PixelTimes cpuPixelTimes(const Settings& settings, const Scene& scene, const Camera& camera,
                         int width, int height, int samples, ThreadPool& pool,
                         const std::stop_token& stop);

}  // namespace rayscope
