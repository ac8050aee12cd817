#pragma once

#include "renderer/core/path_store.h"
#include "renderer/core/stages.h"
#include "renderer/cpu/kernel_table.h"

// The stages that the CPU does for the GPU, on arrays in host memory that lie as the device's do.

namespace rayscope {

/// How the rays and hits lie: as Engine::wavefront or as Engine::hybrid keeps them.
enum class HostLayout { waveAos, waveSoa, hybrid };

template <class Real>
struct HostStages {
    /// Makes the camera rays of paths [begin, end).
    using Generate = void (*)(const Wave<Real>&, int begin, int end);
    /// Goes on from the hits in slots [begin, end); says which paths do, and adds to the launch's
    /// counters. list: the path in each slot, or null where it is the slot's number.
    using Shade = void (*)(const Wave<Real>&, int begin, int end, const int* list,
                           unsigned char* alive);
    /// Sums the samples of pixels [begin, end).
    using Sum = void (*)(const PathMemory&, int begin, int end, int samples, Pixel* sums);

    Generate generate[3][2][2];  ///< by HostLayout, Record and Sampling
    Shade shade[2][2][2];  ///< Engine::hybrid, by whether there are walls, Record and Sampling
    Sum sum[3];            ///< by SampleLayout
};

/// In the build for this processor's instruction set. Shading reads the scene in global memory,
/// SceneLayout::soa, aligned as vectors are.
const HostStages<float>& hostStages(float);
const HostStages<double>& hostStages(double);

}  // namespace rayscope
