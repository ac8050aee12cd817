#pragma once

#include "renderer/core/aim.h"
#include "renderer/core/intersect.h"

// The physics: what a hit emits, where the path continues and with which weight, and which shadow
// rays sample the lights. Nothing here traces; the engines trace and count.

namespace rayscope {

/// What a ray has hit. The material is a copy, or a reference to the scene in memory (Access).
template <class Real, class Material = MaterialRecord<Real>>
struct Surface {
    Vec3<Real> position;
    Vec3<Real> normal;  ///< outward
    Vec3<Real> facing;  ///< the normal on the side the ray came from
    Material material;
    IntOf<Real> shape;
};

/// What a path carries besides its ray.
template <class Generator>
struct PathState {
    Generator* rng;
    IntOf<Generator> depth;  ///< rays traced before this one
    /// The previous vertex sampled the lights: do not count their emission again.
    MaskOf<Generator> sampled;
};

template <class Real>
struct Bounce {
    Vec3<Real> emitted;
    Vec3<Real> weight;  ///< of the radiance along the next ray
    Ray<Real> next;     ///< Begin::merged: its direction is the aim's
    MaskOf<Real> alive;
    MaskOf<Real> sampled;  ///< PathState::sampled of the next vertex
    Aim<Real> aim{};       ///< Begin::merged
};

template <class Real>
RAYSCOPE_FN constexpr HitKind hitKind(const MaterialRecord<Real>& m) {
    if (m.emission.x > 0 || m.emission.y > 0 || m.emission.z > 0) return HitKind::emissive;
    switch (m.kind) {
        case MaterialKind::metal:
            return HitKind::metal;
        case MaterialKind::dielectric:
        case MaterialKind::glass:
            return HitKind::glass;
        case MaterialKind::glossy:
            return HitKind::glossy;
        case MaterialKind::checker:
            return HitKind::floor;
        case MaterialKind::lambert:
            break;
    }
    return HitKind::lambert;
}

/// A shadow ray, and the radiance that it adds if it is not occluded.
template <class Real>
struct LightSample {
    Ray<Real> ray;
    Real distance;
    ShapeId except;  ///< the light itself
    Vec3<Real> radiance;
    MaskOf<Real> wanted;  ///< false: no light comes from there, so do not trace
};

/// A light as a surface sees it.
template <class Real>
struct LightInView {
    Vec3<Real> towards;      ///< its centre, relative to the surface
    Real inverse2, sin2Max;  ///< of the distance, of half the angle
    MaskOf<Real> seen;       ///< some of it is above the surface, which is outside of it
};

template <class Real>
RAYSCOPE_FN Vec3<Real> reflect(Vec3<Real> d, Vec3<Real> n) {
    return mulAdd(n, -2 * dot(d, n), d);
}

/// Radiance from outside the scene. `sampled`: PathState::sampled.
template <class Real, Variant V>
RAYSCOPE_FN Vec3<Real> skyRadiance(const SceneView<Real, V>& scene, Vec3<Real> d,
                                   bool sampled = false) {
    const SceneParams<Real>& p = scene.params;
    if constexpr (has(V, kPictureSky)) {
        if (!has(V, kGradientSky | kPowerSky) || p.sky == SkyKind::picture)
            return radianceFrom<V>(meshOf(scene).sky(), d,
                                   V.lightSampling && sampled ? SkyPart::dim : SkyPart::all);
    }
    if constexpr (has(V, kPowerSky)) {
        if (!has(V, kGradientSky) || p.sky == SkyKind::power) {
            const Real s = (1 - d.z) * (1 - d.z);
            return p.skyTop * (s * s);
        }
    }
    if constexpr (has(V, kGradientSky)) {
        return mulAdd(p.skyHalf, d.y, p.skyMiddle);
    } else {
        return {0, 0, 0};
    }
}

/// The normal of a triangle at a point that a ray has hit.
template <Variant V, class Real>
RAYSCOPE_FN Vec3<Real> triangleNormal(const TriangleHit<Real, V>& hit, const Ray<Real>& ray) {
    return hit.stored.template normal<V>(
        normalAt<V>(hit.mesh, hit.face, hit.point, hit.stored.direction(ray.direction)));
}

/// The surface of a triangle where a ray has hit it.
template <class M, Variant V, class Real>
RAYSCOPE_FN Surface<Real, M> triangleSurface(const TriangleHit<Real, V>& hit, const Ray<Real>& ray,
                                             ShapeId shape, const Vec3<Real>& position,
                                             const Vec3<Real>& normal) {
    M material = hit.mesh.material(hit.face);
    Surface<Real, M> s{position, normal, onSideOf(normal, -ray.direction), material, shape};
    if constexpr (has(V, kTextures)) applyTextures<V>(s.material, hit.mesh, hit.face, hit.point);
    return s;
}

template <class Real, Variant V>
RAYSCOPE_FN Surface<Real> surfaceAt(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                    const Hit<Real>& hit) {
    const Vec3<Real> position = mulAdd(ray.direction, hit.distance, ray.origin);
    if constexpr (has(V, kTriangles)) {
        if (kindOf(hit.shape) == ShapeKind::triangle) {
            const TriangleHit<Real, V> triangle(scene, hit.shape, position);
            return triangleSurface<MaterialRecord<Real>>(triangle, ray, hit.shape, position,
                                                         triangleNormal(triangle, ray));
        }
    }
    return withShape(scene, hit.shape, [&](const auto& shape) RAYSCOPE_INLINED {
        const MaterialRecord<Real> material = shape.template material<false>(position);
        const Vec3<Real> normal = shape.normal(position, material.inverseRadius);
        if constexpr (usesKeys(V) && has(V, kDielectric | kGlass)) {
            // a grazing ray inside glass would be reflected for ever from a point too far inside
            const Vec3<Real> exact = shape.nearest(position, normal, material.inverseRadius);
            return Surface<Real>{exact, normal, shape.facing(normal, ray), material, hit.shape};
        }
        return Surface<Real>{position, normal, shape.facing(normal, ray), material, hit.shape};
    });
}

/// Lambert: the direction of n + a uniform point on the unit sphere is cosine-distributed.
template <Variant V, class Real, class M, class Generator>
RAYSCOPE_FN Vec3<Real> scatterLambert(const Surface<Real, M>& s, Generator& rng) {
    return normalizeOrZero<V>(s.facing + unitSphere<V, Real>(rng));
}

/// Mirrors, into a ball as large as the roughness. What would go into the surface is absorbed.
template <Variant V, class Real, class M, class Generator>
RAYSCOPE_FN void scatterMetal(const Surface<Real, M>& s, Vec3<Real> d, Generator& rng,
                              Bounce<Real>& b) {
    const Vec3<Real> mirror = reflect(d, s.normal);
    b.next.direction = mirror;
    if (s.material.roughness > 0) {
        b.next.direction =
            normalize<V>(mulAdd(unitBall<V, Real>(rng), s.material.roughness, mirror));
        if (!(dot(b.next.direction, s.facing) > 0)) b.alive = false;
    }
}

/// Mirrors half of the light.
template <class Real, class M>
RAYSCOPE_FN void scatterGlossy(const Surface<Real, M>& s, Vec3<Real> d, Bounce<Real>& b) {
    b.next.direction = reflect(d, s.normal);
    b.weight = {Real(.5), Real(.5), Real(.5)};
}

/// Reflects with the probability of Schlick's approximation, else refracts.
template <Variant V, class Real, class M, class Generator>
RAYSCOPE_FN Vec3<Real> scatterDielectric(const Surface<Real, M>& s, Vec3<Real> d, Generator& rng) {
    const Real index = s.material.index;
    const Real dn = dot(d, s.normal);
    const MaskOf<Real> inside = dn > 0;
    const Real eta = select(inside, index, divide<V>(Real(1), index));
    const Real cosine = select(inside, index * dn, -dn);
    const Real towards = dot(d, s.facing);
    const Real disc = 1 - eta * eta * (1 - towards * towards);
    const Vec3<Real> mirror = reflect(d, s.normal);
    const MaskOf<Real> can = disc > 0;
    if (!any(can)) return mirror;
    const Real r = divide<V>(1 - index, 1 + index);
    const Real r0 = r * r;
    const Real x = 1 - cosine;
    const Real reflectance = mulAdd(1 - r0, x * x * x * x * x, r0);
    const MaskOf<Real> refracts = can && !(uniform<Real>(rng, can) < reflectance);
    if (!any(refracts)) return mirror;
    return select(refracts, normalize<V>((d - s.facing * towards) * eta - s.facing * sqrt(disc)),
                  mirror);
}

/// smallpt's glass, with one branch at every depth: reflects with P = .25 + .5 Re, and weights.
template <Variant V, class Real, class M, class Generator>
RAYSCOPE_FN Vec3<Real> scatterGlass(const Surface<Real, M>& s, Vec3<Real> d, Generator& rng,
                                    Vec3<Real>* weight) {
    const Real index = s.material.index;
    const MaskOf<Real> into = dot(s.normal, s.facing) > 0;
    const Real eta = select(into, divide<V>(Real(1), index), index);
    const Real towards = dot(d, s.facing);
    const Real cos2 = 1 - eta * eta * (1 - towards * towards);
    const Vec3<Real> mirror = reflect(d, s.normal);
    const MaskOf<Real> can = cos2 > 0;
    if (!any(can)) return mirror;
    const Vec3<Real> through = normalize<V>(d * eta - s.facing * mulAdd(towards, eta, sqrt(cos2)));
    const Real r = divide<V>(index - 1, index + 1);
    const Real r0 = r * r;
    const Real x = 1 - select(into, -towards, dot(through, s.normal));
    const Real reflectance = mulAdd(1 - r0, x * x * x * x * x, r0);
    const Real p = Real(.25) + Real(.5) * reflectance;
    const MaskOf<Real> reflects = uniform<Real>(rng, can) < p;
    const Real ratio =
        select(reflects, divide<V>(reflectance, p), divide<V>(1 - reflectance, 1 - p));
    *weight = select(can, *weight * ratio, *weight);
    return select(can && !reflects, through, mirror);
}

/// True for Lambert and metal, and for all materials if the scene has no others.
template <Variant V>
RAYSCOPE_FN bool isOpaque(MaterialKind kind) {
    return !(has(V, kDielectric | kGlass | kGlossy) && kind != MaterialKind::lambert &&
             kind != MaterialKind::metal);
}

/// True for the materials of aimSurface(), and for all if the scene has no others.
template <Variant V>
RAYSCOPE_FN bool aims(MaterialKind kind) {
    return !(has(V, kGlass | kGlossy) && kind != MaterialKind::lambert &&
             kind != MaterialKind::metal && kind != MaterialKind::dielectric);
}

/// Dispatch::single: Lambert and metal by one formula. The axis is the normal or the mirror
/// direction, the radius 1 or that of a point in a ball as large as the roughness.
template <Variant V, class Real, class M, class Generator>
RAYSCOPE_FN Aim<Real> aimOpaque(const Surface<Real, M>& s, Vec3<Real> d, Generator& rng) {
    const MaskOf<Real> metal = has(V, kMetal) && s.material.kind == MaterialKind::metal;
    const MaskOf<Real> rough = metal && s.material.roughness > 0;
    const Vec3<Real> axis = select(metal, reflect(d, s.normal), s.facing);
    Real radius = select(metal, Real(0), Real(1));
    if (any(rough)) {
        const Real inBall = cubeRoot<V>(uniform<Real>(rng, rough));
        radius = select(rough, s.material.roughness * inBall, radius);
    }
    return {axis, radius, s.facing, rough, 0, 0};
}

/// Begin::merged: the ray that leaves, but for a random point, in the direction of along times the
/// ray that came plus out times the normal.
template <class Real>
struct Departure {
    Real along, out, radius;
};

/// Begin::merged: that of Lambert or of a mirror. `dn`: the ray's direction along the normal;
/// `within`: whether it comes from inside, where that is positive.
template <class Real>
RAYSCOPE_FN Departure<Real> departure(bool mirror, Real dn, bool within) {
    return {mirror ? Real(1) : Real(0),
            mirror   ? -2 * dn
            : within ? Real(-1)
                     : Real(1),
            mirror ? Real(0) : Real(1)};
}

/// Begin::merged: makes a mirror rough. Returns Aim::side.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> roughen(Departure<Real>& to, Real roughness, Vec3<Real> normal, bool within,
                               Generator& rng) {
    to.radius = roughness * cubeRoot<V>(uniform<Real>(rng));
    return within ? -normal : normal;
}

