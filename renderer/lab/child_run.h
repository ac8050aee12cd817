#pragma once

#include <string>
#include <variant>

#include "renderer/lab/measure.h"

namespace rayscope {

/// Renders in a process of its own with context=inside: `program render --json -`, whose report
/// says under "wall_ms" how long it took from before the context was made to the finished picture,
/// and under "context_ms" what of that was the context. `scene` is a name or a path.
/// Measurement::loopPassMs is the former, of wish.passes runs after one that fills the cache of
/// kernels.
std::variant<Measurement, std::string> measureInChild(const std::string& program,
                                                      const std::string& scene,
                                                      const MeasureWish& wish,
                                                      const Progressing& goOn);

}  // namespace rayscope
