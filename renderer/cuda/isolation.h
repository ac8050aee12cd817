#pragma once

#include <functional>

#include "renderer/backend/kernel_isolation.h"
#include "renderer/choices/settings.h"
#include "renderer/compile/builder.h"
#include "renderer/cuda/compiler.h"
#include "renderer/scene/camera.h"
#include "renderer/scene/shared_scene.h"

namespace rayscope {

/// Whether the kernels have to be kept apart: isolateEditedKernels() has been called, and some file
/// but that of the baked scene is not what the program was built with.
bool needsIsolation(const std::vector<KernelSource>& sources);

/// compileProgram() in another process, which is ended if it takes too long or too much memory.
Result<CompiledKernel> compileApart(const KernelProgram& program,
                                    const std::vector<KernelSource>& sources, const GoOn& goOn);

/// A picture that a kernel is tried with.
struct KernelTrial {
    SharedScene scene;
    Camera camera;
    Settings settings;
    int width = 0, height = 0;
    int device = 0;  ///< CUDA's number
};

/// Renders a sample a pixel in another process, which is ended if that takes too long. The reason
/// of a failure says what became of it.
Result<void> tryKernel(const KernelTrial& trial, const std::vector<KernelSource>& sources,
                       const GoOn& goOn);

/// Other kernels of a source, which other commands try.
enum class OtherKernels { recording, forces, hierarchy };
/// As tryKernel(), unless these files have been tried before: takes a second or more. Nothing is
/// tried where nothing is edited.
Result<void> tryOtherKernels(OtherKernels kernels, int source, int device);

}  // namespace rayscope
