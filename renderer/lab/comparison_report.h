#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/choices/state.h"
#include "renderer/lab/pair.h"

namespace rayscope {

/// What was compared with what, in words and in numbers.
struct ComparedPair {
    State state;  ///< scene and camera of both; its settings are A's
    Settings b;
    int width = 0, height = 0;
};

/// "1.543x [1.532, 1.554]"
std::string timesText(const Interval& ratio);

/// "B is 1.54x A [1.53, 1.55]" or "no measurable difference [0.998, 1.003]".
std::string sentenceOf(const CompareResult& result);

/// The same with the verdict, "B is 1.54x A [1.53, 1.55], same rays".
std::string sentenceOf(const PairResult& result);

/// A line for each side, the sentence, and what it rests on: the work, the efficiency where the
/// work differs, the conditions. `colour`: for a terminal, what warns is red.
std::string tableOf(const ComparedPair& pair, const PairResult& result, bool colour = false);

/// Numbers that are not finite become null.
nlohmann::json toJson(const Interval& interval);
nlohmann::json toJson(const EqualWorkResult& work);

/// Ratios, sides with their settings, work and conditions of one pair.
nlohmann::json toJson(const PairResult& result, const Settings& a, const Settings& b);

/// Everything that is needed to repeat it, and what came out.
nlohmann::json reportOf(const ComparedPair& pair, const PairResult& result);

}  // namespace rayscope
