#pragma once

#include "renderer/core/shapes.h"

// Search::keys and boxed: the nearest of all spheres as the minimum of integers, without a branch.
// A key is the bits of a distance, the lowest of which are replaced by the number of the sphere: it
// orders as the distance does, and what is no valid distance, negative or NaN, is larger than all
// that are.

namespace rayscope {

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
    /// To be called before and after a branch that adds keys.
    RAYSCOPE_FN void settle() {
        best = get();
        full = false;
    }
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
RAYSCOPE_FN KeyRay<V> keyRayAt(Vec3<float> o, Vec3<float> d, float tMin, ShapeId from) {
    return {o, d, dot(-o, d), dot(-o, o), tMin, from};
}
template <Variant V>
RAYSCOPE_FN KeyRay<V> keyRay(const Ray<float>& ray, float tMin) {
    return keyRayAt<V>(mulAdd(ray.direction, tMin, ray.origin), ray.direction, tMin, ray.from);
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

/// sum + factor v, for the constant factor that a lambda without captures returns: before version
/// 18 clang takes no floating-point argument of a template. Where several spheres have a coordinate
/// in common, their partial sums are the same expressions, which the compiler computes once.
template <class Factor>
RAYSCOPE_FN float addTerm(float sum, float v, Factor) {
    constexpr double factor = Factor{}();
    if constexpr (factor == 0)
        return sum;
    else if constexpr (factor == 1)
        return sum + v;
    else if constexpr (factor == -1)
        return sum - v;
    else
        return mulAdd(v, float(factor), sum);
}

/// Centres of curved spheres are known to some 1e-11, so those that are as near as this are the
/// same.
inline constexpr double kSameCentre = 1e-6;

constexpr bool isSame(double a, double b) {
    return a - b < kSameCentre && b - a < kSameCentre;
}
constexpr double bakedCentre(int i, int axis) {
    return kBakedScene[i][axis] - kBakedScene[i][4 + axis] / kBakedScene[i][3];
}
/// The coordinate that most centres have in common.
constexpr double commonCentre(int axis) {
    double common = 0, curvature = 0;
    int most = 1;
    for (int i = 0; i < kBakedSpheres; ++i) {
        int count = 0;
        for (int k = 0; k < kBakedSpheres; ++k)
            count += isSame(bakedCentre(i, axis), bakedCentre(k, axis));
        const bool exact =
            count == most && isSame(common, bakedCentre(i, axis)) && kBakedScene[i][3] > curvature;
        if (count > most || exact) {
            common = bakedCentre(i, axis);
            curvature = kBakedScene[i][3];
            most = count;
        }
    }
    return common;
}

/// Where the rays that meet baked walls have their origin: what is 0 of a centre is no term of a
/// sum.
template <Variant V>
inline constexpr double kBakedOrigin[3] = {0, 0, 0};
template <Variant V>
requires((V.traits.features & kWalls) != 0 &&
         V.sceneMemory == SceneMemory::baked) inline constexpr double kBakedOrigin<V>[3] = {
    commonCentre(0), commonCentre(1), commonCentre(2)};

template <Variant V>
RAYSCOPE_FN Vec3<float> bakedOrigin() {
    constexpr const double* o = kBakedOrigin<V>;
    constexpr Vec3<float> kOrigin{float(o[0]), float(o[1]), float(o[2])};
    return kOrigin;
}

/// The ray relative to the origin of the world.
template <Variant V>
RAYSCOPE_FN KeyRay<V> inTheWorld(const KeyRay<V>& ray) {
    if constexpr ((V.traits.features & kWalls) == 0)
        return ray;
    else
        return keyRayAt<V>(ray.origin + bakedOrigin<V>(), ray.direction, ray.tMin, ray.from);
}

/// Whether paths look at one crossing of some sphere alone.
constexpr RAYSCOPE_FN bool knowsSides(const Variant& v) {
    bool one = false;
    for (const int side : kBakedSides) one = one || PathSide(side) != PathSide::both;
    return v.roots == Roots::known && one;
}
template <int I, Variant V>
constexpr PathSide bakedSide() {
    return V.roots == Roots::known ? PathSide(kBakedSides[I]) : PathSide::both;
}

/// Whether a ray that leaves sphere I could be found to hit it at its origin, due to rounding. Not
/// where only one crossing is looked at: on its own side, a ray leaves towards that side.
template <int I, Variant V>
RAYSCOPE_FN bool leavesBaked(const KeyRay<V>& ray) {
    return has(V, kLarge) && bakedSide<I, V>() == PathSide::both && I == ray.from;
}

/// The centre of sphere I relative to bakedOrigin(), and its power with respect to that.
template <int I, Variant V>
constexpr CenterSphere<double> centredBaked() {
    constexpr const double* s = kBakedScene[I];
    if constexpr ((V.traits.features & kWalls) == 0) return {{s[0], s[1], s[2]}, s[3]};
    constexpr const double* w = kBakedOrigin<V>;
    constexpr Vec3<double> c{isSame(bakedCentre(I, 0), w[0]) ? 0 : bakedCentre(I, 0) - w[0],
                             isSame(bakedCentre(I, 1), w[1]) ? 0 : bakedCentre(I, 1) - w[1],
                             isSame(bakedCentre(I, 2), w[2]) ? 0 : bakedCentre(I, 2) - w[2]};
    return {c, c.x * c.x + c.y * c.y + c.z * c.z - 1 / (s[3] * s[3])};
}

inline constexpr int kNoBox = -1;  ///< in kBakedBoxOf

/// Up to this radius in a scene with walls, the sum of two roots' halves is exact enough.
inline constexpr double kMaxSummedRadius = 100;

/// Adds the crossings that a ray from this side can meet, of a sphere whose radius dwarfs
/// distances.
template <Variant V>
RAYSCOPE_FN void addLargeRoots(const Crossing<float>& x, unsigned i, PathSide side,
                               LeastKey& keys) {
    const float root = sqrt(x.discriminant);
    if (side == PathSide::outside) {  // where there is a hit, b > 0 and nothing cancels
        keys.add(divide<V>(x.c, x.b + root), i);
    } else if (side == PathSide::inside) {  // the same for b < 0; else it is beyond all others
        keys.add(divide<V>(-x.c, root - x.b), i);
    } else {
        const float w = x.b + withSign(root, x.b);
        keys.add(w, i);
        keys.add(divide<V>(x.c, w), i);
    }
}

template <int I, Variant V>
RAYSCOPE_FN Crossing<float> crossBaked(const KeyRay<V>& ray) {
    constexpr CenterSphere<double> s = centredBaked<I, V>();
    constexpr double x = s.center.x, y = s.center.y, z = s.center.z;
    constexpr float kPower = float(s.power);
    const Vec3<float>& o = ray.origin;
    const Vec3<float>& d = ray.direction;
    float b = addTerm(ray.originDotDirection, d.y, [] { return y; });
    b = addTerm(b, d.z, [] { return z; });
    b = addTerm(b, d.x, [] { return x; });
    float minusC = addTerm(ray.originSquared, o.y, [] { return 2 * y; });
    minusC = addTerm(minusC, o.z, [] { return 2 * z; }) - kPower;
    minusC = addTerm(minusC, o.x, [] { return 2 * x; });
    return crossKey<V>(ray, b, minusC, leavesBaked<I>(ray));
}

/// Adds the baked spheres from I on; with Search::boxed those in Box, or in none for kNoBox.
template <int I, int Box, Variant V>
RAYSCOPE_FN void addBaked(const KeyRay<V>& ray, LeastKey& keys) {
    if constexpr (I < kBakedSpheres) {
        if constexpr (V.search != Search::boxed || kBakedBoxOf[I] == Box) {
            constexpr bool kWall =
                (V.traits.features & kWalls) != 0 && kBakedScene[I][3] * kMaxSummedRadius < 1;
            const Crossing<float> x = crossBaked<I>(ray);
            if constexpr (kWall)
                addLargeRoots<V>(x, I, bakedSide<I, V>(), keys);
            else
                addRoots<false, V>(x, I, bakedSide<I, V>(), keys);
        }
        addBaked<I + 1, Box>(ray, keys);
    }
}

/// What a ray's passages through boxes have in common: it meets the plane at p of an axis at the
/// distance p * inverse + offset.
struct BoxRay {
    Vec3<float> inverse, offset;
};
template <Variant V>
RAYSCOPE_FN BoxRay boxRay(const KeyRay<V>& ray) {
    const Vec3<float> o = ray.origin, d = ray.direction, inverse{1 / d.x, 1 / d.y, 1 / d.z};
    return {inverse, -(o * inverse)};
}

/// Where a ray is between the two planes of a box. NaN, for a ray parallel to them, is no limit.
struct Passage {
    float near, far;
};
template <int Box, int Axis>
RAYSCOPE_FN Passage through(float inverse, float offset) {
    constexpr float kMiddle = float(kBakedBox[Box][Axis][0]),
                    kHalf = float(kBakedBox[Box][Axis][1]);
    const float middle = mulAdd(inverse, kMiddle, offset), scale = fabs(inverse);
    return {mulAdd(scale, -kHalf, middle), mulAdd(scale, kHalf, middle)};
}

template <int Box>
RAYSCOPE_FN bool meetsBox(const BoxRay& ray) {
    const Passage x = through<Box, 0>(ray.inverse.x, ray.offset.x);
    const Passage y = through<Box, 1>(ray.inverse.y, ray.offset.y);
    const Passage z = through<Box, 2>(ray.inverse.z, ray.offset.z);
    const float near = fastMax(fastMax(x.near, y.near), fastMax(z.near, 0.f));
    return !(near > fastMin(fastMin(x.far, y.far), z.far));
}

/// Adds the spheres in the boxes from Box on, except in boxes that no ray of the warp meets.
template <int Box, Variant V>
RAYSCOPE_FN void addBoxes(const KeyRay<V>& ray, const BoxRay& boxRay, LeastKey& keys) {
    if constexpr (Box < kBakedBoxes) {
        keys.settle();
        if (anyHere(meetsBox<Box>(boxRay))) {
            addBaked<0, Box>(ray, keys);
            keys.settle();
        }
        addBoxes<Box + 1>(ray, boxRay, keys);
    }
}

/// Negative if no crossing lies ahead: there is none, or the sphere is behind and not around the
/// ray's origin. Signs alone decide.
RAYSCOPE_FN unsigned passesBy(const Crossing<float>& x) {
    const auto bits = [](float v) { return __builtin_bit_cast(unsigned, v); };
    return bits(x.discriminant) | (bits(x.b) & ~bits(x.c));
}

/// passesBy() of all spheres that addBaked() adds.
template <int I, int Box, Variant V>
RAYSCOPE_FN unsigned passesBaked(const KeyRay<V>& ray, unsigned passes) {
    if constexpr (I < kBakedSpheres) {
        if constexpr (V.search != Search::boxed || kBakedBoxOf[I] == Box)
            passes &= passesBy(crossBaked<I>(ray));
        return passesBaked<I + 1, Box>(ray, passes);
    } else {
        return passes;
    }
}

template <int Box, Variant V>
RAYSCOPE_FN unsigned passesBoxes(const KeyRay<V>& ray, const BoxRay& boxRay, unsigned passes) {
    if constexpr (Box < kBakedBoxes) {
        if (anyHere(meetsBox<Box>(boxRay))) passes = passesBaked<0, Box>(ray, passes);
        return passesBoxes<Box + 1>(ray, boxRay, passes);
    } else {
        return passes;
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

/// The least key of all spheres, of a ray whose origin is relative to bakedOrigin(). `elsewhere`:
/// the path may be on another side of some sphere than kBakedSides says.
template <Variant V>
RAYSCOPE_FN unsigned leastKey(const SceneView<float, V>& scene, const KeyRay<V>& ray,
                              bool elsewhere) {
    LeastKey keys{scene.params.keyMask};
    if constexpr (V.sceneMemory == SceneMemory::baked) {
        addBaked<0, kNoBox>(ray, keys);
        if constexpr (V.search == Search::boxed) addBoxes<0>(ray, boxRay(ray), keys);
        if constexpr (knowsSides(V)) {
            if (scene.params.doubtfulCount != 0 && elsewhere) {
                const KeyRay<V> there = inTheWorld(ray);
                RAYSCOPE_ROLLED
                for (int i = 0; i < scene.count(); ++i) addSphere(scene, there, i, keys);
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
    const Ray<float> moved{ray.origin - bakedOrigin<V>(), ray.direction, ray.from};
    const unsigned key = leastKey(scene, keyRay<V>(moved, scene.params.tMin), elsewhere);
    const float distance = __builtin_bit_cast(float, key) + scene.params.tMin;
    const bool hits = isHit(scene, key);
    const float limit = has(V, kFloor) && !hits ? scene.params.tMax : distance;
    return {limit, hits ? static_cast<int>(key & ~scene.params.keyMask) : kNoShape};
}

/// True if a sphere other than `except`, the light, is hit in (tMin, distance). The nearest hit
/// tells: it is the light if nothing is in the way.
template <Variant V>
RAYSCOPE_FN bool occludedByKey(const SceneView<float, V>& scene, const Ray<float>& ray,
                               float distance, ShapeId except, bool elsewhere) {
    const Hit<float> hit = nearestByKey(scene, ray, elsewhere);
    return hit.shape >= 0 && hit.shape != except && hit.distance < distance;
}

/// Whether shadow rays go on for ever, so that they need no distances.
template <Variant V>
inline constexpr bool kEndlessShadows = !V.lightSampling && V.sceneMemory == SceneMemory::baked &&
                                        (V.traits.features & (kWalls | kLarge)) == 0;

/// True if the ray hits any baked sphere beyond tMin.
template <Variant V>
RAYSCOPE_FN bool meetsAny(const SceneView<float, V>& scene, const Ray<float>& ray) {
    const KeyRay<V> moved = keyRay<V>(ray, scene.params.tMin);
    unsigned passes = passesBaked<0, kNoBox>(moved, ~0u);
    if constexpr (V.search == Search::boxed) passes = passesBoxes<0>(moved, boxRay(moved), passes);
    return static_cast<int>(passes) >= 0;
}

}  // namespace rayscope
