#include "renderer/core/cells.h"
#include "renderer/core/compact.h"
#include "renderer/core/fixed_film.h"
#include "renderer/core/footprint.h"
#include "renderer/core/path.h"
#include "renderer/core/pool.h"
#include "renderer/core/tiles.h"
#include "renderer/cuda/kernels/kept.h"
#include "renderer/cuda/kernels/top_nodes.h"

// The whole path in one kernel, with one thread per pixel or per sample. Compiled at run time by
// NVRTC for one Variant.

namespace rayscope {

/// The sum over this lane and those after it of the same pixel: in a pixel's first lane, the sum
/// over all of its lanes. All 32 lanes must arrive.
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

/// What a warp adds up: in fixed point, as its share of a pixel's samples varies with the block.
template <Variant V>
__device__ __forceinline__ auto summands(const Samples<Real<V>>& samples) {
    if constexpr (V.film == FilmSums::fixed)
        return Samples<Fixed>{toFixed(samples.radiance), samples.count};
    else
        return samples;
}

/// One sample per thread: number i of the row, pixel after pixel. A warp adds up its lanes' samples
/// of each pixel first.
template <Variant V>
__device__ __forceinline__ void renderSample(const LaunchParams<Real<V>>& p, int i, int y,
                                             CountsOf<V>& counts) {
    const int x = p.x0 + i / p.samples;
    const int sample = i % p.samples;
    const bool inside = x < p.x1 && y < p.y1;
    Samples<Real<V>> samples{{0, 0, 0}, 0};
    const int number = p.firstSample + sample;
    GeneratorOf<V> rng = rowGenerator<V>(p, y, number);
    const Rendezvous<V.path == Path::recursive> lanes(true);
    if constexpr (V.sceneMemory == SceneMemory::shared)
        samples = followTogether<Real<V>, V>(p, x, y, inside, number, 1, rng, counts);
    else if (inside || V.path == Path::recursive)
        samples = followSamples<Real<V>, V>(p, x, y, number, inside ? 1 : 0, rng, counts);
    lanes.meet();
    const auto sum = sumOfPixel(summands<V>(samples), x);
    const bool first = sample == 0 || threadOfBlock() % kWarp == 0;
    if (!inside || !first) return;
    Pixel& pixel = p.film[y * p.width + x];
    if constexpr (V.film == FilmSums::fixed) {
        addFixed(p, y * p.width + x, sum.radiance);
    } else {
        atomicAdd(&pixel.r, static_cast<float>(sum.radiance.x));
        atomicAdd(&pixel.g, static_cast<float>(sum.radiance.y));
        atomicAdd(&pixel.b, static_cast<float>(sum.radiance.z));
    }
    atomicAdd(&pixel.samples, static_cast<float>(sum.count));
}

/// The scene, copied to shared memory. All threads of the block must arrive.
template <Variant V>
__device__ __forceinline__ SceneView<Real<V>, V> copyScene(const LaunchParams<Real<V>>& p) {
    using Words = uint4;
    constexpr int kWords = SceneView<Real<V>, V>::kBlockBytes / static_cast<int>(sizeof(Words));
    __shared__ Words copy[kWords];
    for (int i = threadOfBlock(); i < kWords; i += V.blockX * V.blockY)
        copy[i] = reinterpret_cast<const Words*>(p.scene)[i];
    __syncthreads();
    return {reinterpret_cast<const unsigned char*>(copy), p.params};
}

/// What shading reads of all spheres, in shared memory. All threads of the block must arrive.
template <Variant V>
__device__ __forceinline__ NearTable<CompactSurface> compactSurfaces(const LaunchParams<float>& p) {
    // what is no hit has the number of some sphere, too
    __shared__ CompactSurface surfaces[1 << keyBits(V.traits.sphereCount)];
    const SceneView<float, V> scene{p.scene, p.params};
    for (int i = threadOfBlock(); i < V.traits.sphereCount; i += V.blockX * V.blockY)
        surfaces[i] = compactSurface(scene, i);
    __syncthreads();
    return NearTable<CompactSurface>(surfaces);
}

/// What all rays read of the grid, in shared memory. All threads of the block must arrive.
template <Variant V>
__device__ __forceinline__ const NearGrid<V>& nearGrid(const LaunchParams<float>& p) {
    __shared__ NearGrid<V> near;
    copyNear(SceneView<float, V>{p.scene, p.params}, threadOfBlock(), V.blockX * V.blockY, near);
    __syncthreads();
    return near;
}

template <Variant V>
__device__ __forceinline__ void renderThread(const LaunchParams<Real<V>>& p, CountsOf<V>& counts) {
    if constexpr (pools(V)) {
        constexpr int kWarps = V.blockX * V.blockY / kWarp;
        const int piece = blockIdx.x * kWarps + threadOfBlock() / kWarp;
        if constexpr (isCompact(V)) {
            __shared__ LitHits<V> hits[queuesLights(V) ? kWarps : 1];
            const int warp = queuesLights(V) ? threadOfBlock() / kWarp : 0;
            renderPiecesCompactly(p, compactSurfaces<V>(p), hits[warp], piece, counts);
        } else if constexpr (isAmongCells(V)) {
            renderPiecesAmongCells<V>(p, nearGrid<V>(p), piece, counts);
        } else if constexpr (V.sceneMemory == SceneMemory::baked &&
                             V.sceneLayout == SceneLayout::aos) {
            renderPieces(p, copyScene<V>(p), piece, counts);
        } else {
            const SceneView<Real<V>, V> scene{p.scene, p.params};
            renderPieces(p, scene, piece, counts);
        }
        return;
    }
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
        const Rendezvous<V.path == Path::recursive> lanes(true);
        if constexpr (V.sceneMemory == SceneMemory::shared)
            renderPixelsTogether<Real<V>, V>(p, x, y, inside, rng, counts);
        else if constexpr (V.engine == Engine::regeneration && V.begin == Begin::merged)
            renderPixelInStep<Real<V>, V>(p, x, y, inside, counts);
        else
            renderPixel<Real<V>, V>(p, x, y, inside, rng, counts);
        lanes.meet();
    }
}

