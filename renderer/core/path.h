#pragma once

#include "renderer/core/camera_ray.h"
#include "renderer/core/shade.h"

// The engines in which a thread follows a whole path. All call vertex(), which traces one ray,
// shades the hit and samples the lights.

namespace rayscope {

/// Rays of one thread, counted where they are traced.
template <bool CountDepths, bool CountHits = false>
struct RayCounts {
    unsigned camera = 0, closest = 0, shadow = 0;
};

template <>
struct RayCounts<true> {
    unsigned camera = 0, closest = 0, shadow = 0;
    unsigned depth[kMaxDepth] = {};
};

template <>
struct RayCounts<false, true> {
    unsigned camera = 0, closest = 0, shadow = 0;
    unsigned long long* hits = nullptr;  ///< LaunchParams::hits, or a host thread's own
};

template <Variant V>
using CountsOf = RayCounts<V.countDepths, V.recordLengths>;

/// The summed radiance of several paths, and their number.
template <class Real>
struct Samples {
    Vec3<Real> radiance;
    int count;
};

/// One vertex of a path: the radiance that it adds by itself, and how the path continues.
template <class Real>
struct Vertex {
    Vec3<Real> radiance;
    Vec3<Real> weight;
    Ray<Real> next;
    bool alive;
    bool sampled;
    Aim<Real> aim{};  ///< Begin::merged
};

/// Shades a surface and traces its shadow rays.
template <class Real, Variant V, class M, class Generator>
RAYSCOPE_FN Vertex<Real> scatter(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                 const Surface<Real, M>& surface, PathState<Generator> path,
                                 int maxDepth, CountsOf<V>& counts) {
    const bool last = path.depth + 1 >= maxDepth;
    Bounce<Real> bounce = shade(scene, ray, surface, path, last);
    // those of the lights come after them
    if constexpr (V.begin == Begin::merged && V.lightSampling) draw(bounce.aim, *path.rng);
    Vec3<Real> radiance = bounce.emitted;
    const int samples = lightSamples(scene, surface, last);
    for (int k = 0; k < samples; ++k) {
        const LightSample<Real> light = sampleLight(scene, ray, surface, k, *path.rng);
        if (!light.wanted) continue;
        ++counts.shadow;
        if (!occluded(scene, light.ray, light.distance, light.except)) {
            radiance = radiance + light.radiance;
        }
    }
    return {radiance, bounce.weight, bounce.next, bounce.alive, bounce.sampled, bounce.aim};
}

/// The vertex of a ray that hits nothing. `sampled`: PathState::sampled.
template <class Real, Variant V>
RAYSCOPE_FN Vertex<Real> miss(const SceneView<Real, V>& scene, const Ray<Real>& ray, bool sampled) {
    return {skyRadiance(scene, ray.direction, sampled), {0, 0, 0}, ray, false, false};
}

template <Variant V>
RAYSCOPE_FN void countDepth(CountsOf<V>& counts, int depth) {
    if constexpr (V.countDepths) ++counts.depth[depth];
}

/// Counts one ray that looks for the closest hit.
template <Variant V>
RAYSCOPE_FN void countClosest(CountsOf<V>& counts, int depth) {
    ++counts.closest;
    countDepth<V>(counts, depth);
}

/// Count a path's camera ray and, at its end, the rays after it: two additions per path instead of
/// one per ray.
template <Variant V>
RAYSCOPE_FN void countBegin(CountsOf<V>& counts) {
    ++counts.camera;
    ++counts.closest;
}
template <Variant V>
RAYSCOPE_FN void countEnd(CountsOf<V>& counts, int depth) {
    counts.closest += depth;
}

/// Shades the ray's hit and traces its shadow rays. The caller counts the ray itself.
template <class Real, Variant V, class Generator>
RAYSCOPE_FN Vertex<Real> vertexAt(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                  const Hit<Real>& hit, PathState<Generator> path, int maxDepth,
                                  CountsOf<V>& counts) {
    countDepth<V>(counts, path.depth);
    if constexpr (V.recordLengths) {
        const HitKind kind = kindOf(hit.shape) == ShapeKind::none
                                 ? HitKind::sky
                                 : hitKind(surfaceAt(scene, ray, hit).material);
        addOne(counts.hits[path.depth * kHitKinds + static_cast<int>(kind)]);
    }
    if (kindOf(hit.shape) == ShapeKind::none) return miss(scene, ray, path.sampled);
    return scatter(scene, ray, surfaceAt(scene, ray, hit), path, maxDepth, counts);
}

/// Traces the ray, which the caller counts, and its shadow rays.
template <class Real, Variant V, class Generator>
RAYSCOPE_FN Vertex<Real> vertex(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                PathState<Generator> path, int maxDepth, CountsOf<V>& counts) {
    return vertexAt(scene, ray, closestHit(scene, ray), path, maxDepth, counts);
}

/// Carries the throughput along, so that nothing remains to be done when the path ends.
template <class Real, Variant V, class Generator>
RAYSCOPE_FN Vec3<Real> followLoop(const SceneView<Real, V>& scene, Ray<Real> ray, Generator& rng,
                                  int maxDepth, CountsOf<V>& counts) {
    Vec3<Real> radiance{0, 0, 0};
    Vec3<Real> throughput{1, 1, 1};
    PathState<Generator> path{&rng, 0, false};
    while (true) {
        const Vertex<Real> v = vertex(scene, ray, path, maxDepth, counts);
        radiance = radiance + throughput * v.radiance;
        if (!v.alive) break;
        throughput = throughput * v.weight;
        ray = v.next;
        path = {&rng, path.depth + 1, v.sampled};
    }
    countEnd<V>(counts, path.depth);
    return radiance;
}

/// Keeps every vertex up to the end of the path, then adds up backwards: the recursion with an
/// explicit stack.
template <class Real, Variant V, class Generator>
RAYSCOPE_FN Vec3<Real> followStack(const SceneView<Real, V>& scene, Ray<Real> ray, Generator& rng,
                                   int maxDepth, CountsOf<V>& counts) {
    Vec3<Real> radiance[V.stackLevels];
    Vec3<Real> weight[V.stackLevels];
    PathState<Generator> path{&rng, 0, false};
    int top = 0;
    while (true) {
        const Vertex<Real> v = vertex(scene, ray, path, maxDepth, counts);
        radiance[top] = v.radiance;
        weight[top] = v.weight;
        if (!v.alive) break;
        ++top;
        ray = v.next;
        path = {&rng, path.depth + 1, v.sampled};
    }
    countEnd<V>(counts, top);
    Vec3<Real> sum = radiance[top];
    while (top-- > 0) sum = radiance[top] + weight[top] * sum;
    return sum;
}

/// The rendering equation as it is written: a recursive function.
template <class Real, Variant V, class Generator>
RAYSCOPE_CALL Vec3<Real> followRecursion(const SceneView<Real, V>& scene, Ray<Real> ray,
                                         PathState<Generator> path, int maxDepth,
                                         CountsOf<V>& counts) {
    const Vertex<Real> v = vertex(scene, ray, path, maxDepth, counts);
    if (!v.alive) {
        countEnd<V>(counts, path.depth);
        return v.radiance;
    }
    const PathState<Generator> next{path.rng, path.depth + 1, v.sampled};
    return v.radiance + v.weight * followRecursion(scene, v.next, next, maxDepth, counts);
}

template <class Real, Variant V, class Generator>
RAYSCOPE_FN Vec3<Real> follow(const SceneView<Real, V>& scene, const Ray<Real>& ray, Generator& rng,
                              int maxDepth, CountsOf<V>& counts) {
    if constexpr (V.path == Path::loop) {
        return followLoop(scene, ray, rng, maxDepth, counts);
    } else if constexpr (V.path == Path::stack) {
        return followStack(scene, ray, rng, maxDepth, counts);
    } else {
        return followRecursion(scene, ray, PathState<Generator>{&rng, 0, false}, maxDepth, counts);
    }
}

/// Engine::regeneration: a single loop over all rays of a pixel, in which the next path starts as
/// soon as one has ended (Novak, Havran and Dachsbacher 2010, "Path Regeneration for Interactive
/// Path Tracing"). Returns the radiance of all paths, and how many have ended.
template <class Real, Variant V>
RAYSCOPE_FN Samples<Real> followRegenerating(const LaunchParams<Real>& launch, int x, int y,
                                             int from, int count, CountsOf<V>& counts) {
    constexpr bool budget = V.regeneration == Regeneration::budget;
    const SceneView<Real, V> scene{launch.scene, launch.params};
    const int pixel = y * launch.width + x;
    // a budget may end in the middle of a path, so paths have numbers of their own
    const int first = budget ? from * launch.maxDepth : from;
    Samples<Real> sum{{0, 0, 0}, 0};
    GeneratorOf<V> rng{};
    Ray<Real> ray;
    Vec3<Real> throughput;
    PathState<GeneratorOf<V>> path{&rng, 0, false};
    bool alive = false;
    int begun = 0;
    int budgets = 0, left = 0;  // Regeneration::budget: budgets begun, rays left of the last
    while (true) {
        if (budget && left == 0) {
            if (budgets++ == count) break;
            left = launch.maxDepth;
            alive = false;
        }
        --left;
        if (!alive) {
            if (!budget && begun == count) break;
            const int sample = first + begun++;
            rng = makeRng<GeneratorOf<V>>(pixel, sample, launch.seed);
            ray = cameraRay<V>(launch, x, y, sample, rng);
            throughput = {1, 1, 1};
            path = {&rng, 0, false};
            ++counts.camera;
        }
        ++counts.closest;
        const Vertex<Real> v = vertex(scene, ray, path, launch.maxDepth, counts);
        sum.radiance = sum.radiance + throughput * v.radiance;
        alive = v.alive;
        if (alive) {
            throughput = throughput * v.weight;
            ray = v.next;
            path = {&rng, path.depth + 1, v.sampled};
        } else {
            ++sum.count;
        }
    }
    return sum;
}

/// A thread's generator before its first sample; `place`: the row, or the position in it.
template <Variant V, class Real>
RAYSCOPE_FN GeneratorOf<V> rowGenerator(const LaunchParams<Real>& launch, int place, int sample) {
    if constexpr (V.random == Random::shared)
        return {};
    else
        return makeRng<GeneratorOf<V>>(place, sample, launch.seed);
}

/// Starts the path's own random numbers, unless they are those of the row or of all threads.
template <Variant V, class Real>
RAYSCOPE_FN void startPath(const LaunchParams<Real>& launch, int pixel, int sample,
                           GeneratorOf<V>& rng) {
    if constexpr (V.random == Random::perPath) {
        rng = makeRng<GeneratorOf<V>>(pixel, sample, launch.seed);
    }
}

/// Follows one path after the other. With Path::recursive all lanes of the warp must call this,
/// with a count of 0 or the same count.
template <class Real, Variant V>
RAYSCOPE_FN Samples<Real> followEach(const LaunchParams<Real>& launch, int x, int y, int first,
                                     int count, GeneratorOf<V>& rng, CountsOf<V>& counts) {
    const SceneView<Real, V> scene{launch.scene, launch.params};
    const int pixel = y * launch.width + x;
    Vec3<Real> sum{0, 0, 0};
    const Rendezvous<V.path == Path::recursive> lanes(count > 0);
    for (int s = 0; s < count; ++s) {
        const int sample = first + s;
        startPath<V>(launch, pixel, sample, rng);
        const Ray<Real> ray = cameraRay<V>(launch, x, y, sample, rng);
        const unsigned before = counts.closest;
        countBegin<V>(counts);
        sum = sum + follow(scene, ray, rng, launch.maxDepth, counts);
        lanes.meet();
        if constexpr (V.recordLengths) {
            const long long place = static_cast<long long>(pixel) * launch.samples + s;
            launch.lengths[place] = static_cast<unsigned char>(counts.closest - before);
        }
    }
    return {sum, count};
}

constexpr RAYSCOPE_FN Variant untimed(Variant v) {
    v.recordTime = false;
    return v;
}

/// Traces `count` samples (Regeneration::budget: budgets) of a pixel, from number `first` on.
template <class Real, Variant V>
RAYSCOPE_FN Samples<Real> followSamples(const LaunchParams<Real>& launch, int x, int y, int first,
                                        int count, GeneratorOf<V>& rng, CountsOf<V>& counts) {
    if constexpr (V.recordTime) {
        const long long began = ticks();
        const Samples<Real> samples =
            followSamples<Real, untimed(V)>(launch, x, y, first, count, rng, counts);
        if (count > 0) launch.ticks[y * launch.width + x] = static_cast<unsigned>(ticks() - began);
        return samples;
    } else if constexpr (V.engine == Engine::regeneration) {
        return followRegenerating<Real, V>(launch, x, y, first, count, counts);
    } else {
        return followEach<Real, V>(launch, x, y, first, count, rng, counts);
    }
}

template <class Real>
RAYSCOPE_FN void addSamples(Pixel& film, const Samples<Real>& samples) {
    Pixel p = film;
    p.r += static_cast<float>(samples.radiance.x);
    p.g += static_cast<float>(samples.radiance.y);
    p.b += static_cast<float>(samples.radiance.z);
    p.samples += static_cast<float>(samples.count);
    film = p;
}

/// Adds the launch's samples to one pixel of the film; none if the pixel is outside. There is no
/// branch around the tracing, because with one CUDA's compiler does not keep spheres in uniform
/// registers (vt9 on an H200: 51.2 G rays/s with a branch, 54.5 without).
template <class Real, Variant V>
RAYSCOPE_FN void renderPixel(const LaunchParams<Real>& launch, int x, int y, bool inside,
                             GeneratorOf<V>& rng, CountsOf<V>& counts) {
    const Samples<Real> samples = followSamples<Real, V>(launch, x, y, launch.firstSample,
                                                         inside ? launch.samples : 0, rng, counts);
    if (inside) addSamples(launch.film[y * launch.width + x], samples);
}

}  // namespace rayscope
