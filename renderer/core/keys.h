#pragma once

#include "renderer/core/shapes.h"

// Search::keys: the nearest of all spheres as the minimum of integers, without a branch. A key is
// the bits of a distance, the lowest of which are replaced by the number of the sphere: it orders
// as the distance does, and what is no valid distance, negative or NaN, is larger than all that
// are.

namespace rayscope {

inline namespace RAYSCOPE_BUILD {

constexpr RAYSCOPE_FN bool usesKeys(const Variant& v) {
    return v.search == Search::keys && v.accel == Accel::brute &&
           v.sceneMemory != SceneMemory::shared;
}

constexpr RAYSCOPE_FN int keyBits(int spheres) {
    int bits = 1;
    while ((1 << bits) < spheres) ++bits;
    return bits;
}

/// The least of the keys added so far; two at a time, because there is an instruction for the
/// minimum of three.
struct LeastKey {
    /// Of the bits that are the distance. A launch parameter: with a constant, ptxas masks and adds
    /// the number in two instructions.
    unsigned mask;
    unsigned best = ~0u, pending = ~0u;
    bool full = false;

    RAYSCOPE_FN void add(float distance, unsigned sphere) {
        const unsigned key = (__builtin_bit_cast(unsigned, distance) & mask) | sphere;
        if (full)
            best = least(best, pending, key);
        else
            pending = key;
        full = !full;
    }
    RAYSCOPE_FN unsigned get() const { return full ? minimum(best, pending) : best; }
};

/// A ray in the form that is common to the crossings of all spheres. Its origin is moved to where
/// distances count from, tMin, so that the sign of a root says whether it does.
template <Variant V>
struct KeyRay {
    Vec3<float> origin, direction;
    float originDotDirection, originSquared;  ///< both negated; for spheres with a centre
    float tMin;
    ShapeId from;
};

template <Variant V>
RAYSCOPE_FN KeyRay<V> keyRay(const Ray<float>& ray, float tMin) {
    const Vec3<float> o = mulAdd(ray.direction, tMin, ray.origin);
    return {o, ray.direction, dot(-o, ray.direction), dot(-o, o), tMin, ray.from};
}

/// b and the discriminant of cross() (shapes.h). For a ray that leaves the sphere c is that of the
/// root -tMin, where it starts.
template <Variant V>
RAYSCOPE_FN Crossing<float> crossKey(const KeyRay<V>& ray, float b, float minusC, bool leaving) {
    const float h = leaving ? ray.tMin * mulAdd(2.f, b, ray.tMin) : minusC;
    return {b, -h, 0, mulAdd(b, b, h)};
}

template <Variant V>
RAYSCOPE_FN Crossing<float> crossKey(const KeyRay<V>& ray, const CenterSphere<float>& s,
                                     bool leaving) {
    const Vec3<float> o = ray.origin, d = ray.direction, c = s.center, c2 = c * 2.f;
    const float b = mulAdd(c.x, d.x, mulAdd(c.z, d.z, mulAdd(c.y, d.y, ray.originDotDirection)));
    const float minusC =
        mulAdd(c2.x, o.x, mulAdd(c2.z, o.z, mulAdd(c2.y, o.y, ray.originSquared)) - s.power);
    return crossKey<V>(ray, b, minusC, leaving);
}

template <Variant V>
RAYSCOPE_FN Crossing<float> crossKey(const KeyRay<V>& ray, float b, float at, float curvature,
                                     bool leaving) {
    const float c = leaving ? 2 * ray.tMin * b : at;  // but for tMin^2, too small for walls
    return {b, c, curvature, mulAdd(b, b, -curvature * c)};
}

template <Variant V>
RAYSCOPE_FN Crossing<float> crossKey(const KeyRay<V>& ray, const CurvedSphere<float>& s,
                                     bool leaving) {
    const Vec3<float> q = ray.origin - s.anchor;
    const float b = mulAdd(s.curvature, dot(q, ray.direction), dot(s.normal, ray.direction));
    const float at = mulAdd(s.curvature, dot(q, q), 2 * dot(q, s.normal));
    return crossKey<V>(ray, b, at, s.curvature, leaving);
}

/// Adds the crossings of sphere i that a ray from this side can meet.
template <bool Curved, Variant V>
RAYSCOPE_FN void addRoots(const Crossing<float>& x, unsigned i, PathSide side, LeastKey& keys) {
    const float root = sqrt(x.discriminant);
    if constexpr (!Curved) {
        if (side != PathSide::inside) keys.add(x.b - root, i);
        if (side != PathSide::outside) keys.add(x.b + root, i);
    } else if (side == PathSide::outside) {  // where there is a hit, b < 0 and nothing cancels
        keys.add(divide<V>(x.c, root - x.b), i);
    } else if (side == PathSide::inside) {  // the same for b > 0; else it is beyond all others
        keys.add(divide<V>(-x.c, root + x.b), i);
    } else {
        const float w = x.b > 0 ? -(x.b + root) : root - x.b;
        keys.add(divide<V>(w, x.curvature), i);
        keys.add(divide<V>(x.c, w), i);
    }
}

/// sum + factor v, for a constant factor. Where several spheres have a coordinate in common, their
/// partial sums are the same expressions, which the compiler computes once.
template <int I, int Axis, int Times>
RAYSCOPE_FN float addTerm(float sum, float v) {
    constexpr double kFactor = kBakedScene[I][Axis] * Times;
    if constexpr (kFactor == 0)
        return sum;
    else if constexpr (kFactor == 1)
        return sum + v;
    else if constexpr (kFactor == -1)
        return sum - v;
    else
        return mulAdd(v, float(kFactor), sum);
}

template <int I, Variant V>
RAYSCOPE_FN Crossing<float> crossBaked(const KeyRay<V>& ray) {
    const bool leaving = has(V, kLarge) && I == ray.from;
    if constexpr ((V.traits.features & kWalls) != 0) {
        // with q = o - a and m = n - k a: b = k o.d + m.d, c = k o.o + 2 m.o + (k a.a - 2 a.n)
        constexpr const double* s = kBakedScene[I];
        constexpr float k = float(s[3]);
        constexpr double m[3] = {s[4] - s[3] * s[0], s[5] - s[3] * s[1], s[6] - s[3] * s[2]};
        constexpr float kRest = float(s[3] * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) -
                                      2 * (s[0] * s[4] + s[1] * s[5] + s[2] * s[6]));
        constexpr Vec3<float> kM{float(m[0]), float(m[1]), float(m[2])};
        constexpr Vec3<float> k2M{float(2 * m[0]), float(2 * m[1]), float(2 * m[2])};
        const Vec3<float>& o = ray.origin;
        const Vec3<float>& d = ray.direction;
        const float b =
            mulAdd(kM.x, d.x, mulAdd(kM.y, d.y, mulAdd(kM.z, d.z, -k * ray.originDotDirection)));
        const float at =
            mulAdd(k2M.x, o.x,
                   mulAdd(k2M.y, o.y, mulAdd(k2M.z, o.z, mulAdd(-k, ray.originSquared, kRest))));
        return crossKey<V>(ray, b, at, k, leaving);
    } else {
        const Vec3<float>& o = ray.origin;
        const Vec3<float>& d = ray.direction;
        constexpr float kPower = float(kBakedScene[I][3]);
        const float b = addTerm<I, 0, 1>(
            addTerm<I, 2, 1>(addTerm<I, 1, 1>(ray.originDotDirection, d.y), d.z), d.x);
        const float minusC = addTerm<I, 0, 2>(
            addTerm<I, 2, 2>(addTerm<I, 1, 2>(ray.originSquared, o.y), o.z) - kPower, o.x);
        return crossKey<V>(ray, b, minusC, leaving);
    }
}

/// Adds the baked spheres from I on.
template <int I, Variant V>
RAYSCOPE_FN void addBaked(const KeyRay<V>& ray, LeastKey& keys) {
    if constexpr (I < kBakedSpheres) {
        constexpr bool kCurved = (V.traits.features & kWalls) != 0;
        constexpr PathSide kSide =
            V.roots == Roots::both ? PathSide::both : PathSide(kBakedSides[I]);
        addRoots<kCurved, V>(crossBaked<I, V>(ray), I, kSide, keys);
        addBaked<I + 1, V>(ray, keys);
    }
}

/// Adds both crossings of sphere i in memory.
template <Variant V>
RAYSCOPE_FN void addSphere(const SceneView<float, V>& scene, const KeyRay<V>& ray, int i,
                           LeastKey& keys) {
    const bool leaving = has(V, kLarge) && i == ray.from;
    if constexpr (SceneView<float, V>::kCurved)
        addRoots<true, V>(crossKey<V>(ray, scene.wall(i), leaving), i, PathSide::both, keys);
    else
        addRoots<false, V>(crossKey<V>(ray, scene.sphere(i), leaving), i, PathSide::both, keys);
}

/// The least key of all spheres. `elsewhere`: the path may be on another side of some sphere than
/// kBakedSides says.
template <Variant V>
RAYSCOPE_FN unsigned leastKey(const SceneView<float, V>& scene, const KeyRay<V>& ray,
                              bool elsewhere) {
    LeastKey keys{scene.params.keyMask};
    if constexpr (V.sceneMemory == SceneMemory::baked) {
        addBaked<0, V>(ray, keys);
        if constexpr (V.roots == Roots::known) {
            if (scene.params.doubtfulCount != 0 && elsewhere) {
                RAYSCOPE_ROLLED
                for (int i = 0; i < scene.count(); ++i) addSphere(scene, ray, i, keys);
            }
        }
    } else {
        for (int i = 0; i < scene.count(); ++i) addSphere(scene, ray, i, keys);
    }
    return keys.get();
}

template <Variant V>
RAYSCOPE_FN bool isHit(const SceneView<float, V>& scene, unsigned key) {
    return key < __builtin_bit_cast(unsigned, scene.params.tMax);
}

/// The nearest sphere in (tMin, tMax).
template <Variant V>
RAYSCOPE_FN Hit<float> nearestByKey(const SceneView<float, V>& scene, const Ray<float>& ray,
                                    bool elsewhere) {
    const unsigned key = leastKey(scene, keyRay<V>(ray, scene.params.tMin), elsewhere);
    const float distance = __builtin_bit_cast(float, key) + scene.params.tMin;
    const bool hits = isHit(scene, key);
    const float limit = has(V, kFloor) && !hits ? scene.params.tMax : distance;
    return {limit, hits ? static_cast<int>(key & ~scene.params.keyMask) : kNoShape};
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
