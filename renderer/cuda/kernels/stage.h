#pragma once

#include "renderer/core/path_store.h"
#include "renderer/core/stages.h"

// The stages of Engine::wavefront and Engine::hybrid, as host and kernels both know them.

namespace rayscope {

/// The kernels of a program. whole: the path from end to end (megakernel.cu); the others are in
/// wavefront.cu. primary: makes camera rays if RaySource says so, finds their hits and scatters;
/// trace: the same for rays in memory; accumulate: adds samples to the film; addSums: adds sums
/// that the host has computed. The last five are of simulations (nbody.cu).
enum class Stage {
    whole,
    generate,
    extend,
    shade,
    primary,
    trace,
    accumulate,
    addSums,
    accelerate,
    move,
    potential,
    place,
    lose
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
};

}  // namespace rayscope