/// A refractive index, its inverse, and the reflectance of a ray along the normal.
template <class Real>
struct Refraction {
    Real index, inverse, reflectance;
};
template <Variant V, class Real>
RAYSCOPE_FN Refraction<Real> refraction(Real index) {
    const Real r = divide<V>(1 - index, 1 + index);
    return {index, divide<V>(Real(1), index), r * r};
}

/// A ray that meets glass. `disc`: the square of the cosine behind the surface; not > 0 where all
/// is reflected.
template <class Real>
struct Interface {
    bool inside;
    Real eta, towards, disc;
};
template <class Real>
RAYSCOPE_FN Interface<Real> interfaceOf(const Refraction<Real>& glass, Real dn) {
    const bool inside = dn > 0;
    const Real eta = inside ? glass.index : glass.inverse;
    const Real towards = inside ? dn : -dn;
    return {inside, eta, towards, 1 - eta * eta * (1 - towards * towards)};
}
/// Schlick's approximation.
template <class Real>
RAYSCOPE_FN Real schlick(const Refraction<Real>& glass, Real cosine) {
    const Real x = 1 - cosine, x2 = x * x;
    return mulAdd(1 - glass.reflectance, x2 * x2 * x, glass.reflectance);
}
/// Makes a mirror's ray go through. `cosine`: the root of `disc`.
template <class Real>
RAYSCOPE_FN void goThrough(Departure<Real>& to, const Interface<Real>& at, Real cosine) {
    const Real bend = mulAdd(at.eta, at.towards, -cosine);
    to.along = at.eta;
    to.out = at.inside ? -bend : bend;
}

