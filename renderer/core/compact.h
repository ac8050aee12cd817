#pragma once

#include "renderer/core/pool.h"

// followInStep() (pool.h) in fewer instructions, where scenes are baked, rays are searched by keys
// and leave by one formula, and all surfaces are Lambert, metal or dielectric: a path ends where
// the next begins, and what shading reads of a sphere takes two loads.

namespace rayscope {

inline namespace RAYSCOPE_BUILD {

constexpr RAYSCOPE_FN bool isCompact(const Variant& v) {
    constexpr unsigned kKnown = kLambert | kMetal | kDielectric | kGradientSky | kTent;
    return pools(v) && v.begin == Begin::merged && usesKeys(v) &&
           v.sceneMemory == SceneMemory::baked && v.sceneLayout == SceneLayout::aos &&
           !v.lightSampling && !v.recordLengths && !v.recordTime &&
           (v.traits.features & ~kKnown) == 0;
}

/// A sphere for shading. The normal at a point p of it is p / r + offset.
struct alignas(16) CompactSurface {
    Vec3<float> offset;
    float curvature;  ///< 1 / r
    Vec3<float> albedo;
    /// -1: Lambert; 0 to 1: metal of this roughness; more: a dielectric's index and kRefracts. All
    /// plus kEmits: it emits, too.
    float finish;
};
inline constexpr float kRefracts = 2, kEmits = 16;

template <Variant V>
RAYSCOPE_FN CompactSurface compactSurface(const SceneView<float, V>& scene, int i) {
    const MaterialRecord<float> m = scene.material(i);
    float finish = m.kind == MaterialKind::lambert ? -1
                   : m.kind == MaterialKind::metal ? m.roughness
                                                   : kRefracts + m.index;
    if (hitKind(m) == HitKind::emissive) finish += kEmits;
    return {scene.sphere(i).center * -m.inverseRadius, m.inverseRadius, m.albedo, finish};
}

/// Where and how the next ray of a path begins.
struct CompactStart {
    Vec3<float> position;
    Aim<float> aim;
};

inline constexpr int kNoPixel = -1;

template <Variant V>
struct CompactPath {
    GeneratorOf<V> rng;
    KeyRay<V> ray;
    Vec3<float> throughput;
    int pixel;  ///< kNoPixel: there is no path
    int left;   ///< rays that it may trace, this one included; 0: this one was absorbed
    bool elsewhere;
};

/// For a lane that gets no sample.
template <Variant V>
RAYSCOPE_FN void idle(CompactPath<V>& path, CompactStart& start) {
    path.pixel = kNoPixel;
    path.left = 0;
    start.position = path.ray.origin;
    start.aim.axis = path.ray.direction;
    start.aim.radius = 0;
}

template <Variant V>
RAYSCOPE_FN void begin(const SceneView<float, V>& scene, const LaunchParams<float>& launch,
                       const Piece& piece, const Claim& claim, CompactPath<V>& path,
                       CompactStart& start) {
    const auto [x, y, sample] = sampleOf<V>(piece, claim);
    path.pixel = y * launch.width + x;
    path.left = launch.maxDepth;
    path.rng = {hash(sample + claim.hashed)};  // makeRng()
    path.throughput = {1, 1, 1};
    start.position = aimCamera<V>(launch, x, y, sample, path.rng, start.aim);
    if constexpr (V.roots == Roots::known) {
        if (launch.params.doubtfulCount != 0)
            path.elsewhere = startsElsewhere(launch, scene, start.position);
    }
}

/// Adds what the last ray of a path has found to the film.
template <Variant V>
RAYSCOPE_FN void end(const SceneView<float, V>& scene, const LaunchParams<float>& launch,
                     const CompactPath<V>& path) {
    const Vec3<float> sky = path.throughput * skyRadiance(scene, path.ray.direction);
    const Vec3<float> light = path.left > 0 ? sky : Vec3<float>{0, 0, 0};
    addTogether(launch.film[path.pixel], light.x, light.y, light.z, 1);
}

/// What a ray hits. Of the last one only what it emits counts: the path ends in the next turn.
template <Variant V>
RAYSCOPE_FN void bounce(const SceneView<float, V>& scene, const LaunchParams<float>& launch,
                        const NearTable<CompactSurface>& surfaces, unsigned key,
                        CompactPath<V>& path, CompactStart& start) {
    --path.left;
    const unsigned shape = key & ~scene.params.keyMask;
    const CompactSurface s = surfaces[shape];
    const Vec3<float> d = path.ray.direction;
    start.position = mulAdd(d, __builtin_bit_cast(float, key), path.ray.origin);
    Vec3<float> normal = mulAdd(start.position, s.curvature, s.offset);
    float dn = dot(d, normal);
    Departure<float> to = departure(s.finish >= 0, dn);
    if (s.finish > 0) {
        float finish = s.finish;
        if (finish > kEmits - 2) {
            const Vec3<float> light = path.throughput * scene.material(shape).emission;
            addTogether(launch.film[path.pixel], light.x, light.y, light.z, 0);
            finish -= kEmits;
            to = departure(finish >= 0, dn);
        }
        if (has(V, kDielectric) && finish > 1) {
            normal = normalize<V>(normal);  // surfaceAt() says why
            start.position = (normal - s.offset) * divide<V>(1.f, s.curvature);
            dn = dot(d, normal);
            to.out = -2 * dn;
            refract<V>(to, finish - kRefracts, dn, path.rng);
        } else if (has(V, kMetal) && finish > 0) {
            start.aim.side = roughen<V>(to, finish, normal, dn, path.rng);
        }
    }
    path.throughput = path.throughput * s.albedo;
    start.aim.axis = mulAdd(d, to.along, normal * to.out);
    start.aim.radius = to.radius;
}

/// The next ray of the path, or of the lane without a path.
template <Variant V>
RAYSCOPE_FN void leave(const SceneView<float, V>& scene, const LaunchParams<float>& launch,
                       CompactStart start, CompactPath<V>& path, CountsOf<V>& counts) {
    const GeneratorOf<V> before = path.rng;
    start.aim.z = mulAdd(oneToTwo(next(path.rng, true)), -2.f, 3.f);
    start.aim.turn = oneToTwo(next(path.rng, true)) - (kOnDevice ? 0 : 1);  // a GPU takes any angle
    if (start.aim.radius == 0) path.rng = before;
    const Ray<float> ray = leave<V>(launch.camera, start.aim, start.position, kNoShape);
    if (dot(ray.direction, start.aim.side) < 0) path.left = 0;
    path.ray = keyRay<V>(ray, scene.params.tMin);
    if (path.left > 0) {
        ++counts.closest;
        countDepth<V>(counts, launch.maxDepth - path.left);
    }
}

/// renderPieces(). Surfaces: compactSurface() of all spheres.
template <Variant V>
RAYSCOPE_FN void renderPiecesCompactly(const LaunchParams<float>& launch,
                                       const NearTable<CompactSurface>& surfaces, int piece,
                                       CountsOf<V>& counts) {
    const SceneView<float, V> scene{launch.scene, launch.params};
    SamplePool<float, V> pool(launch, piece);
    CompactPath<V> path{};
    path.pixel = kNoPixel;
    path.ray.direction = {0, 1, 0};
    while (true) {
        const unsigned key = leastKey(scene, path.ray, path.elsewhere);
        const bool on = isHit(scene, key) && path.left > 0;
        Claim claim;
        const bool taken = pool.take(!on, claim);
        CompactStart start;
        start.aim.side = {0, 0, 0};
        if (on) {
            bounce(scene, launch, surfaces, key, path, start);
        } else {
            if (path.pixel != kNoPixel) end(scene, launch, path);
            if (taken) {
                begin(scene, launch, pool.piece(), claim, path, start);
                ++counts.camera;
            } else {
                idle(path, start);
            }
        }
        if (pool.exhausted() && lanesWhere(path.pixel != kNoPixel) == 0) break;
        leave(scene, launch, start, path, counts);
    }
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
