#pragma once

#include "renderer/core/path.h"
#include "renderer/core/path_store.h"

// The stages of Engine::wavefront and Engine::hybrid, each for one path: make its camera ray, find
// its hit, continue from there, add its sample to the film. All paths of a wave are at the same
// depth.

namespace rayscope {

/// Paths that are traced together: all samples of consecutive pixels of the launch's rectangle, row
/// by row. Path p is sample p % samples of pixel p / samples.
template <class Real>
struct Wave {
    LaunchParams<Real> launch;
    PathMemory memory;
    int firstPixel, pixels;  ///< which pixels of the rectangle
    int depth;               ///< rays traced so far, per path
};

/// A material by value or by reference.
template <class Real, bool Reference>
struct MaterialOf {
    using Type = MaterialRecord<Real>;
};
template <class Real>
struct MaterialOf<Real, true> {
    using Type = const MaterialRecord<Real>&;
};

/// True if stages refer to the material in memory.
template <Variant V>
inline constexpr bool kMaterialReferences =
    V.engine == Engine::wavefront&& V.access != Access::copyAll;

template <Variant V, class Real>
using StageMaterial = typename MaterialOf<Real, kMaterialReferences<V>>::Type;

/// Index in the film of a pixel of the wave.
template <class Real>
RAYSCOPE_FN int filmIndex(const Wave<Real>& wave, int pixel) {
    const LaunchParams<Real>& p = wave.launch;
    const int width = p.x1 - p.x0;
    const int i = wave.firstPixel + pixel;
    return (p.y0 + i / width) * p.width + p.x0 + i % width;
}

/// The camera ray of a path; starts its random numbers.
template <Variant V, class Real>
RAYSCOPE_FN Ray<Real> cameraRayOf(const Wave<Real>& wave, int path, GeneratorOf<V>* rng) {
    const LaunchParams<Real>& p = wave.launch;
    const int pixel = filmIndex(wave, path / p.samples);
    const int sample = p.firstSample + path % p.samples;
    *rng = makeRng<GeneratorOf<V>>(pixel, sample, p.seed);
    return cameraRay<V>(p, pixel % p.width, pixel / p.width, sample, *rng);
}

template <Variant V, class Real>
RAYSCOPE_FN void generate(const Wave<Real>& wave, int path, CountsOf<V>& counts) {
    const PathStore<Real, V> paths{wave.memory};
    ++counts.camera;
    if constexpr (PathStore<Real, V>::kReferences) {
        paths.setRay(path, cameraRayOf<V>(wave, path, &paths.random(path)));
    } else {
        GeneratorOf<V> rng;
        paths.setRay(path, cameraRayOf<V>(wave, path, &rng));
        paths.random(path) = rng;
    }
}

/// True if the path in this slot is alive; in a list of live paths, all are.
template <Variant V, class Real>
RAYSCOPE_FN bool goesOn(const Wave<Real>& wave, int slot) {
    if constexpr (V.compaction != Compaction::off) return true;
    return wave.depth == 0 || !PathStore<Real, V>{wave.memory}.ended(slot);
}

/// Record::wide: stores the position of a hit, and the outward normal there.
template <class Real, Variant V>
RAYSCOPE_FN void storePlace(const SceneView<Real, V>& scene, const PathStore<Real, V>& paths,
                            int slot, const Ray<Real>& ray, const Hit<Real>& hit) {
    const Vec3<Real> position = mulAdd(ray.direction, hit.distance, ray.origin);
    if constexpr (has(V, kTriangles)) {
        if (kindOf(hit.shape) == ShapeKind::triangle) {
            const TriangleHit<Real, V> triangle(scene, hit.shape, position);
            return paths.setPlace(slot, position, triangleNormal(triangle, ray));
        }
    }
    const Vec3<Real> normal = withShape(scene, hit.shape, [&](const auto& shape) RAYSCOPE_INLINED {
        return shape.normal(position, shape.template material<false>(position).inverseRadius);
    });
    paths.setPlace(slot, position, normal);
}

/// The closest hit. With SceneMemory::shared all threads of a block must call this, those without a
/// ray with active = false.
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> search(const SceneView<Real, V>& scene, const Ray<Real>& ray, bool active) {
    if constexpr (V.sceneMemory == SceneMemory::shared) {
        return closestHit(scene, ray, active);
    } else {
        return active ? closestHit(scene, ray) : Hit<Real>{scene.params.tMax, kNoShape};
    }
}

/// Finds what the ray in this slot hits.
template <Variant V, class Real>
RAYSCOPE_FN void extend(const Wave<Real>& wave, int slot, bool active, CountsOf<V>& counts) {
    const SceneView<Real, V> scene{wave.launch.scene, wave.launch.params};
    const PathStore<Real, V> paths{wave.memory};
    active = active && goesOn<V>(wave, slot);
    const auto& ray = paths.ray(active ? slot : 0, wave.depth == 0);
    const Hit<Real> hit = search(scene, ray, active);
    if (!active) return;
    countClosest<V>(counts, wave.depth);
    if constexpr (V.record == Record::wide) {
        if (kindOf(hit.shape) != ShapeKind::none) storePlace(scene, paths, slot, ray, hit);
    }
    paths.setHit(slot, hit);
}

/// The surface at a hit. `Stored`: its position and normal are in memory (Record::wide).
template <bool Stored, class Real, Variant V>
RAYSCOPE_FN Surface<Real, StageMaterial<V, Real>> surfaceOf(const SceneView<Real, V>& scene,
                                                            const PathStore<Real, V>& paths,
                                                            int slot, const Ray<Real>& ray,
                                                            const Hit<Real>& hit) {
    const Vec3<Real> position =
        Stored ? paths.position(slot) : mulAdd(ray.direction, hit.distance, ray.origin);
    if constexpr (has(V, kTriangles)) {
        if (kindOf(hit.shape) == ShapeKind::triangle) {
            const TriangleHit<Real, V> triangle(scene, hit.shape, position);
            const Vec3<Real> normal = Stored ? paths.normal(slot) : triangleNormal(triangle, ray);
            return triangleSurface<StageMaterial<V, Real>>(triangle, ray, hit.shape, position,
                                                           normal);
        }
    }
    return withShape(scene, hit.shape, [&](const auto& shape) RAYSCOPE_INLINED {
        const auto& m = shape.template material<kMaterialReferences<V>>(position);
        const Vec3<Real> normal =
            Stored ? paths.normal(slot) : shape.normal(position, m.inverseRadius);
        return Surface<Real, StageMaterial<V, Real>>{position, normal, shape.facing(normal, ray), m,
                                                     hit.shape};
    });
}

/// Adds a vertex to the path's sample.
template <class Real, Variant V>
RAYSCOPE_FN void gather(const PathStore<Real, V>& paths, int path, bool first,
                        const Vertex<Real>& v) {
    if constexpr (PathStore<Real, V>::kReferences) {
        Sample<Real>& sample = paths.sampleRecord(path);
        if (first) sample = {{0, 0, 0}, {1, 1, 1}};
        sample.radiance = sample.radiance + sample.throughput * v.radiance;
        sample.throughput = sample.throughput * v.weight;
    } else {
        Sample<Real> sample{{0, 0, 0}, {1, 1, 1}};
        if (!first) sample = {paths.radiance(path), paths.throughput(path)};
        paths.setRadiance(path, sample.radiance + sample.throughput * v.radiance);
        if (v.alive) paths.setThroughput(path, sample.throughput * v.weight);
    }
}

/// Continues from the end of a ray. Returns false if the path ends.
template <Variant V, bool Stored, class Real>
RAYSCOPE_FN bool proceed(const Wave<Real>& wave, int slot, int path, const Ray<Real>& ray,
                         const Hit<Real>& hit, GeneratorOf<V>& rng, CountsOf<V>& counts) {
    const SceneView<Real, V> scene{wave.launch.scene, wave.launch.params};
    const PathStore<Real, V> paths{wave.memory};
    const bool first = wave.depth == 0;
    Vertex<Real> v;
    const PathState<GeneratorOf<V>> state{&rng, wave.depth, !first && paths.sampled(path)};
    if (kindOf(hit.shape) == ShapeKind::none) {
        v = miss(scene, ray, state.sampled);
    } else {
        v = scatter(scene, ray, surfaceOf<Stored>(scene, paths, slot, ray, hit), state,
                    wave.launch.maxDepth, counts);
    }
    gather(paths, path, first, v);
    if (!v.alive) {
        if constexpr (V.compaction == Compaction::off) paths.end(slot);
        return false;
    }
    if constexpr (!Stored && V.record == Record::compact && keepsHits(V)) paths.setHit(slot, hit);
    paths.setRay(slot, v.next);
    paths.setSampled(path, v.sampled);
    return true;
}

/// Continues from the hit in this slot. Returns false if the path ends.
template <Variant V, class Real>
RAYSCOPE_FN bool shadePath(const Wave<Real>& wave, int slot, int path, CountsOf<V>& counts) {
    constexpr bool kStored = V.record == Record::wide;
    const PathStore<Real, V> paths{wave.memory};
    if (!goesOn<V>(wave, slot)) return false;
    const auto& ray = paths.ray(slot, wave.depth == 0);
    const auto& hit = paths.hit(slot);
    if constexpr (PathStore<Real, V>::kReferences) {
        return proceed<V, kStored>(wave, slot, path, ray, hit, paths.random(path), counts);
    } else {
        GeneratorOf<V> rng = paths.random(path);
        const bool alive = proceed<V, kStored>(wave, slot, path, ray, hit, rng, counts);
        if (alive) paths.random(path) = rng;
        return alive;
    }
}

/// Finds the hit of a ray and continues from there. `Camera`: makes the ray, too. Returns false if
/// the path ends.
template <Variant V, bool Camera, class Real>
RAYSCOPE_FN bool tracePath(const Wave<Real>& wave, int path, bool active, CountsOf<V>& counts) {
    const SceneView<Real, V> scene{wave.launch.scene, wave.launch.params};
    const PathStore<Real, V> paths{wave.memory};
    if constexpr (!Camera) active = active && goesOn<V>(wave, path);
    const auto proceedFrom = [&](const Ray<Real>& ray, GeneratorOf<V>& rng) RAYSCOPE_INLINED {
        const Hit<Real> hit = search(scene, ray, active);
        if (!active) return false;
        if constexpr (Camera) ++counts.camera;
        countClosest<V>(counts, wave.depth);
        return proceed<V, false>(wave, path, path, ray, hit, rng, counts);
    };
    const int readable = active ? path : 0;
    if constexpr (PathStore<Real, V>::kReferences && !Camera) {
        return proceedFrom(paths.ray(readable, wave.depth == 0), paths.random(readable));
    } else {
        GeneratorOf<V> rng;
        Ray<Real> ray;
        if constexpr (Camera) {
            ray = cameraRayOf<V>(wave, readable, &rng);
        } else {
            ray = paths.ray(readable, wave.depth == 0);
            rng = paths.random(readable);
        }
        const bool alive = proceedFrom(ray, rng);
        if (alive) paths.random(path) = rng;
        return alive;
    }
}

/// The sum of a pixel's samples.
template <Variant V, class Real>
RAYSCOPE_FN Samples<Real> samplesOf(const PathMemory& memory, int pixel, int samples) {
    const PathStore<Real, V> paths{memory};
    Vec3<Real> sum{0, 0, 0};
    for (int s = 0; s < samples; ++s) sum = sum + paths.radiance(pixel * samples + s);
    return {sum, samples};
}

/// Adds a pixel's samples to the film.
template <Variant V, class Real>
RAYSCOPE_FN void accumulate(const Wave<Real>& wave, int pixel) {
    addSamples(wave.launch.film[filmIndex(wave, pixel)],
               samplesOf<V, Real>(wave.memory, pixel, wave.launch.samples));
}

}  // namespace rayscope
