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

/// Finds out where the state is, and enters the rung that a climb has come to; true where the climb
/// has ended because of the state.
bool climbOn(LadderClimb& climb, const Driven& window);

/// "climbing 3 of 24"; empty where nobody climbs.
std::string climbingText(const LadderClimb& climb);

}  // namespace rayscope
