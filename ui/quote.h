#pragma once

#include <string>

#include "renderer/backend/renderer.h"
#include "renderer/choices/state.h"
#include "ui/rates.h"

namespace rayscope {

/// "its own camera", or where another one stands and looks.
std::string viewText(const Camera& camera, const Scene& scene);

/// What a rate is quoted with.
struct Quoted {
    const State& state;
    Settings defaults;  ///< of every machine, so that the line names what this one begins with
    int width = 0, height = 0;
    std::string device;
    std::string conditions;  ///< "load 2.10"; may be empty
    std::int64_t step = 0;   ///< of a scene that moves
};

/// The rate and what belongs to it, as one line for others to read: scene, step, view, size,
/// device, the figure with its 95 % interval, the factor of the last switch, what differs from the
/// defaults, conditions, version.
std::string quoteOf(const Rates& rates, const Quoted& quoted);

}  // namespace rayscope
