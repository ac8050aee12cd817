#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/choices/axes.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/study.h"

// What can be studied: single changes of settings or of a ladder, and sweeps.

namespace rayscope {

/// The values of an axis other than the present one that are worth a try: all of a choice, half and
/// twice of a number, none of what no tracing kernel depends on
/// (Reader::host, Reader::simulation).
std::vector<int> alternatives(const Axis& axis, const Settings& settings);

/// "What is each switch worth?": for every axis that matters, each alternative against `settings`.
/// An item is named by what it changes, companions included; its group is the axis.
Study switchStudy(const Settings& settings, const SharedScene& scene);

/// steps: each rung against the one that it changes. addOne: each of the changes that lead from the
/// first rung to the last, made to the first alone: A is the first. leaveOneOut: each of them alone
/// taken back from the last: A is the last. The order of a ladder matters, and these two are
/// without order.
enum class LadderStudy { steps, addOne, leaveOneOut };

/// Rungs of other scenes are left out where first and last are compared. A sentence where the
/// ladder's scenes cannot be read.
Result<Study> ladderStudy(const Ladder& ladder, LadderStudy kind, Backend preferred);

/// What a sweep varies: an axis of axes(), or "scene", or "spheres", the number of spheres of a
/// scene field-N.
struct SweepAxis {
    std::string id;
    std::vector<std::string> values;
};

/// At most so many values along a direction.
inline constexpr size_t kMostSweepValues = 64;

/// From "samples=4,8,16", "samples=4..64" (doubling), or "scene_layout", which is all its values
/// or, for a number, its range by doubling. A sentence where it means nothing.
Result<SweepAxis> sweepAxisFrom(std::string_view text);

/// Settings on a line or a grid: every cell against the first that can be had in its scene. Items
/// go row by row; x runs along a row. Axes that a value needs follow it, as in choose(). `scene` is
/// used where no axis names another. A sentence where a scene cannot be had or there is nothing to
/// measure.
Result<Study> sweepStudy(const SweepAxis& x, const std::optional<SweepAxis>& y,
                         const Settings& settings, const SharedScene& scene);

}  // namespace rayscope
