#pragma once

#include "renderer/core/bvh4.h"
#include "renderer/core/footprint.h"
#include "renderer/core/grid.h"
#include "renderer/core/keys.h"
#include "renderer/core/mesh_search.h"
#include "renderer/core/shapes.h"
#include "renderer/core/wide.h"

namespace rayscope {

/// The host tests SoA spheres in blocks of this size, which the compiler turns into vector
/// instructions; a GPU thread tests them one by one, and so does Vectors::scalar.
constexpr RAYSCOPE_FN int vectorBytes(Vectors vectors) {
    switch (vectors) {
        case Vectors::scalar:
            return 0;
        case Vectors::bits128:
            return 16;
        case Vectors::bits512:
            return 64;
        default:
            return 32;
    }
}
template <class Real, Variant V>
inline constexpr int kLanes =
    kOnDevice ? 1 : vectorBytes(V.vectors) / static_cast<int>(sizeof(Real));
static_assert(kPadding % (vectorBytes(Vectors::bits512) / sizeof(float)) == 0);

/// Sphere I of the baked scene.
template <class Real, bool Curved, int I>
RAYSCOPE_FN auto bakedSphere() {
    constexpr const double* s = kBakedScene[I];
    constexpr Vec3<Real> point{Real(s[0]), Real(s[1]), Real(s[2])};
    if constexpr (Curved)
        return CurvedSphere<Real>{point, Real(s[3]), {Real(s[4]), Real(s[5]), Real(s[6])}, 0};
    else
        return CenterSphere<Real>{point, Real(s[3])};
}

/// Sets `hit` to sphere i if that is nearer. With an early return instead of nested branches NVRTC
/// generates selects, and every warp computes the root for every sphere.
template <bool Curved, class Real>
RAYSCOPE_FN void meet(const Crossing<Real>& x, int i, Real tMin, Hit<Real>& hit) {
    if (x.discriminant >= 0) {
        const Real t = nearestRoot<Curved>(x, tMin);
        if (t > tMin && t < hit.distance) hit = {t, i};
    }
}

template <class Real, Variant V>
RAYSCOPE_FN void meet(const SceneView<Real, V>& scene, int i, const Ray<Real>& ray,
                      Hit<Real>& hit) {
    meet<SceneView<Real, V>::kCurved>(crossingOf<V>(scene.geometryOf(i), i, ray), i,
                                      scene.params.tMin, hit);
}

/// Tests the baked spheres from I on, whose numbers are in the code.
template <int I, class Real, Variant V>
RAYSCOPE_FN void meetBaked(const SceneView<Real, V>& scene, const Ray<Real>& ray, Hit<Real>& hit) {
    if constexpr (I < kBakedSpheres) {
        constexpr bool kCurved = SceneView<Real, V>::kCurved;
        const bool leaving = has(V, kLarge) && I == ray.from;
        meet<kCurved>(cross(bakedSphere<Real, kCurved, I>(), ray, leaving), I, scene.params.tMin,
                      hit);
        meetBaked<I + 1>(scene, ray, hit);
    }
}

template <class Real>
struct BitsOf {
    using Signed = int;
    using Unsigned = unsigned;
};
template <>
struct BitsOf<double> {
    using Signed = long long;
    using Unsigned = unsigned long long;
};

/// Maps distances to integers: first those beyond tMin, in their order, then everything that is not
/// a valid distance, NaN included. So an invalid root loses every comparison without a branch, and
/// the minimum is a single vector instruction, which it is not for floating-point numbers. tMin
/// must not be negative.
template <class Real>
struct DistanceOrder {
    using Unsigned = typename BitsOf<Real>::Unsigned;
    using Key = typename BitsOf<Real>::Signed;
    Unsigned first;

