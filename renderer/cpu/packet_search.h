#pragma once

#include "renderer/core/bvh.h"
#include "renderer/core/shapes.h"
#include "renderer/cpu/pack.h"
#include "renderer/cpu/packet_table.h"

// The nearest hits and the occlusion of a packet of rays. Every sphere and every box is tested with
// all rays at once.

namespace rayscope {

inline namespace RAYSCOPE_BUILD {

/// The scene of a packet, packed as SceneLayout::soa: a sphere for all lanes, or one in each.
template <Variant V>
struct PacketView : SceneView<Floats, V> {
    const PacketScene& scene;

    using SceneView<Floats, V>::kCurved;

    RAYSCOPE_FN const float* geometry(int field) const {
        return reinterpret_cast<const float*>(this->bytes) + field * scene.padded;
    }
    RAYSCOPE_FN const float* material(int field) const {
        return geometry(geometryFields(kCurved) + field);
    }
    RAYSCOPE_FN Floats at(const float* field, int i) const { return field[i]; }
    RAYSCOPE_FN Floats at(const float* field, Words i) const {
        return lookUp(field, scene.padded, i);
    }
    template <class Index>
    RAYSCOPE_FN Vec3<Floats> vectorAt(const float* field, Index i) const {
        const int n = scene.padded;
        return {at(field, i), at(field + n, i), at(field + 2 * n, i)};
    }
    template <class Index>
    RAYSCOPE_FN auto sphere(Index i) const {
        const Vec3<Floats> point = vectorAt(geometry(kX), i);
        const Floats scale = at(geometry(kScale), i);
        if constexpr (kCurved)
            return CurvedSphere<Floats>{point, scale, vectorAt(geometry(kNormalX), i), 0};
        else
            return CenterSphere<Floats>{point, scale};
    }
};

template <class Index, Variant V>
RAYSCOPE_FN Crossing<Floats> crossingOf(const PacketView<V>& view, Index i,
                                        const Ray<Floats>& ray) {
    return cross(view.sphere(i), ray, has(V, kLarge) ? ray.from == i : Mask(false));
}

/// Sets the hit to sphere i in the lanes where that is nearer, or as near with a lower number.
template <Variant V>
RAYSCOPE_FN void meet(const PacketView<V>& view, int i, const Ray<Floats>& ray, Hit<Floats>& hit) {
    const Crossing<Floats> x = crossingOf(view, i, ray);
    const Mask crossed = x.discriminant >= 0;
    if (!any(crossed)) return;
    const Floats t = nearestRoot<PacketView<V>::kCurved>(x, view.params.tMin);
    const Mask nearer = (t < hit.distance) | ((t == hit.distance) & (Words(i) < hit.shape));
    const Mask met = crossed & (t > view.params.tMin) & nearer;
    hit = {select(met, t, hit.distance), select(met, Words(i), hit.shape)};
}

/// Spheres of a block of the scan: a bit of a word each.
inline constexpr int kScanned = 64;

/// b, and b b - c + power (CenterSphere), of a sphere and a packet. The power is left for a
/// comparison, of which it can be an operand in memory.
struct Pass {
    Floats b, square;
};

/// What the scan needs of rays.
struct ScannedRays {
    Vec3<Floats> direction, twice;  ///< twice the origin
    Floats along, square;           ///< -o.d and -o.o

    explicit RAYSCOPE_FN ScannedRays(const Ray<Floats>& ray)
        : direction(ray.direction),
          twice(ray.origin * Floats(2)),
          along(-dot(ray.origin, ray.direction)),
          square(-dot(ray.origin, ray.origin)) {}

    RAYSCOPE_FN Pass pass(const Vec3<Floats>& c) const {
        const Vec3<Floats>&d = direction, &o2 = twice;
        const Floats b = mulAdd(c.z, d.z, mulAdd(c.y, d.y, mulAdd(c.x, d.x, along)));
        const Floats gap = mulAdd(c.z, o2.z, mulAdd(c.y, o2.y, mulAdd(c.x, o2.x, square)));
        return {b, mulAdd(b, b, gap)};
    }
};

/// Which of the block of spheres from `begin` on are crossed by some ray of the mask, and not
/// wholly behind its origin.
template <Variant V>
RAYSCOPE_FN unsigned long long scan(const PacketView<V>& view, const ScannedRays& rays, Mask where,
                                    int begin) {
    const float *const x = view.geometry(kX) + begin, *const y = view.geometry(kY) + begin,
                       *const z = view.geometry(kZ) + begin,
                       *const power = view.geometry(kScale) + begin,
                       *const nearest = view.scene.nearest + begin;
    const int n = minimum(kScanned, view.scene.count - begin);
    LaneBits crossed[kScanned] = {};
#pragma GCC unroll 2
    for (int i = 0; i < n; ++i) {
        const Pass pass = rays.pass({x[i], y[i], z[i]});
        const Mask ahead = where & (pass.b > Floats(nearest[i]));
        crossed[i] = static_cast<LaneBits>((ahead & (pass.square >= Floats(power[i]))).bits());
    }
    return notZero(crossed);
}

/// sqrt(a) to about 22 bits; 0 for 0, NaN for negative numbers.
RAYSCOPE_FN Floats nearlyRoot(Floats a) {
    const Floats y = roughInverseRoot(a + Floats(1e-30f));
    const Floats root = a * y;
    return mulAdd(root * Floats(.5f), mulAdd(-root, y, Floats(1)), root);
}

/// Calls visit(i, b, discriminant) for the spheres of a block that the scan has found.
template <Variant V, class Visit>
RAYSCOPE_FN void eachFound(const PacketView<V>& view, const Ray<Floats>& ray,
                           const ScannedRays& rays, int begin, unsigned long long found,
                           Visit visit) {
    for (; found != 0; found &= found - 1) {
        const int i = begin + __builtin_ctzll(found);
        const Pass pass = rays.pass(view.vectorAt(view.geometry(kX), i));
        Floats d = pass.square - Floats(view.geometry(kScale)[i]);
        if constexpr (has(V, kLarge)) d = select(ray.from == i, pass.b * pass.b, d);
        visit(i, pass.b, d);
    }
}

/// The nearest sphere: first which spheres some ray crosses, then the roots of those. The distance
/// is computed again at the end, to the bit as cross() does; a ray that grazes a sphere may miss
/// it.
template <Variant V>
RAYSCOPE_FN void closestByScan(const PacketView<V>& view, const Ray<Floats>& ray, Mask where,
                               Hit<Floats>& hit) {
    const Floats tMin = view.params.tMin;
    const ScannedRays rays(ray);
    for (int begin = 0; begin < view.scene.count; begin += kScanned) {
        const auto found = scan(view, rays, where, begin);
        eachFound(view, ray, rays, begin, found, [&](int i, Floats b, Floats d) RAYSCOPE_INLINED {
            const Floats root = nearlyRoot(d);
            const Floats t = select(b - root > tMin, b - root, b + root);
            const Mask met = (t > tMin) & (t < hit.distance);
            hit = {select(met, t, hit.distance), select(met, Words(i), hit.shape)};
        });
    }
    const Mask some = hit.shape >= 0;
    Crossing<Floats> x = crossingOf(view, select(some, hit.shape, Words(0)), ray);
    x.discriminant = fastMax(x.discriminant, Floats(0));
    hit.distance = select(some, nearestRoot<false>(x, tMin), hit.distance);
}

/// Where a sphere other than `except` is in (tMin, distance), by the scan. Whether a root lies
/// between the limits follows from the signs of (t - b) |t - b| -+ the discriminant.
template <Variant V>
RAYSCOPE_FN Mask occludedByScan(const PacketView<V>& view, const Ray<Floats>& ray, Floats distance,
                                ShapeId except, Mask where) {
    Mask hidden = false;
    const ScannedRays rays(ray);
    for (int begin = 0; begin < view.scene.count; begin += kScanned) {
        auto found = scan(view, rays, where, begin);
        if (except >= begin && except < begin + kScanned) found &= ~(1ull << (except - begin));
        eachFound(view, ray, rays, begin, found, [&](int, Floats b, Floats d) RAYSCOPE_INLINED {
            const Floats near = b - view.params.tMin, far = distance - b;
            const Floats n = near * fabs(near), f = far * fabs(far);
            hidden = hidden | ((d >= 0) & (fastMin(n, f) > -d) & (fastMax(n, f) > d));
        });
    }
    return hidden;
}

/// A subtree on the stack, and where each ray enters its box.
struct PostponedByAll {
    Floats entry;
    int reference;
};

/// walk() for a packet: it goes where any ray goes, to the child first that more rays enter first.
/// Rays whose limit is not positive enter nothing.
template <Variant V, class Visit>
RAYSCOPE_FN void walkTogether(const PacketView<V>& view, const Ray<Floats>& rays,
                              const Floats& limit, Visit visit) {
    const BvhHeader& header = *view.scene.bvh;
    const auto* const list = reinterpret_cast<const int*>(&header + 1);
    const auto* const nodes = reinterpret_cast<const BvhNode*>(list + view.scene.padded);
    for (int k = 0; k < header.outside; ++k) visit(list[k]);
    if (header.nodes == 0) return;
    const SlabRay<Floats> ray = slabRay(rays.origin, rays.direction, header);
    PostponedByAll stack[kBvhLevels];
    int top = 0, reference = 0;
    while (true) {
        if (reference >= 0) {
            const BvhNode& node = nodes[reference];
            const Span<Floats> spanA = spanOf(node, 0, ray, limit);
            const Span<Floats> spanB = spanOf(node, 1, ray, limit);
            const Mask inA = spanA.near <= spanA.far, inB = spanB.near <= spanB.far;
            if (any(inA) && any(inB)) {
                const Floats a = select(inA, spanA.near, kNoEntry);
                const Floats b = select(inB, spanB.near, kNoEntry);
                const bool swap = 2 * count(b < a) > count(inA | inB);
                stack[top++] =
                    swap ? PostponedByAll{a, node.child[0]} : PostponedByAll{b, node.child[1]};
                reference = node.child[swap ? 1 : 0];
                continue;
            }
            if (any(inA | inB)) {  // branches: which child it is decides what is loaded next
                reference = node.child[any(inA) ? 0 : 1];
                continue;
            }
        } else {
            const int begin = leafFirst(reference), end = begin + leafCount(reference);
            for (int k = begin; k < end; ++k) visit(list[k]);
        }
        do {
            if (top == 0) return;
            --top;
        } while (!any(stack[top].entry <= limit));
        reference = stack[top].reference;
    }
}

/// The nearest hits in (tMin, tMax) of the lanes of the mask.
template <Variant V>
RAYSCOPE_FN Hit<Floats> closestHit(const PacketView<V>& view, const Ray<Floats>& ray, Mask where) {
    const SceneParams<Floats>& p = view.params;
    Hit<Floats> hit{select(where, p.tMax, Floats(-1)), kNoShape};
    if (p.walked) {
        walkTogether(view, ray, hit.distance,
                     [&](int i) RAYSCOPE_INLINED { meet(view, i, ray, hit); });
    } else if (PacketView<V>::kCurved || !view.scene.fastScan) {
        for (int i = 0; i < view.scene.count; ++i) meet(view, i, ray, hit);
    } else if constexpr (!PacketView<V>::kCurved) {
        closestByScan(view, ray, where, hit);
    }
    if constexpr (has(V, kFloor)) {
        if (p.floor) {
            const Floats t = FloorShape<Floats>::template distance<V>(ray);
            const Mask met = (t > p.tMin) & (t < hit.distance);
            hit = {select(met, t, hit.distance), select(met, Words(kFloorShape), hit.shape)};
        }
    }
    return hit;
}

/// Where a sphere other than `except` is in (tMin, distance); nowhere outside of the mask.
template <Variant V>
RAYSCOPE_FN Mask occluded(const PacketView<V>& view, const Ray<Floats>& ray, Floats distance,
                          ShapeId except, Mask where) {
    if (!PacketView<V>::kCurved && view.scene.fastScan && !view.params.walked) {
        if constexpr (!PacketView<V>::kCurved)
            return where & occludedByScan(view, ray, distance, except, where);
    }
    Mask hidden = false;
    // rays that have met something look no further
    Floats left = select(where, distance, Floats(-1));
    const auto visit = [&](int i) RAYSCOPE_INLINED {
        if (i == except) return;
        Hit<Floats> hit{left, kNoShape};
        meet(view, i, ray, hit);
        const Mask met = hit.shape >= 0;
        hidden = hidden | met;
        left = select(met, Floats(-1), left);
    };
    if (view.params.walked) {
        walkTogether(view, ray, left, visit);
    } else {
        for (int i = 0; i < view.scene.count; ++i) visit(i);
    }
    return hidden;
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
