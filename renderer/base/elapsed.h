#pragma once

#include <chrono>

namespace rayscope {

/// A wall clock that is never adjusted.
using Clock = std::chrono::steady_clock;

inline double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace rayscope