/// Begin::merged: makes a mirror a dielectric, as scatterDielectric().
template <Variant V, class Real, class Generator>
RAYSCOPE_FN void refract(Departure<Real>& to, const Refraction<Real>& glass, Real dn,
                         Generator& rng) {
    const Interface<Real> at = interfaceOf(glass, dn);
    const Real reflectance = schlick(glass, at.inside ? glass.index * at.towards : at.towards);
    if (at.disc > 0 && !(uniform<Real>(rng) < reflectance)) goThrough(to, at, sqrt(at.disc));
}

/// Begin::merged: makes a mirror smallpt's glass, as scatterGlass(). Returns its weight.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Real refractWeighted(Departure<Real>& to, const Refraction<Real>& glass, Real dn,
                                 Generator& rng) {
    const Interface<Real> at = interfaceOf(glass, dn);
    if (!(at.disc > 0)) return 1;
    const Real cosine = sqrt(at.disc);
    const Real reflectance = schlick(glass, at.inside ? cosine : at.towards);
    const Real p = mulAdd(Real(.5), reflectance, Real(.25));
    const bool reflects = uniform<Real>(rng) < p;
    if (!reflects) goThrough(to, at, cosine);
    return divide<V>(reflects ? reflectance : 1 - reflectance, reflects ? p : 1 - p);
}

