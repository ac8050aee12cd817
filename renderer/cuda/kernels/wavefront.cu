#include "renderer/core/tiles.h"
#include "renderer/cuda/kernels/kept.h"
#include "renderer/cuda/kernels/kernel.h"
#include "renderer/cuda/kernels/radix_sort.h"
#include "renderer/cuda/kernels/stage.h"
#include "renderer/cuda/kernels/top_nodes.h"

// One kernel per stage, with the paths in memory in between. Compiled at run time by NVRTC for one
// Variant; kernel_names.cpp says which stages a program has.

namespace rayscope {

/// Runs the stage for one path; false if the path ends.
template <Variant V, Stage S>
__device__ __forceinline__ bool runStage(const StageParams<Real<V>>& p, int path, bool active,
                                         CountsOf<V>& counts) {
    if constexpr (S == Stage::extend) {
        extend<V>(p.wave, path, active, counts);
    } else if constexpr (S == Stage::primary) {
        return tracePath<V, V.raySource == RaySource::fused>(p.wave, path, active, counts);
    } else if constexpr (S == Stage::trace) {
        return tracePath<V, false>(p.wave, path, active, counts);
    } else if (active) {
        if constexpr (S == Stage::generate) generate<V>(p.wave, path, counts);
        if constexpr (S == Stage::shade) return shadePath<V>(p.wave, path, path, counts);
    }
    return false;
}

/// Appends the warp's live paths to the queue with one atomic. All 32 lanes must arrive.
__device__ __forceinline__ void append(int path, bool alive, int* queue, int* length) {
    const unsigned lanes = __ballot_sync(~0u, alive);
    const int lane = threadOfBlock() % 32;
    int begin = 0;
    if (lane == 0 && lanes != 0) begin = atomicAdd(length, __popc(lanes));
    begin = __shfl_sync(~0u, begin, 0);
    if (alive) queue[begin + __popc(lanes & ((1u << lane) - 1))] = path;
}

template <Variant V, Stage S>
__device__ __forceinline__ void flush(const LaunchParams<Real<V>>& launch, int depth,
                                      const CountsOf<V>& counts) {
    constexpr bool kTraces = S == Stage::primary || S == Stage::trace;
    constexpr bool kFirst = S == Stage::primary && V.raySource == RaySource::fused;
    constexpr bool kLights = V.lightSampling || has(V, kFloor | kGlossy);
    if constexpr (S == Stage::generate || kFirst) addWarp(launch.counters, counts.camera);
    if constexpr (S == Stage::extend || kTraces) {
        addWarp(launch.counters + 1, counts.closest);
        if constexpr (V.countDepths) addWarp(launch.counters + 3 + depth, counts.closest);
    }
    if constexpr (kLights && (S == Stage::shade || kTraces)) {
        addWarp(launch.counters + 2, counts.shadow);
    }
}

/// How many paths the stage is for. With Compaction::device the host does not know.
template <Variant V>
__device__ __forceinline__ int pathsOf(const StageParams<Real<V>>& p) {
    return V.compaction == Compaction::device && p.length != nullptr ? *p.length : p.count;
}

/// Runs the stage for all live paths. With Compaction::device a grid that fills the device strides
/// over the queue.
template <Variant V, Stage S>
__device__ __forceinline__ void runPaths(const StageParams<Real<V>>& p) {
    constexpr int kThreads = V.blockX * V.blockY;
    constexpr bool kEnds = S != Stage::generate && S != Stage::extend;
    constexpr bool kQueue = V.compaction == Compaction::device;
    CountsOf<V> counts;
    const int count = pathsOf<V>(p);
    const auto step = [&](int first) {
        const int slot = first + threadOfBlock();
        const bool active = slot < count;
        const int path = active && p.list != nullptr ? p.list[slot] : slot;
        const bool alive = runStage<V, S>(p, path, active, counts);
        if constexpr (kEnds && kQueue) append(path, alive, p.next, p.nextLength);
        if constexpr (kEnds && V.compaction == Compaction::host) {
            if (active) p.wave.memory.alive[slot] = alive;
        }
    };
    if constexpr (kQueue) {
        const int stride = gridDim.x * kThreads;
        for (int first = blockIdx.x * kThreads; first < count; first += stride) step(first);
    } else {
        step(blockIdx.x * kThreads);
    }
    if constexpr (V.countRays) flush<V, S>(p.wave.launch, p.wave.depth, counts);
}

/// By what a path is sorted.
template <Variant V, Stage S>
__device__ __forceinline__ unsigned keyOf(const Wave<Real<V>>& wave, int path) {
    if (!goesOn<V>(wave, path)) return kLastKey;
    const SceneView<Real<V>, V> scene{wave.launch.scene, wave.launch.params};
    const PathStore<Real<V>, V> paths{wave.memory};
    if constexpr (S == Stage::rayKeys)
        return rayKey<V.rayOrder>(paths.ray(path, true), reachOf(scene));
    else
        return materialKey(scene, paths.hit(path));
}

/// Lists the live paths with their keys, and counts how often each digit of these occurs.
template <Variant V, Stage S>
__device__ __forceinline__ void listKeys(const StageParams<Real<V>>& p) {
    constexpr int kPasses = S == Stage::rayKeys ? kRayPasses : kMaterialPasses;
    __shared__ int digits[kPasses][kSortThreads];
    for (int pass = 0; pass < kPasses; ++pass) digits[pass][threadIdx.x] = 0;
    __syncthreads();
    const int count = pathsOf<V>(p), stride = gridDim.x * kSortThreads;
    for (int slot = blockIdx.x * kSortThreads + threadIdx.x; slot < count; slot += stride) {
        const int path = p.list != nullptr ? p.list[slot] : slot;
        const unsigned key = keyOf<V, S>(p.wave, path);
        p.sorted.keys[0][slot] = key;
        p.sorted.paths[0][slot] = path;
        for (int pass = 0; pass < kPasses; ++pass)
            atomicAdd(&digits[pass][key >> kDigitBits * pass & 255], 1);
    }
    __syncthreads();
    for (int pass = 0; pass < kPasses; ++pass) {
        const int own = digits[pass][threadIdx.x];
        if (own > 0) atomicAdd(&p.sorted.facts->digits[pass][threadIdx.x], own);
    }
}

/// A pass of the sort of live paths.
template <Variant V>
__device__ __forceinline__ void sortPaths(const StageParams<Real<V>>& p) {
    const SortMemory& s = p.sorted;
    const int from = p.pass % 2, to = 1 - from;
    sortTile<unsigned>({s.keys[from], s.keys[to], s.paths[from], s.paths[to], pathsOf<V>(p),
                        kDigitBits * p.pass, s.facts->digits[p.pass], &s.facts->begun[p.pass],
                        s.tiles + p.pass * tilesOf(p.count) * kSortThreads});
}

/// One thread per pixel of the wave.
template <Variant V, Stage S>
__device__ __forceinline__ void runPixels(const StageParams<Real<V>>& p) {
    const int pixel = blockIdx.x * (V.blockX * V.blockY) + threadOfBlock();
    if (pixel >= p.count) return;
    if constexpr (S == Stage::accumulate) {
        accumulate<V>(p.wave, pixel);
    } else {
        Pixel& film = p.wave.launch.film[filmIndex(p.wave, pixel)];
        const Pixel sum = p.sums[pixel];
        film = {film.r + sum.r, film.g + sum.g, film.b + sum.b, film.samples + sum.samples};
    }
}

template <Variant V, Stage S>
__device__ __forceinline__ void run(const StageParams<Real<V>>& p) {
    constexpr bool kTraces = S == Stage::extend || S == Stage::shade || S == Stage::primary ||
                             S == Stage::trace;
    if constexpr (kTraces) prepareKept<V>();
    if constexpr (kTraces && copiesTopNodes(V)) copyTopNodes<V>(p.wave.launch);
    if constexpr (S == Stage::accumulate || S == Stage::addSums)
        runPixels<V, S>(p);
    else if constexpr (S == Stage::rayKeys || S == Stage::materialKeys)
        listKeys<V, S>(p);
    else if constexpr (S == Stage::sort)
        sortPaths<V>(p);
    else
        runPaths<V, S>(p);
}

template <Variant V, Stage S>
__global__ void __launch_bounds__(threadsOf(V, S))
    stage(const __grid_constant__ StageParams<Real<V>> p) {
    run<V, S>(p);
}

/// The twin for Variant::maxRegisters (see megakernel.cu).
template <Variant V, Stage S>
__global__ void cappedStage(const __grid_constant__ StageParams<Real<V>> p) {
    run<V, S>(p);
}

}  // namespace rayscope
