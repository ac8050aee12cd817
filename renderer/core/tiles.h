#pragma once

#include "renderer/core/path.h"

// SceneMemory::shared, for GPU kernels only: the threads of a block load `tile` spheres at a time
// into shared memory and all test them there, as N-body kernels do (Nyland, Harris and Prins 2007,
// "Fast N-Body Simulation with CUDA"). There are barriers around each tile, so all threads of a
// block must come here together, even those without a ray. Shadow rays and materials read global
// memory.

namespace rayscope {

/// The variant whose scene is one tile.
constexpr RAYSCOPE_FN Variant tileOf(Variant v) {
    v.sceneMemory = SceneMemory::global;
    v.traits.sphereCount = v.tile;
    return v;
}

/// Copies spheres [begin, begin + count) to `tile`, in the layout of tileOf(V), with all threads of
/// the block.
template <class Real, Variant V>
RAYSCOPE_FN void loadTile(const SceneView<Real, V>& scene, int begin, int count, uint4* tile) {
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int threads = blockDim.x * blockDim.y;
    constexpr bool kCurved = SceneView<Real, V>::kCurved;
    if constexpr (V.sceneLayout == SceneLayout::aos) {
        constexpr int kVectors = geometryBytes<Real>(V.sceneLayout, kCurved) / sizeof(uint4);
        const uint4* const spheres = scene.template at<uint4>() + begin * kVectors;
        for (int i = thread; i < count * kVectors; i += threads) tile[i] = spheres[i];
    } else {
        Real* const fields = reinterpret_cast<Real*>(tile);
        for (int f = 0; f < geometryFields(kCurved); ++f) {
            for (int i = thread; i < count; i += threads)
                fields[f * V.tile + i] = scene.geometry(f)[begin + i];
        }
    }
}

/// closestHit() for all threads of the block together; those that are not active only help to load.
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestHit(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                 bool active) {
    constexpr bool kCurved = SceneView<Real, V>::kCurved;
    __shared__ uint4 bytes[V.tile * geometryBytes<Real>(V.sceneLayout, kCurved) / sizeof(uint4)];
    const SceneView<Real, tileOf(V)> tile{reinterpret_cast<const unsigned char*>(bytes),
                                          scene.params};
    Hit<Real> hit{scene.params.tMax, kNoShape};
    Ray<Real> inTile = ray;
    for (int begin = 0; begin < scene.count(); begin += V.tile) {
        const int count = minimum(V.tile, scene.count() - begin);
        __syncthreads();  // all have read the previous tile
        loadTile(scene, begin, count, bytes);
        __syncthreads();
        if (active) {
            inTile.from = ray.from - begin;
            Hit<Real> nearer{hit.distance, kNoShape};
            for (int i = 0; i < count; ++i) meet(tile, i, inTile, nearer);
            if (nearer.shape >= 0) hit = {nearer.distance, begin + nearer.shape};
        }
    }
    meetUnbounded(scene, ray, hit);
    return hit;
}

/// followEach() with the block's threads in step: all go on until none has a live path. A thread
/// outside the film has no path.
template <class Real, Variant V>
RAYSCOPE_FN Samples<Real> followTogether(const LaunchParams<Real>& launch, int x, int y,
                                         bool inside, int first, int count, GeneratorOf<V>& rng,
                                         CountsOf<V>& counts) {
    const SceneView<Real, V> scene{launch.scene, launch.params};
    const int pixel = y * launch.width + x;
    Vec3<Real> sum{0, 0, 0};
    for (int s = 0; s < count; ++s) {
        Ray<Real> ray{};
        if (inside) {
            const int sample = first + s;
            startPath<V>(launch, pixel, sample, rng);
            ray = cameraRay<V>(launch, x, y, sample, rng);
            ++counts.camera;
        }
        Vec3<Real> radiance{0, 0, 0};
        Vec3<Real> throughput{1, 1, 1};
        PathState<GeneratorOf<V>> path{&rng, 0, false};
        bool alive = inside;
        while (__syncthreads_or(alive)) {
            const Hit<Real> hit = closestHit(scene, ray, alive);
            if (alive) {
                ++counts.closest;
                const Vertex<Real> v = vertexAt(scene, ray, hit, path, launch.maxDepth, counts);
                radiance = radiance + throughput * v.radiance;
                throughput = throughput * v.weight;
                ray = v.next;
                path = {&rng, path.depth + 1, v.sampled};
                alive = v.alive;
            }
        }
        sum = sum + radiance;
    }
    return {sum, count};
}

/// renderPixel() for all threads of the block together.
template <class Real, Variant V>
RAYSCOPE_FN void renderPixelsTogether(const LaunchParams<Real>& launch, int x, int y, bool inside,
                                      GeneratorOf<V>& rng, CountsOf<V>& counts) {
    const Samples<Real> samples = followTogether<Real, V>(launch, x, y, inside, launch.firstSample,
                                                          launch.samples, rng, counts);
    if (inside) addSamples(launch.film[y * launch.width + x], samples);
}

}  // namespace rayscope
