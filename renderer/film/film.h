#pragma once

#include "renderer/core/types.h"

namespace rayscope {

/// The accumulated picture: sum of radiance and number of samples a pixel, rows from the top. The
/// memory belongs to the owner of the film (a mapped OpenGL buffer, device or host memory); it must
/// be of the kind that the renderer writes: device memory for CUDA.
struct Film {
    int width = 0;
    int height = 0;
    Pixel* pixels = nullptr;
    int samples = 0;      ///< complete in every pixel
    int target = 0;       ///< stop when `samples` gets there; 0: never
    int passSamples = 0;  ///< samples a pixel of the pass under way; 0: none is
    int cursor = 0;       ///< how far that pass has come, in the renderer's own unit
    /// Rendered while a window waits. Where the least work that can be done at once would exceed
    /// the budget, a pass has fewer samples than the settings ask for; the CPU rests those threads
    /// beyond its cores that would.
    bool watched = false;
    int skipped = 0;  ///< samples a pixel of passes that were given up: their numbers are used
    bool done() const { return target > 0 && samples >= target; }
};

}  // namespace rayscope