    RAYSCOPE_FN Key key(Real t) const {
        return static_cast<Key>(__builtin_bit_cast(Unsigned, t) - first);
    }
    RAYSCOPE_FN Real distance(Key k) const {
        return __builtin_bit_cast(Real, static_cast<Unsigned>(k) + first);
    }
};

template <class Real>
RAYSCOPE_FN DistanceOrder<Real> orderBeyond(Real tMin) {
    using Unsigned = typename BitsOf<Real>::Unsigned;
    constexpr Unsigned kHalf = Unsigned(1) << (8 * sizeof(Real) - 1);
    return {__builtin_bit_cast(Unsigned, tMin) + 1 + kHalf};
}

/// True if spheres are tested in blocks.
template <class Real>
constexpr RAYSCOPE_FN bool testsInLanes(const Variant& v) {
    return !kOnDevice && v.sceneLayout == SceneLayout::soa &&
           v.sceneMemory == SceneMemory::global && vectorBytes(v.vectors) > 0;
}

/// The key of the distance to sphere i, without a branch: the root with the smaller key is the
/// nearest beyond tMin.
template <class Real, Variant V>
RAYSCOPE_FN typename DistanceOrder<Real>::Key keyOf(const SceneView<Real, V>& scene, int i,
                                                    const Ray<Real>& ray,
                                                    DistanceOrder<Real> order) {
    const Crossing<Real> x = crossingOf<V>(scene.geometryOf(i), i, ray);
    if constexpr (SceneView<Real, V>::kCurved) {
        return order.key(nearestRoot<true>(x, scene.params.tMin));
    } else {
        const Real root = sqrt(x.discriminant);
        return minimum(order.key(x.b - root), order.key(x.b + root));
    }
}

/// How many blocks of kLanes there are, if their number is known and they have at most 64 spheres;
/// else 0.
template <class Real, Variant V>
inline constexpr int kFewBlocks =
    V.traits.sphereCount > 64
        ? 0
        : (V.traits.sphereCount + kLanes<Real, V> - 1) / kLanes<Real, V>;

/// The keys of all spheres, of which there are few.
template <Variant V>
struct FewKeys {
    static constexpr int kWidth = kLanes<float, V>;
    static constexpr int kBlocks = kFewBlocks<float, V>;
    alignas(64) int keys[kBlocks * kWidth];

