#pragma once

#include "renderer/core/light_queue.h"
#include "renderer/core/pool.h"

// followInStep() (pool.h) in fewer instructions, where rays leave by one formula: a path ends where
// the next begins, and what shading reads of a sphere takes a few loads. Here scenes are baked
// and searched by keys; cells.h does the same in a grid, without light sampling.

namespace rayscope {

/// How a surface colours what it reflects, and the probability that it does at all.
struct alignas(16) CompactReflection {
    Vec3<float> albedo;
    float survival;
};

/// A sphere for shading. Positions are relative to bakedOrigin(). The normal at a point p of it is
/// p / r + offset.
struct alignas(16) CompactSurface {
    struct alignas(16) Shape {
        Vec3<float> offset;
        float curvature;  ///< 1 / r
        RAYSCOPE_FN Vec3<float> normalAt(Vec3<float> p) const {
            return mulAdd(p, curvature, offset);
        }
    } shape;
    CompactReflection early, late;  ///< before and in Russian roulette
    struct alignas(16) Finish {
        /// -1: Lambert; 0 to 1: metal of this roughness; kRefracts: a dielectric; kWeighs:
        /// smallpt's glass. All plus kEmits: it emits, too.
        float kind;
        Refraction<float> glass;
    } finish;
};
inline constexpr float kRefracts = 2, kWeighs = 3, kEmits = 16;

template <Variant V>
RAYSCOPE_FN CompactSurface compactSurface(const SceneView<float, V>& scene, int i) {
    const MaterialRecord<float> m = scene.material(i);
    float kind = m.kind == MaterialKind::lambert ? -1
                 : m.kind == MaterialKind::metal ? m.roughness
                 : m.kind == MaterialKind::glass ? kWeighs
                                                 : kRefracts;
    if (hitKind(m) == HitKind::emissive) kind += kEmits;
    Vec3<float> offset;
    if constexpr (SceneView<float, V>::kCurved) {
        const CurvedSphere<float> s = scene.wall(i);
        offset = mulAdd(s.anchor - bakedOrigin<V>(), -s.curvature, s.normal);
    } else {
        offset = scene.sphere(i).center * -m.inverseRadius;
    }
    const float survival = largest(m.albedo);
    const bool black = !(survival > 0);
    return {{offset, m.inverseRadius},
            {m.albedo, black ? 0.f : 1.f},
            {m.albedo * divide<V>(1.f, black ? 1.f : survival), survival},
            {kind, refraction<V>(m.index)}};
}

/// The normal of a lit hit on the side where the ray came from.
template <Variant V>
RAYSCOPE_FN Vec3<float> facingAt(const NearTable<CompactSurface>& surfaces, const LitHit<V>& hit) {
    const auto shape = surfaces.part(static_cast<unsigned>(hit.shape()), &CompactSurface::shape);
    const Vec3<float> normal = shape.normalAt(hit.place.position);
    return hit.within() ? -normal : normal;
}

/// Where and how the next ray of a path begins.
struct CompactStart {
    Vec3<float> position;
    Aim<float> aim;
    ShapeId from;
};

/// What a ray has found, as a key.
struct KeyFound {
    unsigned key, mask;  ///< of the bits that are the distance
    RAYSCOPE_FN float distance() const { return __builtin_bit_cast(float, key); }
    RAYSCOPE_FN unsigned shape() const { return key & ~mask; }
};

inline constexpr int kNoPixel = -1;

/// Whether paths may end at a hit with rays left: by roulette, or because it reflects nothing.
template <Variant V>
inline constexpr bool kEndsAtHits = has(V, kRoulette | kBlack);

/// So many lanes begin paths together, or they wait: where paths are long, few do in a turn
/// (cornell on an H200: 73.7 ms without waiting, 68.2 with 8).
template <Variant V>
inline constexpr int kFewest = has(V, kRoulette) && kOnDevice && !V.countDepths ? 8 : 1;
template <Variant V>
inline constexpr bool kWaits = kFewest<V> != 1;

/// What only some launches need, as a loop for each case is faster than to ask in one.
struct CompactCase {
    bool doubts;  ///< paths may begin elsewhere (startsElsewhere())
    bool lens;
    bool atOrigin = false;  ///< camera rays start at the camera, but for the lens
    bool flat = false;      ///< the grid has one layer of cells
    bool near = false;      ///< which are in shared memory (near_cells.h)
};

template <Variant V>
struct CompactPath {
    GeneratorOf<V> rng;
    KeyRay<V> ray;
    Vec3<float> throughput;
    int pixel;  ///< kNoPixel: there is no path
    int left;   ///< rays that it may trace, this one included; 0: this one was absorbed
    bool elsewhere;
    bool sampled;  ///< PathState::sampled
};

/// For a lane that has nothing to do: its ray once more. Rounding may move that by its
/// last bits.
template <Variant V>
RAYSCOPE_FN void stay(const CompactPath<V>& path, CompactStart& start) {
    start.position = mulAdd(path.ray.direction, -path.ray.tMin, path.ray.origin);
    start.from = path.ray.from;
    start.aim.axis = path.ray.direction;
    start.aim.radius = 0;
}

/// Begins the path of a sample.
template <CompactCase C, Variant V>
RAYSCOPE_FN void begin(const LaunchParams<float>& launch, const SamplePool<float, V>& pool,
                       const Claim& claim, CompactPath<V>& path, CompactStart& start) {
    constexpr bool kAssembles =
        usesKeys(V) && !has(V, kTent);  // elsewhere it takes too many registers
    const Place place = placeInPiece(V, claim.number);
    const int sample = pool.piece().sample + static_cast<int>(claim.number / kWarp);
    path.pixel = pool.pixelAt(place);
    path.left = launch.maxDepth;
    path.rng = generatorAt<GeneratorOf<V>>(static_cast<unsigned>(sample), claim.hashed);
    path.throughput = {1, 1, 1};
    path.sampled = false;
    Vec3<float> position;
    if constexpr (kAssembles)
        position = aimCamera(launch.camera, pool.targetIn(place, path.rng), start.aim);
    else
        position = aimCamera<V>(launch, pool.piece().x + place.x, pool.piece().y + place.y, sample,
                                path.rng, start.aim);
    if constexpr (!C.atOrigin) start.position = position;
    start.from = kNoShape;
    if constexpr (C.doubts) {
        const SceneView<float, V> listed{launch.scene, launch.params};  // not in registers
        path.elsewhere = startsElsewhere(launch, listed, start.position);
    }
    if constexpr (SceneView<float, V>::kCurved) start.position = start.position - bakedOrigin<V>();
}

/// Whether a path goes on that has hit a surface; if not, no number is drawn.
template <Variant V>
RAYSCOPE_FN bool survives(bool hit, float survival, bool roulette, GeneratorOf<V>& rng) {
    if constexpr (!has(V, kRoulette)) return hit && (!has(V, kBlack) || survival > 0);
    GeneratorOf<V> drawn = rng;
    const float u = uniform<float>(drawn);
    const bool on = hit && (roulette ? u : 0) < survival;
    if (roulette && on) rng = drawn;
    return on;
}

/// Adds to the film what the last ray of a path has found, if there is a path.
template <Variant V>
RAYSCOPE_FN void end(const LaunchParams<float>& launch, Vec3<float> found,
                     const CompactPath<V>& path) {
    const Vec3<float> sum = path.throughput * found;
    const Vec3<float> light = path.left > 0 ? sum : Vec3<float>{0, 0, 0};
    if (path.pixel != kNoPixel) addLight<V>(launch, path.pixel, light, 1);
}

template <Variant V>
RAYSCOPE_FN void end(const SceneView<float, V>& scene, const LaunchParams<float>& launch,
                     const NearTable<CompactSurface>& surfaces, unsigned key,
                     const CompactPath<V>& path) {
    Vec3<float> found = skyRadiance(scene, path.ray.direction);
    if constexpr (kEndsAtHits<V>) {
        if (isHit(scene, key)) {
            const unsigned shape = key & ~scene.params.keyMask;
            found = {0, 0, 0};
            const float kind = surfaces.part(shape, &CompactSurface::finish).kind;
            if (kind > kEmits - 2 && !path.sampled) found = scene.material(shape).emission;
        }
    }
    end(launch, found, path);
}

/// Whether rays meet all spheres but those of glass from outside.
template <CompactCase C, Variant V>
inline constexpr bool kFromOutside = knowsSides(V) && usesKeys(V) && kBakedOutside && !C.doubts;

/// LitHit::side of a hit. `left`: the rays that may follow.
template <Variant V>
RAYSCOPE_FN int sideOf(const LaunchParams<float>& launch, unsigned shape, bool diffuse, bool within,
                       int left) {
    const bool lit = V.lightSampling && diffuse && left > 0 && launch.params.lightCount > 0;
    return !lit ? LitHit<V>::kUnlit : static_cast<int>(within ? ~shape : shape);
}

/// The hit at which roulette or a black surface ends a path. As everywhere, the lights' random
/// numbers follow the next ray's two and roulette's.
template <CompactCase C, Variant V>
RAYSCOPE_FN LitHit<V> lastHit(const LaunchParams<float>& launch,
                              const NearTable<CompactSurface>& surfaces, bool roulette,
                              KeyFound found, const CompactPath<V>& path) {
    const unsigned shape = found.shape();
    const Vec3<float> d = path.ray.direction;
    const Vec3<float> albedo = surfaces.part(shape, &CompactSurface::early).albedo;
    LitHit<V> hit{{mulAdd(d, found.distance(), path.ray.origin), path.rng},
                  {path.throughput * albedo, path.pixel}};
    next(hit.place.rng, true);
    next(hit.place.rng, true);
    if (roulette) next(hit.place.rng, true);
    const float kind = surfaces.part(shape, &CompactSurface::finish).kind;
    const bool diffuse = kind < 0 || (kind > kEmits - 2 && kind < kEmits);
    const Vec3<float> normal =
        surfaces.part(shape, &CompactSurface::shape).normalAt(hit.place.position);
    const bool within = !kFromOutside<C, V> && dot(d, normal) > 0;
    hit.side = sideOf<V>(launch, shape, diffuse, within, path.left - 1);
    return hit;
}

/// What a ray hits. Of the last one only what it emits counts: the path ends in the next turn.
/// Returns LitHit::side.
template <CompactCase C, Variant V, class Surfaces, class Found>
RAYSCOPE_FN int bounce(const SceneView<float, V>& scene, const LaunchParams<float>& launch,
                       const Surfaces& surfaces, const CompactReflection& reflection, Found found,
                       CompactPath<V>& path, CompactStart& start) {
    --path.left;
    const unsigned shape = found.shape();
    const CompactSurface::Shape s = surfaces.part(shape, &CompactSurface::shape);
    const CompactSurface::Finish f = surfaces.part(shape, &CompactSurface::finish);
    const Vec3<float> d = path.ray.direction;
    start.position = mulAdd(d, found.distance(), path.ray.origin);
    start.from = static_cast<ShapeId>(shape);
    Vec3<float> normal = s.normalAt(start.position);
    float dn = dot(d, normal);
    const bool within = !kFromOutside<C, V> && dn > 0;
    float kind = f.kind;
    Departure<float> to = departure(kind >= 0, dn, within);
    Vec3<float> weight = reflection.albedo;
    if (kind > 0) {
        if (has(V, kGlows) && kind > kEmits - 2) {
            const Vec3<float> light = path.throughput * scene.material(shape).emission;
            if (!path.sampled) addLight<V>(launch, path.pixel, light, 0);
            kind -= kEmits;
            to = departure(kind >= 0, dn, within);
        }
        if (has(V, kDielectric | kGlass) && kind > 1) {
            // back onto the sphere: surfaceAt() says why
            const float inverse = inverseRoot<V>(dot(normal, normal));
            start.position = mulAdd(normal, divide<V>(inverse - 1, s.curvature), start.position);
            normal = normal * inverse;
            dn = dot(d, normal);
            to.out = -2 * dn;
            if (has(V, kGlass) && (!has(V, kDielectric) || kind == kWeighs))
                weight = weight * refractWeighted<V>(to, f.glass, dn, path.rng);
            else
                refract<V>(to, f.glass, dn, path.rng);
        } else if (has(V, kRough) && kind > 0) {
            start.aim.side = roughen<V>(to, kind, normal, within, path.rng);
        }
    }
    const int side = sideOf<V>(launch, shape, kind < 0, within, path.left);
    path.sampled = side != LitHit<V>::kUnlit;
    path.throughput = path.throughput * weight;
    start.aim.axis = mulAdd(d, to.along, normal * to.out);
    start.aim.radius = to.radius;
    return side;
}

/// The next ray of the path, or of the lane without a path.
template <CompactCase C, Variant V>
RAYSCOPE_FN void leave(const SceneView<float, V>& scene, const LaunchParams<float>& launch,
                       CompactStart start, CompactPath<V>& path, CountsOf<V>& counts) {
    const GeneratorOf<V> before = path.rng;
    start.aim.z = 3 - twoToFour(next(path.rng, true));
    start.aim.turn = oneToTwo(next(path.rng, true)) - (kOnDevice ? 0 : 1);  // a GPU takes any angle
    if (start.aim.radius == 0) path.rng = before;
    const ShapeId from = has(V, kLarge) ? start.from : kNoShape;
    const Ray<float> ray =
        leave<V, C.lens, C.atOrigin>(launch.camera, start.aim, start.position, from);
    if (has(V, kRough) && dot(ray.direction, start.aim.side) < 0) path.left = 0;
    if constexpr (usesKeys(V) || C.near)
        path.ray = keyRay<V>(ray, scene.params.tMin);
    else
        path.ray = keyRayAt<V>(ray.origin, ray.direction, 0, ray.from);
    counts.closest += minimum(path.left, 1);
    if constexpr (V.countDepths) {
        if (path.left > 0) countDepth<V>(counts, launch.maxDepth - path.left);
    }
}

template <CompactCase C, Variant V>
RAYSCOPE_FN void followCompactly(const SceneView<float, V>& scene,
                                 const LaunchParams<float>& launch,
                                 const NearTable<CompactSurface>& surfaces,
                                 SamplePool<float, V>& pool, LightQueue<V>& lights,
                                 CountsOf<V>& counts) {
    CompactPath<V> path{};
    path.pixel = kNoPixel;
    path.ray.direction = {0, 1, 0};
    const int from = scene.params.rouletteDepth;
    const int lateLeft = kept(from > 0 ? launch.maxDepth - from : -1);
    while (true) {
        if (pool.exhausted() && lanesWhere(path.pixel != kNoPixel) == 0) {
            if (lights.empty()) break;
            lights.drain();
        }
        const unsigned key = leastKey(scene, path.ray, C.doubts && path.elsewhere);
        const unsigned shape = key & ~scene.params.keyMask;
        const bool roulette = has(V, kRoulette) && path.left <= lateLeft;
        const CompactReflection reflection =
            surfaces.part(shape, roulette ? &CompactSurface::late : &CompactSurface::early);
        const bool hit = isHit(scene, key) && path.left > 0;
        const bool on = survives<V>(hit, reflection.survival, roulette, path.rng);
        bool waits = false;
        if constexpr (kWaits<V>)
            waits = countOf(lanesWhere(!on)) < kFewest<V> && !on && !pool.exhausted();
        Claim claim;
        const bool taken = pool.take(!on && !waits, claim);
        CompactStart start;
        start.aim.side = {0, 0, 0};
        const KeyFound found{key, scene.params.keyMask};
        LitHit<V> lit{};
        if constexpr (V.lightSampling && kEndsAtHits<V>) {
            const bool ends = !on && (!waits || V.film == FilmSums::fixed);
            if (hit && ends) lit = lastHit<C>(launch, surfaces, roulette, found, path);
        }
        if (on) {
            lit.side = bounce<C>(scene, launch, surfaces, reflection, found, path, start);
        } else if (waits) {
            if constexpr (V.film == FilmSums::fixed) {
                // now: stay() moves the ray by a bit, and how often depends on the other lanes
                end(scene, launch, surfaces, key, path);
                path.pixel = kNoPixel;
                path.left = 0;
            }
            stay(path, start);
            counts.closest -= minimum(path.left, 1);
        } else {
            end(scene, launch, surfaces, key, path);
            // a lane without a sample begins, too, as a branch would cost all lanes
            begin<C>(launch, pool, claim, path, start);
            path.pixel = taken ? path.pixel : kNoPixel;
            path.left = taken ? path.left : 0;
        }
        leave<C>(scene, launch, start, path, counts);
        if constexpr (V.lightSampling) {
            const bool last = kEndsAtHits<V> && !on;  // lit is a lastHit(), or not lit
            if (!last) {
                const float survival = roulette ? reflection.survival : 1;
                lit.place = {start.position, path.rng};
                lit.weight = {path.throughput * survival, path.pixel};
            }
            if (lit.isLit()) {
                const Vec3<float> facing =
                    kEndsAtHits<V> ? facingAt(surfaces, lit) : start.aim.axis;
                const GeneratorOf<V> rng =
                    queuesLights(V) ? afterLights(launch, lit, facing)
                                    : traceShadows<C.doubts>(scene, launch, lit, facing, counts);
                if (!last) path.rng = rng;
            }
        }
        if constexpr (queuesLights(V)) {
            lights.add(lit);
            if (lights.isReady()) {
                lit = lights.take();
                if (lit.isLit())
                    traceShadows<C.doubts>(scene, launch, lit, facingAt(surfaces, lit), counts);
            }
        }
    }
    counts.camera += pool.samples();
}

/// renderPieces(). Surfaces: compactSurface() of all spheres, and as many more as keys can name.
/// Hits: for the warp's queue.
template <Variant V>
RAYSCOPE_FN void renderPiecesCompactly(const LaunchParams<float>& launch,
                                       const NearTable<CompactSurface>& surfaces, LitHits<V>& hits,
                                       int piece, CountsOf<V>& counts) {
    SceneParams<float> params = launch.params;
    params.tMin = kept(params.tMin);
    params.tMax = kept(params.tMax);
    params.keyMask = kept(params.keyMask);
    const SceneView<float, V> scene{launch.scene, params};
    SamplePool<float, V> pool(launch, piece);
    LightQueue<V> lights(hits);
    const auto follow = [&]<CompactCase C>() RAYSCOPE_INLINED {
        followCompactly<C>(scene, launch, surfaces, pool, lights, counts);
    };
    constexpr bool kAtOrigin = !SceneView<float, V>::kCurved;
    const bool doubts = knowsSides(V) && launch.params.doubtfulCount != 0;
    const bool lens = launch.camera.lens != 0;
    if (doubts || (kAtOrigin && lens && launch.camera.start != 0))
        follow.template operator()<CompactCase{true, true}>();
    else if (lens)
        follow.template operator()<CompactCase{false, true, kAtOrigin}>();
    else
        follow.template operator()<CompactCase{false, false}>();
}

}  // namespace rayscope
