#pragma once

#include "renderer/core/types.h"

namespace rayscope {

/// The accumulated picture: sum of radiance and number of samples a pixel, rows from the
/// top. The memory belongs to the owner of the film (a mapped OpenGL buffer,
/// device or host memory); it must be of the kind the renderer writes: device memory for CUDA.
struct Film {
    int width = 0;
    int height = 0;
    Pixel* pixels = nullptr;
    int samples = 0;      ///< complete in every pixel
    int target = 0;       ///< stop when `samples` gets there; 0: never
    int passSamples = 0;  ///< samples a pixel of the pass under way; 0: none is
    int cursor = 0;       ///< how far that pass has come; the renderer's own unit
    /// Rendered while a window waits: where the least that is done at once would not fit the
    /// budget, a pass has fewer samples than the settings ask for, and threads beyond the cores
    /// rest.
    bool watched = false;
    int skipped = 0;  ///< numbers of samples that passes took which were not ended
    bool done() const { return target > 0 && samples >= target; }
};

}  // namespace rayscope
