#pragma once

#include "renderer/core/path_store.h"
#include "renderer/core/stages.h"
#include "renderer/cpu/kernel_table.h"

// The stages that the CPU runs for the GPU, on host arrays with the device's layout.

namespace rayscope {

/// The layout of rays and hits: that of Engine::wavefront (waveAos, waveSoa) or of Engine::hybrid.
enum class HostLayout { waveAos, waveSoa, hybrid };

template <class Real>
struct HostStages {
    /// Makes the camera rays of paths [begin, end).
    using Generate = void (*)(const Wave<Real>&, int begin, int end);
    /// Continues paths from the hits in slots [begin, end), sets which are still alive, and adds to
    /// the launch's counters. list: the path in each slot; null: path i is in slot i.
    using Shade = void (*)(const Wave<Real>&, int begin, int end, const int* list,
                           unsigned char* alive);
    /// Sums the samples of pixels [begin, end).
    using Sum = void (*)(const PathMemory&, int begin, int end, int samples, Pixel* sums);

    Generate generate[3][2][2];  ///< by HostLayout, Record and Sampling
    Shade shade[2][2][2];  ///< Engine::hybrid, by whether there are walls, Record and Sampling
    Sum sum[3];            ///< by SampleLayout
};

/// The build for this processor's instruction set. Shading reads a scene packed as SceneLayout::soa
/// and aligned for vectors.
const HostStages<float>& hostStages(float);
const HostStages<double>& hostStages(double);

}  // namespace rayscope
