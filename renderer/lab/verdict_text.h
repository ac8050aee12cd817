#pragma once

#include "renderer/lab/equal_work.h"

namespace rayscope {

/// The significant difference that says most: a depth at which one side has no rays, then the
/// picture as a whole or a part of it that differs several times as much, then rays.
std::optional<Difference> largestOf(const std::vector<Difference>& differences);

/// The relative difference of brightness from which on it would have been significant.
double noticeableOf(const std::vector<Difference>& differences);

/// One sentence behind the verdict, without a full stop.
std::string sentenceOf(const EqualWorkResult& result);

}  // namespace rayscope
