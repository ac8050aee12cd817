#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "renderer/lab/study.h"

// Sweeps: settings on a line or a grid.

namespace rayscope {

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
std::variant<SweepAxis, std::string> sweepAxisFrom(std::string_view text);

/// Every cell against the first that can be had in its scene. Items go row by row; x runs along a
/// row. Axes that a value needs follow it, as in choose(). `scene` is used where no axis names
/// another. A sentence where a scene cannot be had or there is nothing to measure.
std::variant<Study, std::string> sweepStudy(const SweepAxis& x, const std::optional<SweepAxis>& y,
                                            const Settings& settings, const SharedScene& scene);

}  // namespace rayscope
