#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "renderer/lab/comparison.h"
#include "renderer/state.h"

namespace rayscope {

/// What was compared with what, in words and in numbers.
struct ComparedPair {
    State state;  ///< scene and camera of both; its settings are A's
    Settings b;
    int width = 0, height = 0;
};

/// "B is 1.54x A [1.53, 1.55]" or "no measurable difference [0.998, 1.003]".
std::string sentenceOf(const CompareResult& result);

/// A line for each side and the sentence.
std::string tableOf(const ComparedPair& pair, const CompareResult& result);

/// Everything that is needed to repeat it, and what came out.
nlohmann::json reportOf(const ComparedPair& pair, const CompareResult& result);

}  // namespace rayscope
