#pragma once

#include <optional>

#include "renderer/backend/renderer.h"
#include "renderer/base/thread_pool.h"
#include "renderer/compile/cache.h"

// Kernels that record what rays do, in single precision.

namespace rayscope {

/// The program from the cache, or compiled; nothing after the request to stop. Throws
/// std::runtime_error where it does not compile.
std::optional<CompiledKernel> compiledUnlessStopped(const KernelProgram& program,
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
