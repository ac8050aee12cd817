#include "renderer/core/path.h"
#include "renderer/core/tiles.h"
#include "renderer/cuda/kernels/footprint.h"
#include "renderer/cuda/kernels/kernel.h"

// The whole path in one kernel: one thread a pixel or a sample. Compiled at run time by NVRTC for
// one Variant.

namespace rayscope {

/// The sums of a block in shared memory, added to the launch's counters by whichever thread comes
/// last. No barrier and no shuffle: after recursive calls the lanes of a warp arrive one by one,
/// and code from ptxas 13.0 that synchronises them lost the counts of all but the first.
struct BlockCounters {
    unsigned long long sums[kCounters];
    unsigned arrived;
};

__device__ __forceinline__ void clear(BlockCounters& block) {
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (unsigned i = thread; i < kCounters; i += blockDim.x * blockDim.y) block.sums[i] = 0;
    if (thread == 0) block.arrived = 0;
    __syncthreads();
}

__device__ __forceinline__ void flushByTheLast(BlockCounters& block, unsigned long long* counters) {
    __threadfence_block();
    if (atomicAdd(&block.arrived, 1u) + 1 < blockDim.x * blockDim.y) return;
    for (int i = 0; i < kCounters; ++i) {
        const unsigned long long sum = atomicAdd(&block.sums[i], 0ull);
        if (sum != 0) atomicAdd(counters + i, sum);
    }
}

/// Calls add(index, value) for every counter of the thread.
template <bool CountDepths, class Add>
__device__ __forceinline__ void forEach(const RayCounts<CountDepths>& counts, int maxDepth,
                                        Add add) {
    add(0, counts.camera);
    add(1, counts.closest);
    add(2, counts.shadow);
    if constexpr (CountDepths) {
        for (int d = 0; d < maxDepth; ++d) add(3 + d, counts.depth[d]);
    }
}

/// The sum over this lane and those after it that have the same pixel: the whole sum in the first
/// of them. All 32 lanes must arrive.
template <class Real>
__device__ __forceinline__ Samples<Real> sumOfPixel(Samples<Real> samples, int pixel) {
    for (int step = 1; step < kWarp; step *= 2) {
        const auto later = [&](auto value) { return __shfl_down_sync(~0u, value, step); };
        const Vec3<Real>& r = samples.radiance;
        const Samples<Real> other{{later(r.x), later(r.y), later(r.z)}, later(samples.count)};
        const bool same = later(pixel) == pixel && threadOfBlock() % kWarp + step < kWarp;
        if (same) samples = {r + other.radiance, samples.count + other.count};
    }
    return samples;
}

/// One sample a thread: number i of the row's, pixel after pixel. A warp adds up what its lanes
/// bring to a pixel, except after recursive calls (see BlockCounters).
template <Variant V>
__device__ __forceinline__ void renderSample(const LaunchParams<Real<V>>& p, int i, int y,
                                             RayCounts<V.countDepths>& counts) {
    const int x = p.x0 + i / p.samples;
    const int sample = i % p.samples;
    const bool inside = x < p.x1 && y < p.y1;
    Samples<Real<V>> samples{{0, 0, 0}, 0};
    const int number = p.firstSample + sample;
    GeneratorOf<V> rng = rowGenerator<V>(p, y, number);
    if constexpr (V.sceneMemory == SceneMemory::shared)
        samples = followTogether<Real<V>, V>(p, x, y, inside, number, 1, rng, counts);
    else if (inside)
        samples = followSamples<Real<V>, V>(p, x, y, number, 1, rng, counts);
    bool first = true;
    if constexpr (V.path != Path::recursive) {
        samples = sumOfPixel(samples, x);
        first = sample == 0 || threadOfBlock() % kWarp == 0;
    }
    if (!inside || !first) return;
    Pixel& pixel = p.film[y * p.width + x];
    atomicAdd(&pixel.r, static_cast<float>(samples.radiance.x));
    atomicAdd(&pixel.g, static_cast<float>(samples.radiance.y));
    atomicAdd(&pixel.b, static_cast<float>(samples.radiance.z));
    atomicAdd(&pixel.samples, static_cast<float>(samples.count));
}

template <Variant V>
__device__ __forceinline__ void renderThread(const LaunchParams<Real<V>>& p,
                                             RayCounts<V.countDepths>& counts) {
    constexpr Footprint kFootprint = footprint(V);
    const Place place = placeOf(V, threadIdx.x, threadIdx.y);
    const int i = blockIdx.x * kFootprint.width + place.x;
    const int y = p.y0 + blockIdx.y * kFootprint.height + place.y;
    if constexpr (V.samplesAs == SamplesAs::threads) {
        renderSample<V>(p, i, y, counts);
    } else {
        const int x = p.x0 + i;
        const bool inside = x < p.x1 && y < p.y1;
        GeneratorOf<V> rng = rowGenerator<V>(p, y, p.firstSample);
        if constexpr (V.sceneMemory == SceneMemory::shared)
            renderPixelsTogether<Real<V>, V>(p, x, y, inside, rng, counts);
        else if (inside)
            renderPixel<Real<V>, V>(p, x, y, rng, counts);
    }
}

template <Variant V>
__device__ __forceinline__ void renderBlock(const LaunchParams<Real<V>>& p) {
    RayCounts<V.countDepths> counts;
    if constexpr (V.path == Path::recursive) {
        __shared__ BlockCounters block;
        clear(block);
        renderThread<V>(p, counts);
        forEach(counts, p.maxDepth, [&](int i, unsigned n) {
            if (n != 0) atomicAdd(&block.sums[i], static_cast<unsigned long long>(n));
        });
        flushByTheLast(block, p.counters);
    } else {
        renderThread<V>(p, counts);
        forEach(counts, p.maxDepth, [&](int i, unsigned n) { addWarp(p.counters + i, n); });
    }
}

template <Variant V>
__global__ void __launch_bounds__(V.blockX* V.blockY)
    megakernel(const __grid_constant__ LaunchParams<Real<V>> p) {
    renderBlock<V>(p);
}

/// The twin for Variant::maxRegisters: the compiler ignores --maxrregcount where a kernel states
/// its launch bounds.
template <Variant V>
__global__ void cappedMegakernel(const __grid_constant__ LaunchParams<Real<V>> p) {
    renderBlock<V>(p);
}

}  // namespace rayscope
