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
    /// What rounding has kept out of the pixels (core/film_sum.h), in memory of the session that
    /// renders the film; nullptr while there is none.
    Pixel* rest = nullptr;
};

/// Launches add to the film itself while that is done no more often than this: a float then holds
/// the sum of as many equal numbers to 10^-6, but of a million only to a percent. Later launches
/// add to recent samples, a film of its own, which is added to the film and its rest.
inline constexpr int kFewSums = 64;

/// The sums of a pixel in double precision, for films that are added up from many parts.
struct PixelSum {
    double r, g, b, samples;
};

}  // namespace rayscope
