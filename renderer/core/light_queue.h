#pragma once

#include "renderer/core/fixed_film.h"
#include "renderer/core/footprint.h"
#include "renderer/core/path.h"

// Light sampling in the loop of compact.h. In each turn only some lanes of a warp hit a diffuse
// surface. Hits wait in shared memory until every lane has one, so that whole warps trace shadow
// rays.

namespace rayscope {

/// A hit from which the lights are sampled.
template <Variant V>
struct LitHit {
    struct alignas(16) Place {
        Vec3<float> position;  ///< relative to bakedOrigin()
        GeneratorOf<V> rng;    ///< for the lights
    } place;
    struct alignas(16) Weight {
        Vec3<float> throughput;  ///< the path's, after the surface
        int pixel;
    } weight;
    int side = kUnlit;  ///< the shape, or its complement if the ray came from inside; or kUnlit

    static constexpr int kUnlit = -1 - kMaxKeySpheres;
    RAYSCOPE_FN bool isLit() const { return side != kUnlit; }
    RAYSCOPE_FN bool within() const { return side < 0; }
    RAYSCOPE_FN ShapeId shape() const { return within() ? ~side : side; }
};

/// What sampleLight() reads of a surface's material. Here that is the path's throughput after the
/// surface, so that the light comes weighted.
struct LitMaterial {
    Vec3<float> albedo;
};

/// `facing`: the normal on the side where the ray came from.
template <Variant V>
RAYSCOPE_FN Surface<float, LitMaterial> litSurface(const LitHit<V>& hit, Vec3<float> facing) {
    Vec3<float> position = hit.place.position;
    if constexpr (SceneView<float, V>::kCurved) position = position + bakedOrigin<V>();
    return {position, facing, facing, {hit.weight.throughput}, hit.shape()};
}

/// Traces the shadow rays of a lit hit. Returns the generator as the lights leave it.
template <bool Elsewhere, Variant V>
RAYSCOPE_FN GeneratorOf<V> traceShadows(const SceneView<float, V>& scene,
                                        const LaunchParams<float>& launch, const LitHit<V>& hit,
                                        Vec3<float> facing, CountsOf<V>& counts) {
    const Surface<float, LitMaterial> surface = litSurface(hit, facing);
    const SceneView<float, V> listed{launch.scene, launch.params};  // lights are not in registers
    GeneratorOf<V> rng = hit.place.rng;
    Vec3<float> sum{0, 0, 0};
    int k = 0;
    RAYSCOPE_ROLLED do {
        const LightSample<float> light = sampleLight(listed, Ray<float>{}, surface, k, rng);
        if (light.wanted) {
            ++counts.shadow;
            if (!occludedByKey(scene, light.ray, light.distance, light.except, Elsewhere))
                sum = sum + light.radiance;
        }
    }
    while (++k < launch.params.lightCount)
        ;
    if (sum.x + sum.y + sum.z > 0) addLight<V>(launch, hit.weight.pixel, sum, 0);
    return rng;
}

/// What traceShadows() would return, without tracing.
template <Variant V>
RAYSCOPE_FN GeneratorOf<V> afterLights(const LaunchParams<float>& launch, const LitHit<V>& hit,
                                       Vec3<float> facing) {
    const Surface<float, LitMaterial> surface = litSurface(hit, facing);
    GeneratorOf<V> rng = hit.place.rng;
    int k = 0;
    RAYSCOPE_ROLLED do {
        GeneratorOf<V> later = rng;
        next(later, true);
        next(later, true);
        if (lightInView<V>(launch.params.lights[k], surface).seen) rng = later;
    }
    while (++k < launch.params.lightCount)
        ;
    return rng;
}

/// A warp's waiting hits.
template <Variant V>
struct LitHits {
    /// At most 31 wait when 32 lanes add one each. On the host a warp has one lane.
    static constexpr int kMost = !queuesLights(V) ? 1 : kOnDevice ? 2 * kWarp - 1 : 1;
    typename LitHit<V>::Place places[kMost];
    typename LitHit<V>::Weight weights[kMost];
    int sides[kMost];
};

/// A warp's queue, last in, first out. All lanes come together.
template <Variant V>
class LightQueue {
public:
    RAYSCOPE_FN explicit LightQueue(LitHits<V>& hits) : hits_(hits) {}

    /// Adds the hits that are lit.
    RAYSCOPE_FN void add(const LitHit<V>& hit) {
        const unsigned lanes = lanesWhere(hit.isLit());
        if (hit.isLit()) {
            const int i = count_ + rankAmong(lanes);
            hits_.places[i] = hit.place;
            hits_.weights[i] = hit.weight;
            hits_.sides[i] = hit.side;
        }
        count_ += countOf(lanes);
        meetLanes();
    }
    RAYSCOPE_FN bool empty() const { return count_ == 0; }
    /// Whether every lane can have a hit; after drain(), whether there is any.
    RAYSCOPE_FN bool isReady() const { return count_ >= fewest_; }
    /// No more hits will come.
    RAYSCOPE_FN void drain() { fewest_ = 1; }

    /// A hit for each lane while they last, then unlit ones.
    RAYSCOPE_FN LitHit<V> take() {
        const int first = maximum(count_ - kLanes, 0), own = first + rankAmong(~0u);
        const int i = minimum(own, count_ - 1);
        LitHit<V> hit{hits_.places[i], hits_.weights[i], hits_.sides[i]};
        if (own != i) hit.side = LitHit<V>::kUnlit;
        count_ = first;
        meetLanes();
        return hit;
    }

private:
    static constexpr int kLanes = kOnDevice ? kWarp : 1;

    LitHits<V>& hits_;
    int count_ = 0, fewest_ = kLanes;
};

}  // namespace rayscope
