#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/cuda/launch_ring.h"
#include "renderer/cuda/loaded_kernel.h"

namespace rayscope {

/// Rows of the pass under way that are rendered at one go, from film.cursor on.
struct Band {
    const Settings& settings;
    const Camera& camera;
    const Film& film;
    int rows;
};

/// Launch parameters of a band, but for the counters. Brings the scene to where the kernel reads
/// it.
template <class Real>
LaunchParams<Real> bandParams(LoadedKernel& kernel, DeviceScene& scene, const Band& band);

/// Launches Stage::whole: one thread a pixel. Begins the ring's next launch.
cudaError_t launchPixels(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                         LaunchRing& ring);

}  // namespace rayscope
