#pragma once

#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/renderer.h"

namespace rayscope {

/// Renderer::pathLengths() by a kernel of its own, in single precision.
PathLengths cudaPathLengths(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                            const Camera& camera, int width, int height, int samples);

}  // namespace rayscope
