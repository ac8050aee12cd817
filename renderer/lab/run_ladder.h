#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/devices/machine.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/measure.h"
#include "renderer/machine/conditions.h"

namespace rayscope {

struct ClimbWish {
    /// Of rungs that name none.
    Backend preferred = Backend::cpu;
    /// Only rungs of this backend are measured.
    std::optional<Backend> only;
    int width = 0, height = 0;  ///< 0: the ladder's
    double seconds = .5;        ///< a rung
    /// This program, which measures clock=total in processes of its own.
    std::string program = "/proc/self/exe";
};

/// A rung that was measured, or the reason why it could not be.
struct RungResult {
    int rung = 0;
    Settings settings;
    std::string problem;
    Measurement measured;  ///< where there is no problem
    /// What the rung measures, in rays a second or seconds; times are of the ladder's picture.
    Spread value;
    ConditionsSummary conditions;  ///< while it was measured
    bool scaled = false;           ///< a time that was not measured over all samples of the picture
};

/// How a rung compares with others that were measured.
struct RungComparison {
    std::optional<double> before;      ///< times as fast as the measured rung that it builds on
    std::optional<double> first;       ///< times as fast as the first
    std::optional<double> brightness;  ///< over that of the first
    double brightnessError = 0;        ///< standard error of that
    /// The picture's brightness differs by more than half a percent and than its noise: other work.
    bool differs() const;
};

/// Comparisons of results[i] with the others, rates with rates and times with times. The first is
/// the first of them that was measured, on Ladder::compare of them all or of the same scene.
RungComparison comparisonOf(const Ladder& ladder, const std::vector<RungResult>& results, size_t i);

/// Called several times a second; false stops the climb.
using Climbing = std::function<bool(int rung, double share)>;

/// Measures the rungs one after the other and hands out each as it is done. Stops where `goOn` says
/// so; the rung under way then is not handed out. Returns whether it came to the end.
bool runLadder(const Ladder& ladder, Machine& machine, const ClimbWish& wish, const Climbing& goOn,
               const std::function<void(const RungResult&)>& done);

}  // namespace rayscope
