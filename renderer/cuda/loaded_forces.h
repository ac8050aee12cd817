#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "renderer/backend/simulator.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/loaded_library.h"

namespace rayscope {

/// A simulation's kernels of a variant, on the device.
class LoadedForces {
public:
    /// Compiles them, unless they are in the cache, and loads them. Throws std::runtime_error.
    LoadedForces(const ForceVariant& variant, int source, const CudaDevice& device);
    LoadedForces(const LoadedForces&) = delete;
    LoadedForces& operator=(const LoadedForces&) = delete;

    const ForceVariant& variant() const { return variant_; }
    /// kernelSourcesVersion() of what they were compiled from.
    unsigned sources() const { return sources_; }
    /// Launches one of stagesOf() a ForceVariant on the legacy default stream, ...
    void launch(Stage stage, dim3 grid, int block, void** arguments) const;
    /// ... one with a thread for each of so many bodies.
    void launchEach(Stage stage, int bodies, void** arguments) const;
    /// Of `accelerate`.
    const CompiledFunction& facts() const { return compiled_.functions.front(); }

private:
    const void* function(Stage stage) const;

    const ForceVariant variant_;
    const unsigned sources_;
    CompiledKernel compiled_;
    LoadedLibrary library_;
};

}  // namespace rayscope
