#pragma once

#include <chrono>

namespace rayscope {

/// The wall clock that runs evenly.
using Clock = std::chrono::steady_clock;

inline double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace rayscope