/// Begin::merged: Lambert, metal and dielectric by one formula.
template <Variant V, class Real, class M, class Generator>
RAYSCOPE_FN Aim<Real> aimSurface(const Surface<Real, M>& s, Vec3<Real> d, Generator& rng) {
    const Real dn = dot(d, s.normal);
    const bool within = dn > 0;
    const MaterialKind kind = s.material.kind;
    Departure<Real> to = departure(kind != MaterialKind::lambert, dn, within);
    const bool rough = has(V, kMetal) && kind == MaterialKind::metal && s.material.roughness > 0;
    Vec3<Real> side{0, 0, 0};
    if (rough) side = roughen<V>(to, s.material.roughness, s.normal, within, rng);
    if (has(V, kDielectric) && kind == MaterialKind::dielectric)
        refract<V>(to, refraction<V>(s.material.index), dn, rng);
    return {mulAdd(d, to.along, s.normal * to.out), to.radius, side, rough, 0, 0};
}

/// What the hit emits and how the path continues. `last`: no more rays are allowed.
template <class Real, Variant V, class M, class Generator>
RAYSCOPE_FN Bounce<Real> shade(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                               const Surface<Real, M>& s, PathState<Generator> path, bool last) {
    const MaterialRecord<Real>& m = s.material;
    Generator& rng = *path.rng;
    Bounce<Real> b{m.emission, m.albedo, {s.position, ray.direction, s.shape}, !last, false};
    if constexpr (V.lightSampling) {
        if (path.sampled) b.emitted = {0, 0, 0};
    }
    if constexpr (has(V, kFloor)) {
        if (m.kind == MaterialKind::checker) {
            b.emitted = m.albedo * Real(.1);
            b.alive = false;
            return b;
        }
    }
    if (last) return b;
    if constexpr (has(V, kRoulette)) {
        const int from = scene.params.rouletteDepth;
        if (from > 0 && path.depth >= from) {
            const Real survival = largest(m.albedo);
            if (!(uniform<Real>(rng) < survival)) b.alive = false;
            b.weight = b.weight * divide<V>(Real(1), survival);
        }
    }
    if (V.begin == Begin::merged && aims<V>(m.kind)) {
        b.aim = aimSurface<V>(s, ray.direction, rng);
        if constexpr (V.lightSampling)
            b.sampled = m.kind == MaterialKind::lambert && scene.params.lightCount > 0;
    } else if (V.dispatch == Dispatch::single && has(V, kLambert | kMetal) && isOpaque<V>(m.kind)) {
        const Aim<Real> aim = aimOpaque<V>(s, ray.direction, rng);
        b.next.direction = directionOf<V>(aim, rng);
        if (absorbs(aim, b.next.direction)) b.alive = false;
        if constexpr (V.lightSampling)
            b.sampled = m.kind == MaterialKind::lambert && scene.params.lightCount > 0;
    } else if (has(V, kLambert) && m.kind == MaterialKind::lambert) {
        b.next.direction = scatterLambert<V>(s, rng);
        if constexpr (V.lightSampling) b.sampled = scene.params.lightCount > 0;
    } else if (has(V, kMetal) && m.kind == MaterialKind::metal) {
        scatterMetal<V>(s, ray.direction, rng, b);
    } else if (has(V, kDielectric) && m.kind == MaterialKind::dielectric) {
        b.next.direction = scatterDielectric<V>(s, ray.direction, rng);
    } else if (has(V, kGlass) && m.kind == MaterialKind::glass) {
        b.next.direction = scatterGlass<V>(s, ray.direction, rng, &b.weight);
    } else if (has(V, kGlossy)) {
        scatterGlossy(s, ray.direction, b);
    }
    if constexpr (V.begin == Begin::merged) {
        if (!aims<V>(m.kind)) b.aim = {b.next.direction, 0, s.facing, false, 0, 0};
    }
    if (has(V, kBlack) && !(largest(m.albedo) > 0)) b.alive = false;
    if constexpr (has(V, kTriangles)) {
        if (isOpaque<V>(m.kind) && goesThrough(scene, s.shape, ray.direction, b.next.direction))
            b.alive = false;
    }
    return b;
}

