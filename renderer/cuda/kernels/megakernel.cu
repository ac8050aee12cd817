#include "renderer/core/path.h"
#include "renderer/cuda/kernels/footprint.h"

// The whole path in one kernel: one thread a pixel. Compiled at run time by NVRTC for one Variant.

namespace rayscope {

template <Precision P>
struct RealOf;
template <>
struct RealOf<Precision::float32> {
    using Type = float;
};
template <>
struct RealOf<Precision::float64> {
    using Type = double;
};

template <Variant V>
using Real = typename RealOf<V.precision>::Type;

/// Adds the warp's sum of `value`: one atomic a warp. All 32 lanes must arrive.
__device__ __forceinline__ void addWarp(unsigned long long* counter, unsigned value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
    const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (thread % 32 == 0 && value != 0) atomicAdd(counter, static_cast<unsigned long long>(value));
}

/// Adds the block's sum of `value` through shared memory, without shuffles: after a recursive call
/// the lanes of a warp do not come together again, and ptxas 13.0 leaves out the synchronisation
/// that __shfl_down_sync asks for, so that half of the counts were lost.
__device__ __forceinline__ void addBlock(unsigned long long* counter, unsigned value) {
    __shared__ unsigned long long sum;
    const bool first = threadIdx.x == 0 && threadIdx.y == 0;
    __syncthreads();
    if (first) sum = 0;
    __syncthreads();
    atomicAdd(&sum, static_cast<unsigned long long>(value));
    __syncthreads();
    if (first && sum != 0) atomicAdd(counter, sum);
}

template <Variant V>
__device__ __forceinline__ void add(unsigned long long* counter, unsigned value) {
    if constexpr (V.path == Path::recursive) addBlock(counter, value);
    else addWarp(counter, value);
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
    if (x < p.x1 && y < p.y1) renderPixel<Real<V>, V>(p, x, y, counts);
    add<V>(p.counters, counts.camera);
    add<V>(p.counters + 1, counts.closest);
    add<V>(p.counters + 2, counts.shadow);
    if constexpr (V.countDepths) {
        for (int d = 0; d < p.maxDepth; ++d) add<V>(p.counters + 3 + d, counts.depth[d]);
    }
}

template <Variant V>
__global__ void __launch_bounds__(V.blockX * V.blockY)
    megakernel(const __grid_constant__ LaunchParams<Real<V>> p) {
    renderBlock<V>(p);
}

/// The twin for Variant::maxRegisters: the compiler ignores --maxrregcount where a kernel states its
/// launch bounds.
template <Variant V>
__global__ void cappedMegakernel(const __grid_constant__ LaunchParams<Real<V>> p) {
    renderBlock<V>(p);
}

}  // namespace rayscope
