#include "renderer/core/stage.h"
#include "renderer/core/stages.h"
#include "renderer/cpu/kernels/kernel.h"

// The stages that the CPU runs for the GPU, on host arrays with the device's layout. Depths are not
// counted, because the GPU traces the rays, and the caller keeps the list of live paths.

namespace rayscope {

/// Makes the camera rays of paths [begin, end).
template <Variant V>
void generatePaths(const Wave<Real<V>>& wave, int begin, int end) {
    CountsOf<V> counts;
    for (int path = begin; path < end; ++path) generate<V>(wave, path, counts);
}

/// Continues paths from the hits in slots [begin, end), sets which are still alive, and adds to the
/// launch's counters. list: the path in each slot; null: path i is in slot i.
template <Variant V>
void shadePaths(const Wave<Real<V>>& wave, int begin, int end, const int* list,
                unsigned char* alive) {
    CountsOf<V> counts;
    for (int slot = begin; slot < end; ++slot)
        alive[slot] = shadePath<V>(wave, slot, list == nullptr ? slot : list[slot], counts);
    wave.launch.counters[2] += counts.shadow;
}

/// Sums the samples of pixels [begin, end).
template <Variant V>
void sumPixels(const PathMemory& memory, int begin, int end, int samples, Pixel* sums) {
    for (int pixel = begin; pixel < end; ++pixel) {
        sums[pixel] = {};
        addSamples(sums[pixel], samplesOf<V, Real<V>>(memory, pixel, samples));
    }
}

}  // namespace rayscope
