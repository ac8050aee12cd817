#pragma once

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
template <class Real>
inline constexpr int kLanes = 32 / sizeof(Real);
#endif

/// How a ray crosses a sphere, before any root is taken: a negative discriminant passes by.
template <class Real>
struct Crossing {
    Real b, c, curvature, discriminant;
};

/// t^2 - 2 b t + c = 0 with the sphere's centre relative to the origin. A ray that is known to
/// leave the sphere has the root 0 exactly (c = 0), so it cannot meet it again there.
template <class Real>
RAYSCOPE_FN Crossing<Real> cross(const CenterSphere<Real>& s, const Ray<Real>& ray, bool leaving) {
    const Vec3<Real> oc = s.center - ray.origin;
    const Real b = dot(oc, ray.direction);
    const Real gap = mulAdd(oc.z, oc.z, mulAdd(oc.y, oc.y, mulAdd(oc.x, oc.x, -s.radiusSquared)));
    const Real c = leaving ? Real(0) : gap;
    return {b, c, 0, mulAdd(b, b, -c)};
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

template <class Real, Variant V>
RAYSCOPE_FN Crossing<Real> crossingOf(const SceneView<Real, V>& scene, int i,
                                      const Ray<Real>& ray) {
    const bool leaving = has(V, kLarge) && i == ray.from;
    if constexpr (SceneView<Real, V>::kCurved)
        return cross(scene.wall(i), ray, leaving);
    else
        return cross(scene.sphere(i), ray, leaving);
}

/// The distance to sphere i without a branch, for blocks of spheres that become vector code.
template <class Real, Variant V>
RAYSCOPE_FN Real distanceTo(const SceneView<Real, V>& scene, int i, const Ray<Real>& ray) {
    return nearestRoot<SceneView<Real, V>::kCurved>(crossingOf(scene, i, ray), scene.params.tMin);
}

/// Makes `hit` sphere i where that is nearer. Nested branches: from an early return NVRTC makes
/// selects, and then every warp takes the root of every sphere.
template <class Real, Variant V>
RAYSCOPE_FN void meet(const SceneView<Real, V>& scene, int i, const Ray<Real>& ray,
                      Hit<Real>& hit) {
    const Crossing<Real> x = crossingOf(scene, i, ray);
    if (x.discriminant >= 0) {
        const Real t = nearestRoot<SceneView<Real, V>::kCurved>(x, scene.params.tMin);
        if (t > scene.params.tMin && t < hit.distance) hit = {t, i};
    }
}

/// The bits of a positive number: they sort as the numbers do, and the smallest of a block of
/// integers is one vector reduction, which that of floating-point numbers is not.
RAYSCOPE_FN int sortable(float a) {
    return __builtin_bit_cast(int, a);
}
RAYSCOPE_FN long long sortable(double a) {
    return __builtin_bit_cast(long long, a);
}

/// The spheres in blocks of kLanes, best of each lane kept, lowest index first among equals: the
/// same hit as one by one, to the bit.
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestSphereInLanes(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    constexpr int kWidth = kLanes<Real>;
    const int padded = scene.padded();
    Real best[kWidth];
    int id[kWidth];
    for (int l = 0; l < kWidth; ++l) {
        best[l] = scene.params.tMax;
        id[l] = -1;
    }
    for (int i = 0; i < padded; i += kWidth) {
        for (int l = 0; l < kWidth; ++l) {
            const Real t = distanceTo(scene, i + l, ray);
            const bool closer = (t > scene.params.tMin) & (t < best[l]);
            best[l] = closer ? t : best[l];
            id[l] = closer ? i + l : id[l];
        }
    }
    auto nearest = sortable(scene.params.tMax);
    for (int l = 0; l < kWidth; ++l) nearest = minimum(nearest, sortable(best[l]));
    unsigned first = ~0u;  // the lowest index of that distance; -1 for a miss
    for (int l = 0; l < kWidth; ++l) {
        const unsigned farther = sortable(best[l]) == nearest ? 0u : ~0u;
        first = minimum(first, static_cast<unsigned>(id[l]) | farther);
    }
    return {__builtin_bit_cast(Real, nearest), static_cast<int>(first)};
}

/// The nearest intersection in (tMin, tMax).
template <class Real, Variant V>
RAYSCOPE_FN Hit<Real> closestHit(const SceneView<Real, V>& scene, const Ray<Real>& ray) {
    Hit<Real> hit{scene.params.tMax, -1};
    if constexpr (V.sceneLayout == SceneLayout::soa && kLanes < Real >> 1) {
        hit = closestSphereInLanes(scene, ray);
    } else {
        for (int i = 0; i < scene.count(); ++i) {
            meet(scene, i, ray, hit);
        }
    }
    if constexpr (has(V, kFloor)) {
        if (scene.params.floor) {
            const Real t = divide<V>(-ray.origin.z, ray.direction.z);
            if (t > scene.params.tMin && t < hit.distance) hit = {t, scene.count()};
        }
    }
    return hit;
}

/// occluded() in blocks of kLanes, with a look at the result after every few blocks only.
template <class Real, Variant V>
RAYSCOPE_FN bool occludedInLanes(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                 Real distance, int except) {
    constexpr int kWidth = kLanes<Real>;
    constexpr int kBlocks = 8;
    const int padded = scene.padded();
    for (int begin = 0; begin < padded; begin += kBlocks * kWidth) {
        const int end = minimum(begin + kBlocks * kWidth, padded);
        int blocked[kWidth] = {};
        for (int i = begin; i < end; i += kWidth) {
            for (int l = 0; l < kWidth; ++l) {
                const Real t = distanceTo(scene, i + l, ray);
                const bool hit = (t > scene.params.tMin) & (t < distance) & (i + l != except);
                blocked[l] = hit ? 1 : blocked[l];
            }
        }
        int any = 0;
        for (int l = 0; l < kWidth; ++l) any |= blocked[l];
        if (any) return true;
    }
    return false;
}

/// True where anything but sphere `except` lies in (tMin, distance). The floor is left out: no
/// scene has a lamp below it.
template <class Real, Variant V>
RAYSCOPE_FN bool occluded(const SceneView<Real, V>& scene, const Ray<Real>& ray, Real distance,
                          int except) {
    if constexpr (V.sceneLayout == SceneLayout::soa && kLanes < Real >> 1) {
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
