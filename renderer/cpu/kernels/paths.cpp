#include "renderer/core/cells.h"
#include "renderer/core/compact.h"
#include "renderer/core/fixed_film.h"
#include "renderer/core/pool.h"
#include "renderer/cpu/kernels/kernel.h"

// Engine::megakernel and Engine::regeneration: a thread follows paths from end to end. To a kernel
// that shares samples among the lanes of a warp a thread is a warp of one lane.

namespace rayscope {

/// Pixel after pixel, row after row.
template <Variant V>
void renderPixels(const LaunchParams<Real<V>>& launch, CountsOf<V>& counts) {
    for (int y = launch.y0; y < launch.y1; ++y) {
        const int first = y * launch.width + launch.x0;
        GeneratorOf<V> rng = rowGenerator<V>(launch, first, launch.firstSample);
        for (int x = launch.x0; x < launch.x1; ++x) {
            if constexpr (V.engine == Engine::regeneration && V.begin == Begin::merged)
                renderPixelInStep<Real<V>, V>(launch, x, y, true, counts);
            else
                renderPixel<Real<V>, V>(launch, x, y, true, rng, counts);
        }
    }
}

/// What shading reads of all spheres.
template <Variant V>
struct CompactSurfaces {
    // what is no hit has the number of some sphere, too
    CompactSurface surfaces[1 << keyBits(V.traits.sphereCount)];

    explicit CompactSurfaces(const LaunchParams<float>& launch) {
        const SceneView<float, V> scene{launch.scene, launch.params};
        for (int i = 0; i < V.traits.sphereCount; ++i) surfaces[i] = compactSurface(scene, i);
    }
};

/// Piece after piece of SamplesFrom::queue.
template <Variant V>
void renderQueue(const LaunchParams<Real<V>>& launch, CountsOf<V>& counts) {
    launch.counters[kTickets] = 0;  // the queue is this rectangle's
    const SceneView<Real<V>, V> scene{launch.scene, launch.params};
    if constexpr (isCompact(V)) {
        const CompactSurfaces<V> table(launch);
        LitHits<V> hits;
        renderPiecesCompactly(launch, NearTable<CompactSurface>(table.surfaces), hits, 0, counts);
    } else if constexpr (isAmongCells(V)) {
        NearGrid<V> near;
        copyNear(scene, 0, 1, near);
        renderPiecesAmongCells<V>(launch, near, 0, counts);
    } else {
        renderPieces(launch, scene, 0, counts);
    }
    if constexpr (V.film == FilmSums::fixed) {
        for (int y = launch.y0; y < launch.y1; ++y) {
            for (int x = launch.x0; x < launch.x1; ++x) takeSums<V>(launch, y * launch.width + x);
        }
    }
}

/// Renders the launch's rectangle on the calling thread and adds to the launch's counters.
template <Variant V>
void render(const LaunchParams<Real<V>>& launch, const void* /*memory*/) {
    CountsOf<V> counts;
    if constexpr (pools(V))
        renderQueue<V>(launch, counts);
    else
        renderPixels<V>(launch, counts);
    addCounts<V>(counts, launch);
}

/// Traces samples of a pixel for Variant::recordLengths or recordTime. `radiance` is there so that
/// the compiler does not leave out what only that needs.
template <Variant V>
void record(const LaunchParams<Real<V>>& launch, int x, int y, int first, int count,
            Vec3<Real<V>>* radiance) {
    CountsOf<V> counts;
    if constexpr (V.recordLengths) counts.hits = launch.hits;
    GeneratorOf<V> rng{};
    *radiance = followSamples<Real<V>, V>(launch, x, y, first, count, rng, counts).radiance;
}

}  // namespace rayscope
