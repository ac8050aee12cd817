#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"

// By kernels of their own, in single precision.

namespace rayscope {

/// Renderer::pathLengths()
PathLengths cudaPathLengths(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                            const Camera& camera, int width, int height, int samples,
                            const std::stop_token& stop);

/// Renderer::pixelTimes()
PixelTimes cudaPixelTimes(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                          const Camera& camera, int width, int height, int samples,
                          const std::stop_token& stop);

/// The kernels' variants, without the scene's traits; for tests.
Variant lengthVariant(const Variant& wish);
Variant timeVariant(const Variant& wish);

}  // namespace rayscope
