#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/choices/state.h"
#include "renderer/lab/study.h"

namespace rayscope {

/// "1.54x [1.53, 1.55]", or "no difference [0.998, 1.003]", or why there is nothing.
std::string shortText(const StudyItem& item);

/// A line for an item, aligned with those of the same study; grouped items are named apart.
std::string rowOf(const Study& study, const StudyItem& item);

/// Of a grid: millions of rays a second in every cell, and in a second table each cell's ratio to
/// the first cell of its scene.
std::string gridOf(const Study& study);

/// Everything that is needed to repeat it, and what came out. `state`: the scene, camera and
/// settings that the study started from.
nlohmann::json reportOf(const Study& study, const StudyWish& wish, const State& state);

/// A line for an item.
std::string csvOf(const Study& study);

}  // namespace rayscope