    RAYSCOPE_FN FewKeys(const SceneView<float, V>& scene, const Ray<float>& ray,
                        DistanceOrder<float> order) {
        RAYSCOPE_UNROLLED
        for (int b = 0; b < kBlocks; ++b) {
            for (int i = b * kWidth; i < (b + 1) * kWidth; ++i)
                keys[i] = keyOf(scene, i, ray, order);
        }
    }
    RAYSCOPE_FN Ints<kWidth> block(int b) const { return Ints<kWidth>(keys + b * kWidth); }
    /// The least of those in the same place of each block.
    RAYSCOPE_FN Ints<kWidth> least() const {
        Ints<kWidth> least = block(0);
        RAYSCOPE_UNROLLED
        for (int b = 1; b < kBlocks; ++b) least = minimum(least, block(b));
        return least;
    }
    /// A bit for each sphere, set where condition(its block) has one.
    template <class Condition>
    RAYSCOPE_FN unsigned long long where(Condition condition) const {
        unsigned long long bits = 0;
        RAYSCOPE_UNROLLED
        for (int b = 0; b < kBlocks; ++b)
            bits |= static_cast<unsigned long long>(condition(block(b))) << (b * kWidth);
        return bits;
    }
};

/// closestSphereInLanes() of few spheres, which carries no indices along: vt9 gains 13 %, card 8 %
/// (g++ 12, Zen 4).
template <Variant V>
RAYSCOPE_FN Hit<float> closestOfFew(const SceneView<float, V>& scene, const Ray<float>& ray) {
    const DistanceOrder<float> order = orderBeyond(scene.params.tMin);
    const FewKeys<V> few(scene, ray, order);
    const auto nearest = leastOf(few.least());
    if (nearest.first() >= order.key(scene.params.tMax)) return {scene.params.tMax, kNoShape};
    const auto equal = [&](auto block) RAYSCOPE_INLINED { return whereEqual(block, nearest); };
    return {order.distance(nearest.first()), __builtin_ctzll(few.where(equal))};
}

/// Tests the spheres in blocks of kLanes and keeps the best of each lane; of equal ones, that with
/// the lowest index. The hit is the same, to the bit, as from testing them one by one.
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestSphereInLanes(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    if constexpr (sizeof(Real) == 4 && kFewBlocks<Real, V> > 0) return closestOfFew(scene, ray);
    using Key = typename DistanceOrder<Real>::Key;
    constexpr int kWidth = kLanes<Real, V>;
    const DistanceOrder<Real> order = orderBeyond(scene.params.tMin);
    const Key farthest = order.key(scene.params.tMax);
    const int padded = scene.padded();
    Key best[kWidth];
    int id[kWidth];
    for (int l = 0; l < kWidth; ++l) {
        best[l] = farthest;
        id[l] = -1;
    }
    for (int i = 0; i < padded; i += kWidth) {
        for (int l = 0; l < kWidth; ++l) {
            const Key key = keyOf(scene, i + l, ray, order);
            id[l] = key < best[l] ? i + l : id[l];
            best[l] = minimum(key, best[l]);
        }
    }
    if constexpr (sizeof(Real) == 4) {  // one reduction of both: distance above, index below
        long long nearest = 0x7fffffffffffffff;
        for (int l = 0; l < kWidth; ++l) {
            const auto above = static_cast<unsigned long long>(static_cast<unsigned>(best[l]))
                               << 32;
            const auto both = static_cast<long long>(above | static_cast<unsigned>(id[l]));
            nearest = minimum(nearest, both);
        }
        return {order.distance(static_cast<Key>(nearest >> 32)), static_cast<int>(nearest)};
    } else {
        Key nearest = farthest;
        for (int l = 0; l < kWidth; ++l) nearest = minimum(nearest, best[l]);
        unsigned first = ~0u;  // the lowest index of that distance; -1 for a miss
        for (int l = 0; l < kWidth; ++l) {
            const unsigned farther = best[l] == nearest ? 0u : ~0u;
            first = minimum(first, static_cast<unsigned>(id[l]) | farther);
        }
        return {order.distance(nearest), static_cast<int>(first)};
    }
}

/// True if rays walk a structure.
constexpr RAYSCOPE_FN bool walks(const Variant& v) {
    return v.accel != Accel::brute;
}

/// What a ray walks, and how.
enum class Walk { bvh, bvh4, grid, gridFromAfar };

template <Walk W, class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkBy(const SceneView<Real, V>& scene, const Ray<Real>& ray, const Real& limit,
                        Visit visit) {
    if constexpr (W == Walk::bvh)
        return walk<walkStyle(V)>(SphereTree<Real, V>{scene}, ray.origin, ray.direction, limit,
                                  visit);
    else if constexpr (W == Walk::bvh4)
        return walkBvh4<V.traversal>(scene, ray.origin, ray.direction, limit, visit);
    else
        return walkGrid<W == Walk::gridFromAfar>(scene, ray.origin, ray.direction, limit, visit);
}

/// As closestSphereBy(), for a GPU. The lanes of a warp are at spheres of their own, so that nearly
/// each branch of a test would be taken by some: it has none.
template <Walk W, class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestSphereEvenly(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    const RayTerms<Real> terms = keptTerms(ray);
    const Real tMin = kept(scene.params.tMin);
    Hit<Real> hit{scene.params.tMax, kNoShape};
    walkBy<W>(scene, ray, hit.distance, [&](int i, const auto& sphere) {
        const Crossing<Real> x = cross(sphere, terms, has(V, kLarge) && i == ray.from);
        const Real t = nearestRoot<false>(x, tMin);
        const bool nearer =
            (t > tMin) & ((t < hit.distance) | ((t == hit.distance) & (i < hit.shape)));
        hit = {select(nearer, t, hit.distance), nearer ? i : hit.shape};
        return false;
    });
    return hit;
}

/// The same hit as from testing all spheres: of equal distances, that with the lowest index.
template <Walk W, class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestSphereBy(SceneView<Real, V> scene, Ray<Real> ray) {
    // elsewhere its registers would cost warps
    if constexpr (kOnDevice && W == Walk::grid && pools(V) && !SceneView<Real, V>::kCurved)
        return closestSphereEvenly<W>(scene, ray);
    Hit<Real> hit{scene.params.tMax, kNoShape};
    walkBy<W>(scene, ray, hit.distance, [&](int i, const auto& sphere) RAYSCOPE_INLINED {
        const Crossing<Real> x = crossingOf<V>(sphere, i, ray);
        if (x.discriminant >= 0) {
            const Real t = nearestRoot<SceneView<Real, V>::kCurved>(x, scene.params.tMin);
            const bool nearer = t < hit.distance || (t == hit.distance && i < hit.shape);
            if (t > scene.params.tMin && nearer) hit = {t, i};
        }
        return false;
    });
    return hit;
}

template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestSphereWalking(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    if constexpr (V.accel == Accel::bvh) return closestSphereBy<Walk::bvh>(scene, ray);
    if constexpr (V.accel == Accel::bvh4) return closestSphereBy<Walk::bvh4>(scene, ray);
    if constexpr (V.accel == Accel::grid) {
        if (startsAfar(scene, ray.origin)) return closestSphereBy<Walk::gridFromAfar>(scene, ray);
        return closestSphereBy<Walk::grid>(scene, ray);
    }
}

/// Sets `hit` to a shape without a box, which every ray tests, if that is nearer.
template <class Real, Variant V>
RAYSCOPE_FN void meetUnbounded(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                               Hit<Real>& hit) {
    if constexpr (has(V, kFloor)) {
        if (scene.params.floor) {
            const Real t = FloorShape<Real>::template distance<V>(ray);
            if (t > scene.params.tMin && t < hit.distance) hit = {t, kFloorShape};
        }
    }
}

/// The nearest intersection in (tMin, tMax). `elsewhere`: see nearestByKey().
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestHitFrom(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                     bool elsewhere) {
    Hit<Real> hit{scene.params.tMax, kNoShape};
    if constexpr (has(V, kTriangles)) {
        hit = closestShape(scene, ray);
    } else if constexpr (usesKeys(V)) {
        hit = nearestByKey(scene, ray, elsewhere);
    } else if constexpr (walks(V)) {
        hit = closestSphereWalking(scene, ray);
    } else if constexpr (testsInLanes<Real>(V)) {
        hit = closestSphereInLanes(scene, ray);
    } else if constexpr (V.sceneMemory == SceneMemory::baked) {
        meetBaked<0>(scene, ray, hit);
    } else {
        for (int i = 0; i < scene.count(); ++i) {
            meet(scene, i, ray, hit);
        }
    }
    meetUnbounded(scene, ray, hit);
    return hit;
}

template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestHit(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    return closestHitFrom(scene, ray, scene.params.doubtfulCount > 0);
}

/// occluded() in blocks of kLanes, which checks the result only after every few blocks.
template <class Real, Variant V>
RAYSCOPE_FN bool occludedInLanes(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                 Real distance, ShapeId except) {
    using Key = typename DistanceOrder<Real>::Key;
    constexpr int kWidth = kLanes<Real, V>;
    constexpr int kBlocks = 8;
    if (!(distance > scene.params.tMin)) return false;
    const DistanceOrder<Real> order = orderBeyond(scene.params.tMin);
    const Key limit = order.key(distance);
    if constexpr (sizeof(Real) == 4 && kFewBlocks<Real, V> > 0) {
        const FewKeys<V> few(scene, ray, order);
        const auto less = [&](auto block) RAYSCOPE_INLINED { return whereLess(block, limit); };
        const unsigned long long but = except < 0 ? ~0ull : ~(1ull << except);
        return (few.where(less) & but) != 0;
    }
    const int padded = scene.padded();
    Key first = limit;
    int begin = 0;
    do {
        const int end = minimum(begin + kBlocks * kWidth, padded);
        Key nearest[kWidth];
        for (int l = 0; l < kWidth; ++l) nearest[l] = limit;
        for (int i = begin; i < end; i += kWidth) {
            for (int l = 0; l < kWidth; ++l) {
                const Key key = keyOf(scene, i + l, ray, order);
                nearest[l] = minimum(nearest[l], i + l == except ? limit : key);
            }
        }
        for (int l = 0; l < kWidth; ++l) first = minimum(first, nearest[l]);
        begin = end;
    } while (begin < padded && first >= limit);
    return first < limit;
}

template <Walk W, class Real, Variant V>
RAYSCOPE_FN bool occludedBy(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                               ShapeId except) {
    return walkBy<W>(scene, ray, distance, [&](int i, const auto& sphere) RAYSCOPE_INLINED {
        Hit<Real> hit{distance, kNoShape};
        meet<SceneView<Real, V>::kCurved>(crossingOf<V>(sphere, i, ray), i, scene.params.tMin, hit);
        return hit.shape >= 0 && i != except;
    });
}

template <class Real, Variant V>
RAYSCOPE_FN bool occludedWalking(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                 Real distance, ShapeId except) {
    if constexpr (V.accel == Accel::bvh)
        return occludedBy<Walk::bvh>(scene, ray, distance, except);
    if constexpr (V.accel == Accel::bvh4)
        return occludedBy<Walk::bvh4>(scene, ray, distance, except);
    if constexpr (V.accel == Accel::grid) {
        if (startsAfar(scene, ray.origin))
            return occludedBy<Walk::gridFromAfar>(scene, ray, distance, except);
        return occludedBy<Walk::grid>(scene, ray, distance, except);
    }
}

/// True if the ray hits any shape but `except` in (tMin, distance). Shapes without a box are not
/// tested: no scene has a lamp below its floor.
template <class Real, Variant V>
RAYSCOPE_FN bool occluded(const SceneView<Real, V>& scene, const Ray<Real>& ray, Real distance,
                          ShapeId except) {
    if constexpr (has(V, kTriangles)) {
        return anyShape(scene, ray, distance, except);
    } else if constexpr (usesKeys(V)) {
        if constexpr (kEndlessShadows<V>)
            return meetsAny(scene, ray);
        else
            return occludedByKey(scene, ray, distance, except, scene.params.doubtfulCount > 0);
    } else if constexpr (walks(V)) {
        return occludedWalking(scene, ray, distance, except);
    } else if constexpr (testsInLanes<Real>(V)) {
        return occludedInLanes(scene, ray, distance, except);
    } else {
        for (int i = 0; i < scene.count(); ++i) {
            Hit<Real> hit{distance, kNoShape};
            meet(scene, i, ray, hit);
            if (hit.shape >= 0 && i != except) return true;
        }
        return false;
    }
}

}  // namespace rayscope
