#include "renderer/cuda/launch_plan.h"

#include <algorithm>
#include <cmath>

namespace rayscope {

namespace {

int roundUp(int value, int granule) {
    return (value + granule - 1) / granule * granule;
}

/// A kernel of unknown speed gets this fraction of rowsToFill, enough to time it.
constexpr int kProbeShare = 8;
/// Rays of a path, and sphere tests that a ten-year-old GPU does in a millisecond.
constexpr double kRays = 4, kTestsPerMs = 5e7;
/// Cost of a walk through a hierarchy, in such tests.
constexpr double kTestsOfWalk = 100;

}  // namespace

int rowsOfLaunch(const LaunchNeeds& n) {
    const int rest = n.rows - n.cursor;
    if (n.msPerRowSample <= 0) {
        const int probe = roundUp(std::max(1, n.rowsToFill / kProbeShare), n.granule);
        return n.queuedMs > 0 ? 0 : std::min({probe, n.mostRows, rest});
    }
    const double msPerRow = n.msPerRowSample * n.samples;
    const double room = n.budgetMs - n.queuedMs;
    if (room <= 0) return 0;
    const int fit = static_cast<int>(std::min<double>(n.mostRows, room / msPerRow));
    if (fit >= rest) return rest;
    if (n.queuedMs > 0 && fit < std::min({n.rowsToFill, n.mostRows, rest})) return 0;
    if (fit <= n.granule) return n.queuedMs > 0 ? 0 : std::min(n.granule, rest);
    const int bands = (rest + fit - 1) / fit;
    const int band = roundUp((rest + bands - 1) / bands, n.granule);
    return std::min(band <= fit ? band : band - n.granule, rest);
}

double guessedMs(double paths, const Scene& scene, Accel accel) {
    const double spheres = static_cast<double>(scene.spheres.size());
    const double tests = accel == Accel::bvh ? std::min(spheres, kTestsOfWalk) : spheres;
    return paths * kRays * tests / kTestsPerMs;
}

}  // namespace rayscope
