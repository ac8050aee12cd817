#pragma once

#include <algorithm>
#include <memory>

#include "renderer/base/elapsed.h"
#include "renderer/base/thread_pool.h"
#include "renderer/cpu/programs.h"
#include "renderer/cuda/engine.h"
#include "renderer/cuda/kernel_timer.h"
#include "renderer/cuda/plane_copy.h"
#include "renderer/cuda/stage_launcher.h"
#include "renderer/cuda/wave_memory.h"

// What Engine::wavefront and Engine::hybrid share: both keep paths in memory between kernels.

namespace rayscope {

/// What such an engine keeps from one launch to the next.
struct WaveBuffers {
    WaveMemory memory;
    /// The host's part of the wave; arrays that are copied have the device's layout.
    HostBuffer rays, hits, from, paths, sums, list, alive;
    KernelTimer timer;

    /// How many pixels of so many samples fit into a wave.
    int pixelsOfWave(int samples) const { return memory.capacity() / samples; }
    /// A pool of this many threads; 0: one per core.
    ThreadPool& pool(int threads);
    void release();

private:
    std::unique_ptr<ThreadPool> pool_;
    int threads_ = 0;
};

/// Renders a band, wave after wave, each through all depths.
template <class Real>
class WaveRun {
public:
    WaveRun(WaveBuffers& buffers, const Band& band);
    virtual ~WaveRun() = default;
    WaveRun(const WaveRun&) = delete;
    WaveRun& operator=(const WaveRun&) = delete;

    cudaError_t render(LaunchRing& ring, LaunchRecord& record);

protected:
    /// Makes the camera rays of the wave.
    virtual void makeRays() = 0;
    /// Finds the hits of this depth and scatters there. Afterwards only paths that go on are
    /// `live`, if the host knows them.
    virtual void trace() = 0;
    /// Samples in host memory. Called only where sumsOnHost().
    virtual PathMemory samplesOnHost() = 0;
    /// Adds the rays that the host has counted in the band.
    virtual void count(LaunchRecord&) const {}

    int paths() const { return p.wave.pixels * p.wave.launch.samples; }
    ThreadPool& pool() { return buffers.pool(hostThreads(v, band.settings)); }
    static void synchronise() { check(cudaStreamSynchronize(nullptr), "run a kernel"); }

    /// Compaction::host: lists the paths that go on and calls move(to, from) for the slot of each.
    template <class Move>
    void compact(const unsigned char* alive, int* list, Move move) {
        int kept = 0;
        for (int slot = 0; slot < live; ++slot) {
            if (!alive[slot]) continue;
            move(kept, slot);
            list[kept++] = listed ? list[slot] : slot;
        }
        live = kept;
        listed = true;
    }

    WaveBuffers& buffers;
    const Band& band;
    const Variant& v;
    const HostMemory hostMemory;
    StageLauncher launcher;
    StageParams<Real> p{};  ///< of the device's stages
    int live = 0;           ///< slots with a live path, as far as the host knows
    bool listed = false;    ///< the host's list maps slots to paths; else path i is in slot i

private:
    void wave();
    void addToFilm();
    void sumOnHost();
};

/// An engine that renders each band with a Run.
template <template <class> class Run>
class WaveEngine : public CudaEngine {
public:
    Result<void> prepare(const Variant& v, const Film& film, int samples) override {
        use_.isNow();
        return reserveWaves(buffers_.memory, v, film, samples);
    }
    BandShape shapeOf(const LoadedKernel& kernel, const Film& film, int samples) const override {
        const Variant& v = kernel.variant();
        const long long row = 1ll * film.width * samples;
        const long long resident = 1ll * kernel.residentBlocks() * v.blockX * v.blockY;
        return {1, static_cast<int>((resident + row - 1) / row),
                std::max(1, buffers_.pixelsOfWave(samples) / film.width)};
    }
    cudaError_t launch(const Band& band, LaunchRing& ring, LaunchRecord& record) override {
        const Clock::time_point start = Clock::now();
        const cudaError_t error = band.variant().precision == Precision::float64
                                      ? Run<double>(buffers_, band).render(ring, record)
                                      : Run<float>(buffers_, band).render(ring, record);
        if (hostWorks(band.variant())) record.wallMs = millisecondsSince(start);
        return error;
    }
    void release() override { buffers_.release(); }
    void releaseUnused() override {
        if (use_.isLongAgo()) release();
    }

private:
    WaveBuffers buffers_;
    LastUse use_;
};

}  // namespace rayscope
