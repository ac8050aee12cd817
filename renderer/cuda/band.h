#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/cuda/loaded_kernel.h"

namespace rayscope {

/// Rows of the pass under way, from its cursor on, that one launch renders.
struct Band {
    LoadedKernel& kernel;
    DeviceScene& scene;
    const Settings& settings;
    const Camera& camera;
    const Film& film;
    const FilmPass& pass;
    int rows;

    const Variant& variant() const { return kernel.variant(); }
};

/// The launch parameters of a band, without the counters. Copies the scene to where the kernel
/// reads it.
template <class Real>
LaunchParams<Real> bandParams(const Band& band);

}  // namespace rayscope
