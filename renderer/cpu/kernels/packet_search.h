#pragma once

#include "renderer/core/bvh.h"
#include "renderer/cpu/kernels/packet_grid.h"

// The nearest hits and the occlusion of a packet of rays. Every sphere and every box is tested with
// all rays at once, but in a grid.

namespace rayscope {

/// How the rays cross spheres i.
template <Variant V, class Terms, class Sphere>
RAYSCOPE_FN Crossing<Floats> crossingOf(Words from, const Terms& terms, Words i,
                                        const Sphere& sphere) {
    return cross(sphere, terms, has(V, kLarge) ? from == i : Mask(false));
}

/// Sets the hit to the spheres i in the lanes of the mask where they are nearer, or as near with a
/// lower number.
template <Variant V, class Terms, class Sphere>
RAYSCOPE_FN void meet(const PacketView<V>& view, Words from, const Terms& terms, Hit<Floats>& hit,
                      Words i, const Sphere& sphere, Mask lanes) {
    const Crossing<Floats> x = crossingOf<V>(from, terms, i, sphere);
    const Mask crossed = lanes & (x.discriminant >= 0);
    if (!any(crossed)) return;
    const Floats t = nearestRoot<PacketView<V>::kCurved>(x, view.params.tMin);
    const Mask nearer = (t < hit.distance) | ((t == hit.distance) & (i < hit.shape));
    const Mask met = crossed & (t > view.params.tMin) & nearer;
    hit = {select(met, t, hit.distance), select(met, i, hit.shape)};
}

template <Variant V, class Terms>
RAYSCOPE_FN void meet(const PacketView<V>& view, Words from, const Terms& terms, Hit<Floats>& hit,
                      int i) {
    meet(view, from, terms, hit, Words(i), view.sphere(i), Mask(true));
}

/// How the rays cross sphere i.
template <Variant V, class Terms>
RAYSCOPE_FN Crossing<Floats> crossingOf(const PacketView<V>& view, Words from, const Terms& terms,
                                        int i) {
    return crossingOf<V>(from, terms, Words(i), view.sphere(i));
}

/// nearestRoot() with one division: signs tell which root it is. `Inside`: all rays start inside.
template <bool Inside, Variant V>
RAYSCOPE_FN Floats rootOfWall(const PacketView<V>& view, const Crossing<Floats>& x) {
    const Floats root = sqrt(x.discriminant);
    const Mask towards = x.b > 0;
    const Floats w = select(towards, -(x.b + root), root - x.b);
    const Mask first = Inside ? towards : towards | (x.c > 0);
    const Floats t = select(first, x.c, w) / select(first, w, x.curvature);
    if constexpr (!Inside) {  // a ray that enters before tMin hits where it leaves
        const Mask enters = (t <= view.params.tMin) & (x.c > 0) & (x.b <= 0);
        if (any(enters)) return select(enters, w / x.curvature, t);
    }
    return t;
}

/// Sets the hit to sphere i where t is nearer. Spheres come in ascending order, as ties keep the
/// earlier one.
template <Variant V>
RAYSCOPE_FN void meetAt(const PacketView<V>& view, Floats t, int i, Hit<Floats>& hit) {
    const Mask met = (t > view.params.tMin) & (t < hit.distance);
    hit = {select(met, t, hit.distance), select(met, Words(i), hit.shape)};
}

template <Variant V>
RAYSCOPE_FN void meetWall(const PacketView<V>& view, const Crossing<Floats>& x, int i,
                          Hit<Floats>& hit) {
    if (!any(x.discriminant >= 0)) return;
    meetAt(view, rootOfWall<false>(view, x), i, hit);
}

/// Sets the hit to the nearest sphere in a scene with walls. Where all rays are inside a group of
/// consecutive spheres, all its roots are computed before any comparison, as out-of-order execution
/// does not reach far enough to overlap them (cornell on a core of a Zen 4: 71.8 M rays/s with
/// groups of three, 70.0 with two, 66.9 with six).
template <Variant V>
RAYSCOPE_FN void meetWalls(const PacketView<V>& view, const Ray<Floats>& ray, Hit<Floats>& hit) {
    constexpr int kGroup = 3;
    int i = 0;
    for (; i + kGroup <= view.spheres(); i += kGroup) {
        Crossing<Floats> x[kGroup];
        Mask outside = false;
#pragma GCC unroll kGroup
        for (int k = 0; k < kGroup; ++k) {
            x[k] = crossingOf(view, ray.from, ray, i + k);
            outside = outside | (x[k].c > 0);
        }
        if (any(outside)) {
#pragma GCC unroll kGroup
            for (int k = 0; k < kGroup; ++k) meetWall(view, x[k], i + k, hit);
            continue;
        }
        Floats t[kGroup];
#pragma GCC unroll kGroup
        for (int k = 0; k < kGroup; ++k) t[k] = rootOfWall<true>(view, x[k]);
#pragma GCC unroll kGroup
        for (int k = 0; k < kGroup; ++k) meetAt(view, t[k], i + k, hit);
    }
    for (; i < view.spheres(); ++i) meetWall(view, crossingOf(view, ray.from, ray, i), i, hit);
}

/// What the scan compares, less the terms of x.
struct ScanTerms {
    Floats b, gap;
};

/// Unroll factor of the scan's loop over a row. On a Zen 4, 1 instead of 2 is 1 % faster with 16
/// lanes (vt46, card) and 1 % slower with 8.
inline constexpr int kUnrolled = kWidth == 16 ? 1 : 2;

/// Which spheres of a block, from `begin` on, some ray of the mask may hit: those that it crosses,
/// and that are not wholly behind its origin. Ten vector operations a sphere, six within a row.
template <Variant V>
RAYSCOPE_FN unsigned long long scan(const PacketView<V>& view, const Ray<Floats>& ray, Mask where,
                                    int begin) {
    const Vec3<Floats> o = ray.origin, d = ray.direction, o2 = o * Floats(2);
    const Floats oo = dot(o, o) * Floats(kSquareSlack - 1), od = -dot(o, d);
    const float *const x = view.geometry(kX), *const y = view.geometry(kY),
                       *const z = view.geometry(kZ);
    LaneBits crossed[kScanned] = {};
    const auto withoutX = [&](int i) RAYSCOPE_INLINED {
        const Floats cy = y[i], cz = z[i];
        return ScanTerms{mulAdd(cz, d.z, mulAdd(cy, d.y, od)),
                         mulAdd(cz, o2.z, mulAdd(cy, o2.y, oo))};
    };
    const auto test = [&](int i, const ScanTerms& terms) RAYSCOPE_INLINED {
        const Floats cx = x[i];
        const Floats b = mulAdd(cx, d.x, terms.b), gap = mulAdd(cx, o2.x, terms.gap);
        const SphereBounds& least = view.scene.bounds[i];
        const Mask ahead = b >= Floats(least.b);
        const Mask may = ahead & (mulAdd(b, b, gap) >= Floats(least.square));
        crossed[i - begin] = static_cast<LaneBits>(may.bits());
    };
    const int end = minimum(begin + kScanned, view.spheres());
    if constexpr (V.scan != Scan::rows) {
#pragma GCC unroll 2
        for (int i = begin; i < end; ++i) test(i, withoutX(i));
    } else {
        const int* rowEnd = view.scene.rowEnds + begin;
        for (int i = begin; i < end; ++rowEnd) {
            const ScanTerms terms = withoutX(i);
#pragma GCC unroll kUnrolled
            for (; i < *rowEnd; ++i) test(i, terms);
        }
    }
    return common(crossed, where);
}

/// Calls visit(i) for the spheres that the scan finds.
template <Variant V, class Visit>
RAYSCOPE_FN void eachScanned(const PacketView<V>& view, const Ray<Floats>& ray, Mask where,
                             Visit visit) {
    for (int begin = 0; begin < view.spheres(); begin += kScanned) {
        auto found = scan(view, ray, where, begin);
        for (; found != 0; found &= found - 1) visit(begin + __builtin_ctzll(found));
    }
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
    const auto& header = *static_cast<const BvhHeader*>(view.scene.structure);
    const auto* const list = reinterpret_cast<const int*>(&header + 1);
    const auto* const nodes = reinterpret_cast<const BvhNode*>(list + view.stride());
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

/// What cross() takes: the rays' terms, in registers; of walls the rays.
template <Variant V>
RAYSCOPE_FN auto termsInRegisters(const Ray<Floats>& ray) {
    if constexpr (PacketView<V>::kCurved)
        return ray;
    else
        return keptTerms(ray);
}

/// Calls visit(rays, i), or in a grid also visit(rays, ids, spheres, lanes), for all that a ray of
/// the mask may hit before `limit`, which visit() may reduce. cross() takes `rays`.
template <Variant V, class Visit>
RAYSCOPE_FN void search(const PacketView<V>& view, const Ray<Floats>& ray, const Floats& limit,
                        Mask where, Visit visit) {
    const auto visitBy = [&](const auto& rays) RAYSCOPE_INLINED {
        return [&](const auto&... found) RAYSCOPE_INLINED { visit(rays, found...); };
    };
    if constexpr (V.accel == Accel::grid) {
        walkGridInLanes(view, ray, limit, where, visitBy(ray));
    } else if constexpr (V.accel == Accel::bvh) {
        const auto terms = termsInRegisters<V>(ray);
        walkTogether(view, ray, limit, visitBy(terms));
    } else if constexpr (!PacketView<V>::kCurved && V.scan != Scan::each) {
        eachScanned(view, ray, where, visitBy(ray));
    } else {
        for (int i = 0; i < view.spheres(); ++i) visit(ray, i);
    }
}

/// The nearest hits in (tMin, tMax) of the lanes of the mask.
template <Variant V>
RAYSCOPE_FN Hit<Floats> closestHit(const PacketView<V>& view, const Ray<Floats>& ray, Mask where) {
    const SceneParams<Floats>& p = view.params;
    Hit<Floats> hit{select(where, p.tMax, Floats(-1)), kNoShape};
    if constexpr (PacketView<V>::kCurved && V.accel == Accel::brute) {
        meetWalls(view, ray, hit);
    } else {
        search(view, ray, hit.distance, where,
               [&](const auto& terms, const auto&... found)
                   RAYSCOPE_INLINED { meet(view, ray.from, terms, hit, found...); });
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
    Mask hidden = false;
    Floats left = select(where, distance, Floats(-1));  // -1 too for rays that have met something
    search(view, ray, left, where,
           [&](const auto& terms, auto i, const auto&... at) RAYSCOPE_INLINED {
               constexpr bool kEach = sizeof...(at) > 0;  // lanes have spheres of their own
               if constexpr (!kEach) {
                   if (i == except) return;
               }
               Mask met = false;
               if constexpr (kEach) {
                   Hit<Floats> hit{left, kNoShape};
                   meet(view, ray.from, terms, hit, i, at...);
                   met = (hit.shape >= 0) & (hit.shape != Words(except));
               } else {
                   const Crossing<Floats> x = crossingOf(view, ray.from, terms, i);
                   if (!any(x.discriminant >= 0)) return;
                   const Floats t = nearestRoot<PacketView<V>::kCurved>(x, view.params.tMin);
                   met = (t > view.params.tMin) & (t < left);
               }
               hidden = hidden | met;
               left = select(met, Floats(-1), left);
           });
    return hidden;
}

}  // namespace rayscope