template <Variant V>
__device__ __forceinline__ void flush(const LaunchParams<Real<V>>& p, const CountsOf<V>& counts) {
    addWarp(p.counters, counts.camera);
    addWarp(p.counters + 1, counts.closest);
    addWarp(p.counters + 2, counts.shadow);
    if constexpr (V.countDepths) {
        for (int d = 0; d < p.maxDepth; ++d) addWarp(p.counters + 3 + d, counts.depth[d]);
    }
}

template <Variant V>
__device__ __forceinline__ void renderBlock(const LaunchParams<Real<V>>& p) {
    prepareKept<V>();
    CountsOf<V> counts;
    if constexpr (V.recordLengths) counts.hits = p.hits;
    if constexpr (copiesTopNodes(V)) copyTopNodes<V>(p);
    renderThread<V>(p, counts);
    if constexpr (V.countRays) flush<V>(p, counts);
}

template <Variant V>
__global__ void __launch_bounds__(V.blockX* V.blockY)
    megakernel(const __grid_constant__ LaunchParams<Real<V>> p) {
    renderBlock<V>(p);
}

/// The twin for Variant::maxRegisters: the compiler ignores --maxrregcount for a kernel with launch
/// bounds.
template <Variant V>
__global__ void cappedMegakernel(const __grid_constant__ LaunchParams<Real<V>> p) {
    renderBlock<V>(p);
}

/// FilmSums::fixed: takeSums() of a band, with a thread for each pixel.
template <Variant V>
__global__ void addSums(const __grid_constant__ LaunchParams<Real<V>> p) {
    const int i = blockIdx.x * (V.blockX * V.blockY) + threadOfBlock();
    if (i < (p.y1 - p.y0) * p.width) takeSums<V>(p, p.y0 * p.width + i);
}

}  // namespace rayscope
