#pragma once

#include "renderer/core/types.h"

namespace rayscope {

/// The ray counters of one thread (LaunchParams::counters), on cache lines of their own.
struct alignas(128) ThreadCounters {
    unsigned long long values[kCounters] = {};
};

}  // namespace rayscope
