#pragma once

#include "renderer/core/sampling.h"
#include "renderer/core/shapes.h"

// Directions at random around an axis. Camera rays and scattered rays have the formula in common,
// so that the lanes of a warp can take it together (Begin::merged).

namespace rayscope {

/// How a ray leaves: in the direction of axis + radius * p, where p is drawn uniformly from the
/// unit sphere.
template <class Real>
struct Aim {
    Vec3<Real> axis;
    Real radius;         ///< 0: along the axis, and nothing is drawn
    Vec3<Real> side;     ///< the normal where the ray leaves
    MaskOf<Real> rough;  ///< the ray is absorbed if it goes into the surface
    Real z, turn;        ///< what p is made of: uniform in (-1, 1] and, as an angle, in [0, 1)
};

template <class Real>
RAYSCOPE_FN MaskOf<Real> absorbs(const Aim<Real>& aim, Vec3<Real> direction) {
    return aim.rough && !(dot(direction, aim.side) > 0);
}

/// Draws the numbers of a ray's direction; a mirror has none.
template <class Real, class Generator>
RAYSCOPE_FN void draw(Aim<Real>& aim, Generator& rng) {
    const Generator before = rng;
    aim.z = 1 - 2 * uniform<Real>(rng);
    aim.turn = uniform<Real>(rng);
    if (aim.radius == 0) rng = before;
}

/// The direction of a ray that leaves a surface; a mirror draws nothing.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> directionOf(const Aim<Real>& aim, Generator& rng) {
    const Generator before = rng;
    const Vec3<Real> point = unitSphere<V, Real>(rng);
    rng = select(aim.radius == 0, before, rng);
    return normalizeOrZero<V>(mulAdd(point, aim.radius, aim.axis));
}

/// Begin::merged: the ray that leaves by the aim, whose numbers are drawn. The points of the unit
/// sphere and of the unit disk differ in their distance from the axis only: Archimedes' and the
/// root of a uniform number. AtOrigin: camera rays have no other position.
template <Variant V, bool Lens = true, bool AtOrigin = false, class Real>
RAYSCOPE_FN Ray<Real> leave(const CameraParams<Real>& camera, const Aim<Real>& aim,
                            Vec3<Real> position, ShapeId from) {
    const bool lens = Lens && aim.radius < 0;
    const Real z = aim.z;
    const Real r = sqrt(lens ? mulAdd(z, Real(-.5), Real(.5)) : mulAdd(-z, z, Real(1)));
    Real s, c;
    sinCosTurn<V>(aim.turn, &s, &c);
    Vec3<Real> point{r * c, r * s, z};
    if (lens) {
        if (has(V, kSquareLens) && camera.lens == 2) point = {-z, 2 * aim.turn - 1, 0};
        point = mulAdd(camera.lensRight, point.x, camera.lensUp * point.y);
        position = (AtOrigin ? camera.origin : position) + point;
    }
    return {position, normalizeOrZero<V>(mulAdd(point, aim.radius, aim.axis)), from};
}

}  // namespace rayscope
