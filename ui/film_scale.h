#pragma once

#include <functional>
#include <string>

#include "ui/window.h"

namespace rayscope {

/// What a renderer manages, from its own statistics; 0 where not known yet.
struct Pace {
    double raysPerMs = 0;
    double raysPerSample = 0;
};

/// The divisor of the film's width and height while the camera moves: the finest of 1, 1.5, 2, 3,
/// 4, 6, 8, 12, 16 at which one sample a pixel fits into `budgetMs`. `now` is kept where it is
/// nearly right, so that the picture does not flicker between two sizes. A coarse
/// one where the pace is not known yet, so that a picture is there at once.
double movingDivisor(Size full, const Pace& pace, double budgetMs, double now);

/// The divisor at which memory for a film could be had, and why not at 1.
struct FilmMemory {
    double divisor = 1;
    bool allocated = false;
    std::string problem;  ///< of the last size that could not be had; empty where the first could
};

/// Tries the full size, then its half, quarter and eighth. `allocate` returns an empty string or
/// the reason why there is no memory of that size.
FilmMemory largestFilm(Size full, const std::function<std::string(Size)>& allocate);

/// The film's size at a divisor, never less than one pixel.
Size divided(Size full, double divisor);

}  // namespace rayscope