/// How many shadow rays a hit asks for.
template <class Real, Variant V, class M>
RAYSCOPE_FN int lightSamples(const SceneView<Real, V>& scene, const Surface<Real, M>& s,
                             bool last) {
    if constexpr (has(V, kFloor | kGlossy)) {
        if (s.material.kind == MaterialKind::checker || s.material.kind == MaterialKind::glossy) {
            return 1;
        }
    }
    if constexpr (V.lightSampling) {
        return s.material.kind == MaterialKind::lambert && !last ? scene.params.lightCount : 0;
    } else {
        return 0;
    }
}

/// The business card's lighting (Kensler): a lamp without falloff, sampled at one point per hit.
template <class Real, Variant V, class M, class Generator>
RAYSCOPE_FN LightSample<Real> sampleCardLight(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                              const Surface<Real, M>& s, Generator& rng) {
    const SceneParams<Real>& p = scene.params;
    const Real x = uniform<Real>(rng);
    const Real y = uniform<Real>(rng);
    const Vec3<Real> lamp = p.cardLightCorner + Vec3<Real>{x, y, 0} * p.cardLightSize;
    const Vec3<Real> l = normalize<V>(lamp - s.position);
    const Real lambert = dot(l, s.normal);
    LightSample<Real> sample{{s.position, l, s.shape}, p.tMax, kNoShape, {0, 0, 0}, lambert > 0};
    const MaskOf<Real> glossy = s.material.kind != MaterialKind::checker;
    if (!any(glossy)) {
        sample.radiance = s.material.albedo * (Real(.2) * lambert);
    } else {
        // x^99 of a negative cosine would be a negative highlight; it never shows in the original
        const Real cosine = maximum(Real(0), dot(l, reflect(ray.direction, s.normal)));
        const Real highlight = power<V>(cosine, Real(99));
        sample.radiance = select(glossy, Vec3<Real>{highlight, highlight, highlight},
                                 s.material.albedo * (Real(.2) * lambert));
    }
    return sample;
}

