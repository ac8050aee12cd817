#pragma once

#include "renderer/core/shade.h"
#include "renderer/cpu/kernels/packet_search.h"

// What shade() does, for a packet. The materials are those of core/shade.h; only the choice between
// them is written again, because on a GPU a sequence of `if (any(...))` instead of `else if` costs
// eight registers.

namespace rayscope {

/// Lcg in each lane.
struct LaneLcg {
    Words state;
};

template <>
struct LanesOf<RngOf<Words>> : LanesOf<Floats> {};
template <>
inline constexpr bool kIsLcg<LaneLcg> = true;
template <>
struct LanesOf<LaneLcg> : LanesOf<Floats> {};

/// The generators of a packet's paths.
template <Numbers N>
struct LaneRngFor {
    using Type = RngOf<Words>;
};
template <>
struct LaneRngFor<Numbers::lcg> {
    using Type = LaneLcg;
};
template <Variant V>
using LaneRng = typename LaneRngFor<V.numbers>::Type;

using PacketSurface = Surface<Floats, PacketMaterial>;
using LaneBounce = Bounce<Floats>;

RAYSCOPE_FN Words next(LaneLcg& rng, Mask where) {
    const Words state = advance(rng.state);
    rng.state = select(where, state, rng.state);
    return state;
}
template <class Real>
RAYSCOPE_FN Floats unitOf(const LaneLcg&, Words bits) {
    return asFloats((bits >> 9) + Words(0x3f800000)) - Floats(1);
}

RAYSCOPE_FN RngOf<Words> select(Mask m, RngOf<Words> yes, RngOf<Words> no) {
    return {select(m, yes.state, no.state)};
}
RAYSCOPE_FN LaneLcg select(Mask m, LaneLcg yes, LaneLcg no) {
    return {select(m, yes.state, no.state)};
}

/// advance(), twice.
RAYSCOPE_FN Words skipTwo(Words state) {
    return state * Words(kMultiplier * kMultiplier) + Words(kIncrement * kMultiplier + kIncrement);
}

/// a / b for 0 <= a < 2^20 and 0 < b < 2^11.
RAYSCOPE_FN Words quotient(Words a, int b) {
    return truncated((Floats(a) + Floats(.5f)) * Floats(1.f / static_cast<float>(b)));
}

RAYSCOPE_FN Floats tent(Floats u) {
    const Floats r = u + u;
    const Mask rising = r < 1;
    const Floats root = sqrt(select(rising, r, 2 - r));
    return select(rising, root - 1, 1 - root);
}

RAYSCOPE_FN PacketMaterial lambertOf(Vec3<Floats> albedo) {
    return {albedo, 0, {0, 0, 0}, 0, static_cast<int>(MaterialKind::lambert)};
}

/// The view for a surface that is Lambert in all lanes.
template <Variant V>
constexpr Variant lambertVariant() {
    Variant v = V;
    v.traits.features &= ~(kFloor | kGlossy);
    return v;
}
template <Variant V>
RAYSCOPE_FN PacketView<lambertVariant<V>()> lambertView(const PacketView<V>& view) {
    return {{view.bytes, view.params}, view.scene};
}

RAYSCOPE_FN void standOnFloor(PacketSurface& s, Mask floor) {
    const Words square =
        truncated(ceil(s.position.x * Floats(.2f))) + truncated(ceil(s.position.y * Floats(.2f)));
    const Mask odd = (square & Words(1)) == Words(1);
    const auto& [even, other] = kFloorSquares<float>;
    const Vec3<Floats> albedo = select(odd, spread(other.albedo), spread(even.albedo));
    s.normal = select(floor, Vec3<Floats>{0, 0, 1}, s.normal);
    s.facing = select(floor, s.normal, s.facing);
    s.material.albedo = select(floor, albedo, s.material.albedo);
    s.material.emission = select(floor, Vec3<Floats>{0, 0, 0}, s.material.emission);
    s.material.kind =
        select(floor, Words(static_cast<int>(MaterialKind::checker)), s.material.kind);
}

/// A lane without a path, or on the floor, gets some sphere.
template <Variant V>
RAYSCOPE_FN PacketSurface surfaceAt(const PacketView<V>& view, const Ray<Floats>& ray,
                                    const Hit<Floats>& hit) {
    const Mask onSphere = (hit.shape >= 0) & (hit.shape < Words(kFloorShape));
    const Words id = select(onSphere, hit.shape, Words(0));
    PacketSurface s;
    s.shape = hit.shape;
    s.position = mulAdd(ray.direction, hit.distance, ray.origin);
    view.withSpheres(id, [&](const PacketSphere& sphere) RAYSCOPE_INLINED {
        s.material = sphere.material;
        const Vec3<Floats> out = s.position - sphere.point;
        if constexpr (PacketView<V>::kCurved)
            s.normal = mulAdd(out, sphere.scale, sphere.normal);
        else
            s.normal = out * sphere.scale;
    });
    s.normal = nearlyUnit(s.normal);
    s.facing = select(dot(s.normal, ray.direction) < 0, s.normal, -s.normal);
    if constexpr (has(V, kFloor)) {
        const Mask floor = hit.shape == Words(kFloorShape);
        if (any(floor)) standOnFloor(s, floor);
    }
    return s;
}

/// shade(); the path goes on at most in the lanes of `on`.
template <Variant V>
RAYSCOPE_FN LaneBounce shadeLanes(const PacketView<V>& view, const Ray<Floats>& ray,
                                  const PacketSurface& s, PathState<LaneRng<V>> path, Mask on) {
    const PacketMaterial& m = s.material;
    const auto is = [&](unsigned feature, MaterialKind kind) RAYSCOPE_INLINED {
        return has(V, feature) ? on & (m.kind == kind) : Mask(false);
    };
    LaneBounce b{select(path.sampled, Vec3<Floats>{0, 0, 0}, m.emission),
                 m.albedo,
                 {s.position, ray.direction, s.shape},
                 on,
                 false};
    if constexpr (has(V, kFloor)) {
        const Mask checker = m.kind == MaterialKind::checker;
        b.emitted = select(checker, m.albedo * Floats(.1f), b.emitted);
        b.alive = on = on & !checker;
    }
    if constexpr (has(V, kRoulette)) {
        const int from = view.params.rouletteDepth;
        const Mask plays = on & (path.depth >= Words(from));
        if (from > 0 && any(plays)) {
            const Floats survival = largest(m.albedo);
            b.alive = b.alive & ((uniform<Floats>(*path.rng, plays) < survival) | !plays);
            b.weight = select(plays, b.weight * (1 / survival), b.weight);
        }
    }
    const Mask lambert = is(kLambert, MaterialKind::lambert);
    const Mask opaque = lambert | is(kMetal, MaterialKind::metal);
    const Mask dielectric = is(kDielectric, MaterialKind::dielectric);
    const Mask glass = is(kGlass, MaterialKind::glass);
    const Mask glossy = is(kGlossy, MaterialKind::glossy);
    const auto scatter = [&](Mask where, const auto& direction) RAYSCOPE_INLINED {
        if (!any(where)) return;
        LaneRng<V> rng = *path.rng;
        b.next.direction = select(where, direction(rng), b.next.direction);
        *path.rng = select(where, rng, *path.rng);
    };
    const Vec3<Floats> d = ray.direction;
    Mask goesOn = true;
    Vec3<Floats> weight = b.weight;
    scatter(opaque, [&](LaneRng<V>& rng) RAYSCOPE_INLINED {
        const Aim<Floats> aim = aimOpaque<V>(s, d, rng);
        const Vec3<Floats> direction = directionOf<V>(aim, rng);
        goesOn = !absorbs(aim, direction);
        return direction;
    });
    b.alive = b.alive & (goesOn | !opaque);
    scatter(dielectric,
            [&](LaneRng<V>& rng) RAYSCOPE_INLINED { return scatterDielectric<V>(s, d, rng); });
    scatter(glass,
            [&](LaneRng<V>& rng) RAYSCOPE_INLINED { return scatterGlass<V>(s, d, rng, &weight); });
    b.weight = select(glass, weight, b.weight);
    if constexpr (has(V, kGlossy)) {
        b.next.direction = select(glossy, reflect(d, s.normal), b.next.direction);
        b.weight = select(glossy, Vec3<Floats>{.5f, .5f, .5f}, b.weight);
    }
    if constexpr (V.lightSampling) {
        if (view.params.lightCount > 0) b.sampled = lambert;
    }
    if constexpr (has(V, kBlack)) b.alive = b.alive & (largest(m.albedo) > 0);
    return b;
}

}  // namespace rayscope
