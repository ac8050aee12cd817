#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/choices/state.h"
#include "renderer/lab/autotune.h"

namespace rayscope {

/// What a round was about and its fastest candidates.
std::string roundText(const Autotune& job, size_t round);

/// The winner, how much faster it is, the work, and the options that choose it.
std::string winnerText(const Autotune& job);

/// Everything that is needed to repeat it, and the way to the winner. `state`: scene, camera and
/// settings that the search began with.
nlohmann::json reportOf(const Autotune& job, const AutotuneWish& wish, const State& state);

/// A line for a candidate.
std::string csvOf(const Autotune& job);

}  // namespace rayscope