template <Variant V, class Real, class M>
RAYSCOPE_FN LightInView<Real> lightInView(const LightSphere<Real>& light,
                                          const Surface<Real, M>& s) {
    const Vec3<Real> towards = light.center - s.position;
    const Real inverse2 = divide<V>(Real(1), dot(towards, towards));
    const Real sin2Max = light.radius * light.radius * inverse2;
    const MaskOf<Real> below = dot(towards, s.facing) < -light.radius;
    return {towards, inverse2, sin2Max, !(light.id == s.shape || below || !(sin2Max < 1))};
}

/// A point of one of the lamps that are triangles: of which, by power; where on it, by area.
template <class Real, Variant V, class M, class Generator>
RAYSCOPE_FN LightSample<Real> sampleLamps(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                          const Surface<Real, M>& s, Generator& rng) {
    const MeshView<Real> mesh = meshOf(scene);
    const LampRecord<Real> lamp = lampAt(mesh.lamps(), mesh.header->lampCount, uniform<Real>(rng));
    const ShapeId shape = kTriangleShape + lamp.number;
    // in the space of the scene: lamps stand in one place (withLampsApart)
    const FaceRecord face = mesh.face(storedTriangle(scene, shape).face);
    const Vec3<Real> a = mesh.corner(face.corner[0]);
    const Vec3<Real> ab = mesh.corner(face.corner[1]) - a, ac = mesh.corner(face.corner[2]) - a;
    const Real root = sqrt(uniform<Real>(rng)), share = uniform<Real>(rng);
    const CornerWeights<Real> at{root * (1 - share), root * share};
    const Vec3<Real> point = mulAdd(ac, at.w, mulAdd(ab, at.v, a));
    const Vec3<Real> w = point - s.position;
    const Real inverse = inverseRoot<V>(dot(w, w));
    const Vec3<Real> l = w * inverse;
    const Real lambert = dot(l, s.facing);
    // albedo / pi * emission * both cosines * area / (share * distance^2)
    const Real cosineArea = fabs(dot(l, cross(ab, ac)));
    const Real factor = lambert * cosineArea * lamp.weight * inverse * inverse;
    // not as far as its neighbours, with which it shares edges
    const Real distance = divide<V>(Real(.99999), inverse);
    // in the lamp's own plane the cosine would be rounding error, at least near the origin
    bool wanted = factor > 0 && lambert > Real(1e-5) && s.shape != shape;
    Vec3<Real> emission = mesh.material(face).emission;
    if constexpr (has(V, kSurfaceTextures)) {
        emission = emission * brightnessAt<V>(mesh, face, at);
        wanted = wanted && largest(emission) > 0;
    }
    if constexpr (has(V, kHoles)) wanted = wanted && !(hasHoles<V>(mesh) && isHole(mesh, face, at));
    return {{s.position, l, s.shape},
            distance,
            shape,
            s.material.albedo * emission * factor,
            wanted && !goesThrough(scene, s.shape, ray.direction, l)};
}

