#pragma once

#include "renderer/scene/scene.h"

namespace rayscope {

/// What sizing the next launch depends on.
struct LaunchNeeds {
    int rows = 0;               ///< of the picture
    int cursor = 0;             ///< rows of the pass that are done
    int samples = 0;            ///< a pixel
    int granule = 1;            ///< rows of a block; bands are multiples of it
    int waveRows = 1;           ///< rows that fill the device once
    int mostRows = 1 << 30;     ///< of a launch
    double msPerRowSample = 0;  ///< 0: unknown
    double queuedMs = 0;        ///< work on the device that is not done
    double budgetMs = 0;
};

/// How many rows the next launch renders; 0: none now, the device has enough to do. A kernel of
/// unknown speed gets a small part of what fills the device, once that is idle. Where the rest of
/// the pass does not fit it is cut into bands of nearly the same size, and no smaller than what
/// fills the device as long as that fits.
int rowsOfLaunch(const LaunchNeeds& needs);

// The drivers of displays end a kernel after some seconds, and the device is lost then. So no
// launch should take longer than this, even of the fewest rows there can be.
inline constexpr double kLongestLaunchMs = 500;

/// What tracing so many paths takes a slow GPU: for kernels that have not been timed.
double guessedMs(double paths, const Scene& scene, Accel accel);

}  // namespace rayscope
