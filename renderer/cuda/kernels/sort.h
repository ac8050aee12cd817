#pragma once

#include "renderer/core/digits.h"

// How keys are sorted on the device (radix_sort.h), as host and kernels both know it.

namespace rayscope {

/// Threads of a block that sorts, one for each digit of a pass.
inline constexpr int kSortThreads = 256;
/// A block sorts so many keys at a time: few enough to occupy many multiprocessors, enough that
/// what it looks up about the blocks before it is little.
inline constexpr int kTileKeys = 8 * kSortThreads;

constexpr int tilesOf(int keys) {
    return (keys + kTileKeys - 1) / kTileKeys;
}

}  // namespace rayscope