/// A direction to a lamp of the sky, chosen by power; uniform in its texel of the picture.
template <class Real, Variant V, class M, class Generator>
RAYSCOPE_FN LightSample<Real> sampleSky(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                        const Surface<Real, M>& s, Generator& rng) {
    const SkyRecord<Real>& sky = meshOf(scene).sky();
    const auto* const lamps =
        reinterpret_cast<const LampRecord<Real>*>(texelsOf(sky) + sky.width * sky.height);
    const LampRecord<Real> lamp = lampAt(lamps, sky.lamps, uniform<Real>(rng));
    const Real x = uniform<Real>(rng), y = uniform<Real>(rng);
    const Real across = divide<V>(lamp.number % sky.width + x, Real(sky.width));
    const Real down = divide<V>(lamp.number / sky.width + y, Real(sky.height));
    const Real turn = across + sky.turns - Real(.5);
    Real sinAcross, cosAcross, sine, cosine;
    sinCosTurn<V>(turn - floor(turn), &sinAcross, &cosAcross);
    sinCosTurn<V>(down * Real(.5), &sine, &cosine);
    const Vec3<Real> l{sine * sinAcross, cosine, -sine * cosAcross};
    const Real lambert = dot(l, s.facing);
    // albedo / pi * radiance * cosine * solid angle / share
    const Real factor = lambert * sine * lamp.weight;
    return {{s.position, l, s.shape},
            scene.params.tMax,
            kNoShape,
            s.material.albedo * skyAt(sky, across, down, SkyPart::excess) * factor,
            factor > 0 && !goesThrough(scene, s.shape, ray.direction, l)};
}

/// A direction uniform in the cone that light k subtends (Shirley, Wang and Zimmerman 1996, "Monte
/// Carlo Techniques for Direct Lighting Calculations").
template <class Real, Variant V, class M, class Generator>
RAYSCOPE_FN LightSample<Real> sampleLight(const SceneView<Real, V>& scene, const Ray<Real>& ray,
                                          const Surface<Real, M>& s, int k, Generator& rng) {
    if constexpr (has(V, kFloor | kGlossy)) {
        if (s.material.kind != MaterialKind::lambert) return sampleCardLight(scene, ray, s, rng);
    }
    const LightSphere<Real>& light = scene.params.lights[k];
    if constexpr (has(V, kTriangles)) {
        if (light.id == kMeshLamps) return sampleLamps(scene, ray, s, rng);
        if constexpr (has(V, kPictureSky)) {
            if (light.id == kSkyLamps) return sampleSky(scene, ray, s, rng);
        }
    }
    const auto [w, inverse2, sin2Max, seen] = lightInView<V>(light, s);
    LightSample<Real> sample{{s.position, w, s.shape}, 0, light.id, {0, 0, 0}, false};
    if (!any(seen)) return sample;
    const Real cosMax = sqrt(1 - sin2Max);
    const Real oneMinusCosMax = divide<V>(sin2Max, 1 + cosMax);  // 1 - cosMax without cancellation
    const Real oneMinusCos = uniform<Real>(rng, seen) * oneMinusCosMax;
    const Real cosine = 1 - oneMinusCos;
    const Real sine = sqrt(oneMinusCos * (1 + cosine));
    Real sinPhi, cosPhi;
    sinCosTurn<V>(uniform<Real>(rng, seen), &sinPhi, &cosPhi);
    const Vec3<Real> axis = w * sqrt(inverse2);
    Vec3<Real> b1, b2;
    basis<V>(axis, &b1, &b2);
    const Vec3<Real> l = mulAdd(b1, sine * cosPhi, mulAdd(b2, sine * sinPhi, axis * cosine));
    const Real lambert = dot(l, s.facing);
    sample.ray.direction = l;
    const Real along = dot(w, l);  // to the chord's middle; the surface is half a chord nearer
    const Real chord2 = light.radius * light.radius - (dot(w, w) - along * along);
    sample.distance = along - sqrt(maximum(Real(0), chord2));
    // albedo / pi * emission * cosine * solid angle, the angle being 2 pi (1 - cosMax)
    sample.radiance = s.material.albedo * light.emission * (2 * lambert * oneMinusCosMax);
    sample.wanted = seen && lambert > 0;
    if constexpr (has(V, kTriangles)) {
        sample.wanted =
            sample.wanted && !goesThrough(scene, s.shape, ray.direction, sample.ray.direction);
    }
    return sample;
}

}  // namespace rayscope
