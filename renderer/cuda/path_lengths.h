#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"

// Kernels that record what rays do, in single precision.

namespace rayscope {

/// Renderer::pathLengths()
PathLengths cudaPathLengths(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                            const Camera& camera, int width, int height, int samples,
                            const std::stop_token& stop);

/// Renderer::pixelTimes()
PixelTimes cudaPixelTimes(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                          const Camera& camera, int width, int height, int samples,
                          const std::stop_token& stop);

/// The variants of these kernels, without the scene's traits; for tests.
Variant lengthVariant(const Variant& wish);
Variant timeVariant(const Variant& wish);

}  // namespace rayscope
