#include "renderer/core/path.h"
#include "renderer/core/tiles.h"
#include "renderer/cuda/kernels/footprint.h"
#include "renderer/cuda/kernels/kernel.h"

// The whole path in one kernel: one thread a pixel. Compiled at run time by NVRTC for one Variant.

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

template <Variant V>
__device__ __forceinline__ void renderBlock(const LaunchParams<Real<V>>& p) {
    constexpr Footprint kFootprint = footprint(V);
    int x = p.x0 + blockIdx.x * kFootprint.width;
    int y = p.y0 + blockIdx.y * kFootprint.height;
    if constexpr (V.order == Order::rows) {
        x += threadIdx.x;
        y += threadIdx.y;
    } else {
        const int thread = threadIdx.y * V.blockX + threadIdx.x;
        const int warp = thread / 32;
        const int lane = thread % 32;
        x += warp % kFootprint.tilesAcross * kTileWidth + lane % kTileWidth;
        y += warp / kFootprint.tilesAcross * kTileHeight + lane / kTileWidth;
    }
    RayCounts<V.countDepths> counts;
    const bool inside = x < p.x1 && y < p.y1;
    if constexpr (V.path == Path::recursive) {
        __shared__ BlockCounters block;
        clear(block);
        if (inside) renderPixel<Real<V>, V>(p, x, y, counts);
        forEach(counts, p.maxDepth, [&](int i, unsigned n) {
            if (n != 0) atomicAdd(&block.sums[i], static_cast<unsigned long long>(n));
        });
        flushByTheLast(block, p.counters);
    } else {
        if constexpr (V.sceneMemory == SceneMemory::shared)
            renderPixelsTogether<Real<V>, V>(p, x, y, inside, counts);
        else if (inside)
            renderPixel<Real<V>, V>(p, x, y, counts);
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
