#pragma once

#include "renderer/core/path_store.h"

namespace rayscope {

/// Where a thread of Engine::wavefront keeps its paths. `keys` and `list` are there where paths are
/// listed (Compaction::host) or sorted; the second of each only where they are sorted.
struct CpuWaveMemory {
    PathMemory paths;
    int* list[2];
    unsigned* keys[2];
};

}  // namespace rayscope
