#pragma once

#include "renderer/core/bvh.h"
#include "renderer/core/maths.h"
#include "renderer/core/scene_view.h"

namespace rayscope {

/// `from`: the sphere that the ray leaves, -1 for camera rays.
template <class Real>
struct Ray {
    Vec3<Real> origin, direction;
    int from;
};

/// `id`: index of the sphere, the number of spheres for the floor, -1 for a miss.
template <class Real>
struct Hit {
    Real distance;
    int id;
};

inline namespace RAYSCOPE_BUILD {

/// Width of the blocks in which the host searches SoA spheres, so that the compiler turns them into
/// vector instructions; a GPU thread searches one by one.
#ifdef __CUDACC__
template <class Real>
inline constexpr int kLanes = 1;
#else
#ifdef __AVX512F__
inline constexpr int kVectorBytes = 64;
#else
inline constexpr int kVectorBytes = 32;
#endif
template <class Real>
inline constexpr int kLanes = kVectorBytes / sizeof(Real);
static_assert(kPadding % kLanes<float> == 0 && kPadding % kLanes<double> == 0);
#endif

/// How a ray crosses a sphere, before any root is taken: a negative discriminant passes by.
template <class Real>
struct Crossing {
    Real b, c, curvature, discriminant;
};

/// t^2 - 2 b t + c = 0 with b = (C - o).d and c = |C - o|^2 - r^2 multiplied out: what depends on
/// the ray alone is the same for all spheres, which leaves eight operations for each. A ray that is
/// known to leave the sphere has the root 0 exactly (c = 0), so it cannot meet it again there.
template <class Real>
RAYSCOPE_FN Crossing<Real> cross(const CenterSphere<Real>& s, const Ray<Real>& ray, bool leaving) {
    const Vec3<Real> o = ray.origin, d = ray.direction, c = s.center;
    const Vec3<Real> o2 = o * Real(-2);
    const Real oo = dot(o, o), od = dot(o, d);
    const Real b = mulAdd(c.z, d.z, mulAdd(c.y, d.y, mulAdd(c.x, d.x, -od)));
    const Real gap = mulAdd(c.z, o2.z, mulAdd(c.y, o2.y, mulAdd(c.x, o2.x, oo + s.power)));
    const Real g = leaving ? Real(0) : gap;
    return {b, g, 0, mulAdd(b, b, -g)};
}

/// k t^2 + 2 b t + c = 0 with b = k q.d + n.d and c = k q.q + 2 q.n, where q = o - anchor, n is the
/// normal at the anchor and k = 1/r. No number in it is of the size of the radius, so walls of
/// radius 1e5 work in single precision.
template <class Real>
RAYSCOPE_FN Crossing<Real> cross(const CurvedSphere<Real>& s, const Ray<Real>& ray, bool leaving) {
    const Vec3<Real> q = ray.origin - s.anchor;
    const Real b = mulAdd(s.curvature, dot(q, ray.direction), dot(s.normal, ray.direction));
    const Real c = leaving ? Real(0) : mulAdd(s.curvature, dot(q, q), 2 * dot(q, s.normal));
    return {b, c, s.curvature, mulAdd(b, b, -s.curvature * c)};
}

/// Distance to the nearest intersection beyond tMin, or something that compares false with what is
/// beyond tMin. The root of a negative discriminant is not a number and does that too.
template <bool Curved, class Real>
RAYSCOPE_FN Real nearestRoot(const Crossing<Real>& x, Real tMin) {
    const Real root = sqrt(x.discriminant);
    if constexpr (!Curved) {
        const Real near = x.b - root;
        return near > tMin ? near : x.b + root;
    } else {
        const Real w = x.b > 0 ? -(x.b + root) : root - x.b;
        const Real t0 = w / x.curvature;
        const Real t1 = x.c / w;
        const Real near = t0 < t1 ? t0 : t1;
        return near > tMin ? near : (t0 < t1 ? t1 : t0);
    }
}

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

template <class Real, Variant V>
RAYSCOPE_FN Crossing<Real> crossingOf(const SceneView<Real, V>& scene, int i,
                                      const Ray<Real>& ray) {
    const bool leaving = has(V, kLarge) && i == ray.from;
    if constexpr (SceneView<Real, V>::kCurved)
        return cross(scene.wall(i), ray, leaving);
    else
        return cross(scene.sphere(i), ray, leaving);
}

/// Makes `hit` sphere i where that is nearer. Nested branches: from an early return NVRTC makes
/// selects, and then every warp takes the root of every sphere.
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
    meet<SceneView<Real, V>::kCurved>(crossingOf(scene, i, ray), i, scene.params.tMin, hit);
}

/// The spheres from I on, each as numbers in the code.
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

/// Distances as integers: those beyond tMin first, in their order, then all that is no distance,
/// not-a-number included: an invalid root loses every comparison by itself, and the minima of
/// integers become single vector instructions, which those of floating-point numbers do not.
/// tMin must not be negative.
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

/// The key of the distance to sphere i, without a branch: of two roots that with the smaller key is
/// the nearest beyond tMin.
template <class Real, Variant V>
RAYSCOPE_FN typename DistanceOrder<Real>::Key keyOf(const SceneView<Real, V>& scene, int i,
                                                    const Ray<Real>& ray,
                                                    DistanceOrder<Real> order) {
    const Crossing<Real> x = crossingOf(scene, i, ray);
    if constexpr (SceneView<Real, V>::kCurved) {
        return order.key(nearestRoot<true>(x, scene.params.tMin));
    } else {
        const Real root = sqrt(x.discriminant);
        return minimum(order.key(x.b - root), order.key(x.b + root));
    }
}

/// The spheres in blocks of kLanes, best of each lane kept, lowest index first among equals: the
/// same hit as one by one, to the bit.
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestSphereInLanes(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    using Key = typename DistanceOrder<Real>::Key;
    constexpr int kWidth = kLanes<Real>;
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

/// True where rays walk the hierarchy: known to a GPU kernel when it is compiled, to the host's
/// only when they run.
template <class Real, Variant V>
RAYSCOPE_FN bool walks(const SceneView<Real, V>& scene) {
    return V.accel == Accel::bvh && (kOnDevice || scene.params.walked);
}

/// The same hit as by trying all: among equal distances the lowest index.
template <class Real, Variant V>
RAYSCOPE_APART Hit<Real> closestSphereInTree(SceneView<Real, V> scene, Ray<Real> ray) {
    Hit<Real> hit{scene.params.tMax, -1};
    walk(scene, ray.origin, ray.direction, hit.distance, [&](int i) {
        Hit<Real> candidate{scene.params.tMax, -1};
        meet(scene, i, ray, candidate);
        const bool nearer =
            candidate.distance < hit.distance || (candidate.distance == hit.distance && i < hit.id);
        if (candidate.id >= 0 && nearer) hit = candidate;
        return false;
    });
    return hit;
}

/// Makes `hit` the floor where that is nearer.
template <class Real, Variant V>
RAYSCOPE_FN void meetFloor(const SceneView<Real, V>& scene, const Ray<Real>& ray, Hit<Real>& hit) {
    if constexpr (has(V, kFloor)) {
        if (scene.params.floor) {
            const Real t = divide<V>(-ray.origin.z, ray.direction.z);
            if (t > scene.params.tMin && t < hit.distance) hit = {t, scene.count()};
        }
    }
}

/// The nearest intersection in (tMin, tMax).
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestHit(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    Hit<Real> hit{scene.params.tMax, -1};
    if (walks(scene)) {
        hit = closestSphereInTree(scene, ray);
    } else if constexpr (V.sceneLayout == SceneLayout::soa && kLanes < Real >> 1) {
        hit = closestSphereInLanes(scene, ray);
    } else if constexpr (V.sceneMemory == SceneMemory::baked) {
        meetBaked<0>(scene, ray, hit);
    } else {
        for (int i = 0; i < scene.count(); ++i) {
            meet(scene, i, ray, hit);
        }
    }
    meetFloor(scene, ray, hit);
    return hit;
}

/// occluded() in blocks of kLanes, with a look at the result after every few blocks only.
template <class Real, Variant V>
RAYSCOPE_FN bool occludedInLanes(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                 Real distance, int except) {
    using Key = typename DistanceOrder<Real>::Key;
    constexpr int kWidth = kLanes<Real>;
    constexpr int kBlocks = 8;
    if (!(distance > scene.params.tMin)) return false;
    const DistanceOrder<Real> order = orderBeyond(scene.params.tMin);
    const Key limit = order.key(distance);
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

template <class Real, Variant V>
RAYSCOPE_APART bool occludedInTree(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                                   int except) {
    return walk(scene, ray.origin, ray.direction, distance, [&](int i) {
        Hit<Real> hit{distance, -1};
        meet(scene, i, ray, hit);
        return hit.id >= 0 && i != except;
    });
}

/// True where anything but sphere `except` lies in (tMin, distance). The floor is left out: no
/// scene has a lamp below it.
template <class Real, Variant V>
RAYSCOPE_FN bool occluded(const SceneView<Real, V>& scene, const Ray<Real>& ray, Real distance,
                          int except) {
    if (walks(scene)) {
        return occludedInTree(scene, ray, distance, except);
    } else if constexpr (V.sceneLayout == SceneLayout::soa && kLanes < Real >> 1) {
        return occludedInLanes(scene, ray, distance, except);
    } else {
        for (int i = 0; i < scene.count(); ++i) {
            Hit<Real> hit{distance, -1};
            meet(scene, i, ray, hit);
            if (hit.id >= 0 && i != except) return true;
        }
        return false;
    }
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
