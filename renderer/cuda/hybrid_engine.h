#pragma once

#include <memory>

#include "renderer/base/thread_pool.h"
#include "renderer/cuda/band.h"
#include "renderer/cuda/kernel_timer.h"
#include "renderer/cuda/wave_memory.h"

namespace rayscope {

/// Engine::hybrid: the CPU makes and scatters rays; for every depth they are copied to the device,
/// which finds their hits, and these are copied back.
class HybridEngine {
public:
    /// Memory for waves of this variant. Returns an empty string or one sentence.
    std::string prepare(const Variant& variant, const Film& film);
    void release();
    /// Pixels of a wave, after prepare().
    int pixelsOfWave(int samples) const { return memory_.capacity() / samples; }

    /// Begins the ring's next launch and renders the band. Returns when all is done, with the
    /// record's times and counts set.
    cudaError_t launch(LoadedKernel& kernel, DeviceScene& scene, const Band& band, LaunchRing& ring,
                       LaunchRecord& record);

private:
    template <class Real>
    struct Run;
    template <class Real>
    cudaError_t launchAs(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                         LaunchRing& ring, LaunchRecord& record);
    ThreadPool& pool(int threads);

    WaveMemory memory_;
    HostBuffer rays_, hits_, from_, sums_;  ///< copied to and from the device
    HostBuffer state_;                      ///< what of the paths stays on the host
    std::vector<int> list_;                 ///< the path in each slot; Compaction::host
    std::vector<unsigned char> alive_;      ///< by slot
    KernelTimer timer_;
    std::unique_ptr<ThreadPool> pool_;
    int threads_ = 0;
};

}  // namespace rayscope
