#pragma once

#include "renderer/choices/axes.h"
#include "renderer/lab/ladder.h"
#include "renderer/lab/study.h"

// Studies of single changes.

namespace rayscope {

/// The values of an axis other than the present one that are worth a try: all of a choice, half and
/// twice of a number, none of what only the host reads (Reader::host).
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
std::variant<Study, std::string> ladderStudy(const Ladder& ladder, LadderStudy kind,
                                             Backend preferred);

}  // namespace rayscope
