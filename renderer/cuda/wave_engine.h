#pragma once

#include <memory>

#include "renderer/base/thread_pool.h"
#include "renderer/cuda/band.h"
#include "renderer/cuda/kernel_timer.h"
#include "renderer/cuda/wave_memory.h"

namespace rayscope {

/// Engine::wavefront: a band is one or more waves of paths that go from stage to stage together.
class WaveEngine {
public:
    /// Memory for waves of this variant. Returns an empty string or one sentence.
    std::string prepare(const Variant& variant, const Film& film);
    void release();
    /// Pixels of a wave, after prepare().
    int pixelsOfWave(int samples) const { return memory_.capacity() / samples; }

    /// Begins the ring's next launch and launches all stages of the band. Where hostWorks() it
    /// returns when all is done, with the record's times set.
    cudaError_t launch(LoadedKernel& kernel, DeviceScene& scene, const Band& band, LaunchRing& ring,
                       LaunchRecord& record);

private:
    template <class Real>
    struct Run;
    template <class Real>
    cudaError_t launchAs(LoadedKernel& kernel, DeviceScene& scene, const Band& band,
                         LaunchRing& ring, LaunchRecord& record);
    ThreadPool& pool();

    WaveMemory memory_;
    HostBuffer rays_, samples_, sums_, list_, alive_;
    KernelTimer timer_;
    std::unique_ptr<ThreadPool> pool_;
};

}  // namespace rayscope
