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

/// Bands of nearly equal size that are multiples of a granule and of at most `fit` rows.
int bandOf(int rest, int fit, int granule) {
    if (fit >= rest) return rest;
    const int bands = (rest + fit - 1) / fit;
    const int band = roundUp((rest + bands - 1) / bands, granule);
    return std::min(band <= fit ? band : band - granule, rest);
}

/// Bands of nearly equal size that are multiples of a granule and of at least `least` rows.
int mergedBandOf(int rest, int least, int granule) {
    const int bands = std::max(rest / least, 1);
    return std::min(roundUp((rest + bands - 1) / bands, granule), rest);
}

/// Where launches would be too small to fill the device, fewer that fill it may take so long.
constexpr double kMostMergedMs = 1.5 * kMostFillMs;

/// Launches cut to what is left of a budget cost vt9 a sixth of its rate on an H200.
int rowsThatFill(const LaunchNeeds& n, double msPerRow, int rest) {
    const auto fit = [&](double ms) {
        return static_cast<int>(std::min<double>(n.mostRows, ms / msPerRow));
    };
    const int wanted =
        std::max(fit(kFillMs), std::min(n.rowsToFill, fit(std::max(kMostFillMs, n.fillMs))));
    int rows = bandOf(rest, std::max(wanted, n.granule), n.granule);
    // what does not fill the device says nothing of its speed
    const int least = std::min(n.rowsToFill, n.mostRows);
    if (rows < least) {
        const int merged = mergedBandOf(rest, least, n.granule);
        if (merged >= least && merged <= fit(std::max(kMostMergedMs, n.fillMs))) rows = merged;
    }
    const double half = std::min(rows * msPerRow, n.budgetMs) / 2;
    return n.queuedMs > 0 && n.queuedMs + half > n.budgetMs ? 0 : rows;
}

}  // namespace

int rowsOfLaunch(const LaunchNeeds& n) {
    const int rest = n.rows - n.cursor;
    if (n.msPerRowSample <= 0) {
        const int probe = roundUp(std::max(1, n.rowsToFill / kProbeShare), n.granule);
        return n.queuedMs > 0 ? 0 : std::min({probe, n.mostRows, rest});
    }
    const double msPerRow = n.msPerRowSample * n.samples;
    if (n.fills) return rowsThatFill(n, msPerRow, rest);
    const double room = n.budgetMs - n.queuedMs;
    if (room <= 0) return 0;
    const int fit = static_cast<int>(std::min<double>(n.mostRows, room / msPerRow));
    if (fit >= rest) return rest;
    const int full = std::min({n.rowsToFill, n.mostRows, rest});
    if (n.queuedMs > 0 && (fit < full || fit <= n.granule)) return 0;
    const int rows = fit > n.granule ? bandOf(rest, fit, n.granule) : std::min(n.granule, rest);
    const int least = static_cast<int>(std::min<double>(full, n.fillMs / msPerRow));
    if (rows >= least) return rows;
    const int merged = mergedBandOf(rest, least, n.granule);
    return merged <= n.mostRows ? merged : bandOf(rest, n.mostRows, n.granule);
}

double guessedMs(double paths, const Scene& scene, Accel accel) {
    const double shapes = static_cast<double>(shapeCount(scene));
    const double tests = accel != Accel::brute ? std::min(shapes, kTestsOfWalk) : shapes;
    return paths * kRays * tests / kTestsPerMs;
}

}  // namespace rayscope
