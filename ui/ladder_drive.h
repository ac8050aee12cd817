#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ui/ladder_climb.h"

namespace rayscope {

/// What of the window a climb changes.
struct Driven {
    const Backends& backends;
    State& state;                      ///< settings of a rung are put here
    std::function<void(State)> adopt;  ///< takes another scene
};

/// The ladder that is shown first; empty where there is none.
std::string firstOf(const std::vector<std::string>& ladders);

/// Settings and scene become those of the rung; the reason where that cannot be. The view stays
/// where the scenes have the same camera.
std::string enterRung(LadderClimb& climb, int rung, const Driven& window);

/// The climb goes on after a frame of so many seconds that was traced with these results; true
/// where it has come to its end.
bool climbOn(LadderClimb& climb, const FrameStats& settled, double seconds, const Driven& window);

/// "climbing 3 of 24"; empty where nobody climbs.
std::string climbingText(const LadderClimb& climb);

}  // namespace rayscope
