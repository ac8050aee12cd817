#pragma once

#include "renderer/scene/scene.h"

namespace rayscope {

/// What the size of the next launch depends on.
struct LaunchNeeds {
    int rows = 0;               ///< of the picture
    int cursor = 0;             ///< rows of the pass that are done
    int samples = 0;            ///< per pixel
    int granule = 1;            ///< rows of a block; bands are multiples of it
    int rowsToFill = 1;         ///< as many rows as fill the device once
    int mostRows = 1 << 30;     ///< in a launch
    double msPerRowSample = 0;  ///< of those that come next; 0: unknown
    double queuedMs = 0;        ///< work that the device has still to do
    double budgetMs = 0;
    bool fills = false;  ///< the budget is met as nearly as launches of a good size meet it
    double fillMs = 0;   ///< so long a launch may take, whatever the budget, to fill the device
};

/// How many rows the next launch renders; 0: none now, the device has enough to do. A kernel of
/// unknown speed gets a fraction of rowsToFill, once the device is idle. If the rest of the pass
/// does not fit the budget it is cut into bands of nearly equal size, of at least rowsToFill as
/// long as that fits. One that fills is cut by what a launch needs to be worth its overhead.
///
/// Fewer rows than fill the device take about as long as those that do, so a speed taken from them
/// is too low: if it decided on the next launch alone, launches would stay too small for ever, and
/// a kernel could look ten times as slow as it is. So fillMs goes before the budget.
int rowsOfLaunch(const LaunchNeeds& needs);

/// A launch that fills is not longer, as a picture may have to wait for it, but for what fills the
/// device once.
inline constexpr double kFillMs = 6, kMostFillMs = 12;

/// No launch should take longer, even of the fewest possible rows: drivers of displays end a kernel
/// after some seconds, and the context is lost.
inline constexpr double kLongestLaunchMs = 500;
/// For a watched film, LaunchNeeds::fillMs until the speed of a kernel is known.
inline constexpr double kFirstFillMs = 100;

/// How long a slow GPU takes to trace so many paths, ms: for kernels that have not been timed.
double guessedMs(double paths, const Scene& scene, Accel accel);

}  // namespace rayscope
