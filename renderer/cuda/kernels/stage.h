#pragma once

#include "renderer/core/path_store.h"
#include "renderer/core/stages.h"

// What host and kernels say to each other about the stages of Engine::wavefront and Engine::hybrid.

namespace rayscope {

/// The kernels of a program. whole: the path from end to end (megakernel.cu); the others are in
/// wavefront.cu. primary: makes camera rays where RaySource says so, finds their hits and goes on;
/// trace: the same for rays in memory; accumulate: adds samples to the film; addSums: adds sums
/// that the host has made.
enum class Stage { whole, generate, extend, shade, primary, trace, accumulate, addSums };

template <class Real>
struct StageParams {
    Wave<Real> wave;
    int count;          ///< paths, or pixels of the film's stages
    const int* list;    ///< indices of the paths that go on; null: all of them
    const int* length;  ///< of the list, on the device; null: count
    int* next;          ///< the list for the next depth; Compaction::device
    int* nextLength;
    const Pixel* sums;  ///< of the wave's pixels; Stage::addSums
};

}  // namespace rayscope
