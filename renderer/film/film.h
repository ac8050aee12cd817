#pragma once

#include "renderer/core/types.h"

namespace rayscope {

/// The accumulated picture: sum of radiance and number of samples per pixel, rows from the top. The
/// memory belongs to the owner of the film (a mapped OpenGL buffer, device or host memory) and must
/// be of the kind that the renderer writes: device memory for CUDA.
struct Film {
    int width = 0;
    int height = 0;
    Pixel* pixels = nullptr;
    int samples = 0;  ///< complete in every pixel
};

}  // namespace rayscope
