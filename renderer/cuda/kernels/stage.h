#pragma once

#include "renderer/core/sort_keys.h"
#include "renderer/core/stage.h"
#include "renderer/core/stages.h"
#include "renderer/cuda/kernels/sort.h"

// The stages of Engine::wavefront and Engine::hybrid, as host and kernels both know them.

namespace rayscope {

/// Passes over the keys of rays and of materials.
inline constexpr int kRayPasses = passesOf(kRayKeyBits);
inline constexpr int kMaterialPasses = 1;

/// What the passes of a sort tell each other; all zero before the first.
struct alignas(256) SortFacts {
    int begun[kRayPasses];                    ///< tiles
    int digits[kRayPasses][1 << kDigitBits];  ///< how often each occurs
};

/// Live paths that are being sorted.
struct SortMemory {
    unsigned* keys[2];  ///< before the first pass and every other, and after it
    int* paths[2];
    SortFacts* facts;
    unsigned* tiles;  ///< zeros before the first pass: SortPass::tiles of each
};

template <class Real>
struct StageParams {
    Wave<Real> wave;
    int count;          ///< paths; for accumulate and addSums, pixels
    const int* list;    ///< indices of live paths; null: all paths
    const int* length;  ///< of the list, on the device; null: `count`
    int* next;          ///< the list for the next depth; Compaction::device
    int* nextLength;
    const Pixel* sums;  ///< of the wave's pixels; Stage::addSums
    SortMemory sorted;
    int pass;  ///< Stage::sort
};

/// Threads of a block.
struct BlockShape {
    int x, y;
};

/// Stages that sort know their threads by threadIdx.x alone.
constexpr RAYSCOPE_FN BlockShape blockOf(const Variant& v, Stage stage) {
    const bool sorts =
        stage == Stage::rayKeys || stage == Stage::materialKeys || stage == Stage::sort;
    return sorts ? BlockShape{kSortThreads, 1} : BlockShape{v.blockX, v.blockY};
}

constexpr RAYSCOPE_FN int threadsOf(const Variant& v, Stage stage) {
    const BlockShape block = blockOf(v, stage);
    return block.x * block.y;
}

}  // namespace rayscope
