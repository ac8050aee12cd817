#pragma once

#include "renderer/core/aim.h"

namespace rayscope {
inline namespace RAYSCOPE_BUILD {

/// smallpt's tent filter on [-1, 1], from u in [0, 1).
template <class Real>
RAYSCOPE_FN Real tent(Real u) {
    const Real side = 2 * u - 1;  // exact, and so is 1 - |side|
    const Real reach = 1 - sqrt(1 - fabs(side));
    return side < 0 ? -reach : reach;
}

/// A point in the image, both coordinates in [-.5, .5] (the tent filter reaches a quarter of a
/// pixel further). With the tent filter four successive samples go to the four sub-pixels.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN void filmPoint(const LaunchParams<Real>& p, IntOf<Real> x, IntOf<Real> y,
                           IntOf<Real> sample, Generator& rng, Real* u, Real* v) {
    Real dx = uniform<Real>(rng);
    Real dy = uniform<Real>(rng);
    if (has(V, kTent) && p.camera.tent) {
        dx = (Real(.5) + (sample & 1) + tent(dx)) * Real(.5);
        dy = (Real(.5) + ((sample >> 1) & 1) + tent(dy)) * Real(.5);
    }
    *u = (x + dx) * p.pixelWidth - Real(.5);
    *v = Real(.5) - (y + dy) * p.pixelHeight;
}

/// Begin::merged: how the camera ray of a sample of pixel (x, y) leaves. Its random point is on the
/// lens, opposite to the shift of the direction. Returns where it starts but for that.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> aimCamera(const LaunchParams<Real>& launch, int x, int y, int sample,
                                 Generator& rng, Aim<Real>& aim) {
    const CameraParams<Real>& camera = launch.camera;
    Real u, v;
    filmPoint<V>(launch, x, y, sample, rng, &u, &v);
    aim.axis = mulAdd(camera.right, u, mulAdd(camera.up, v, camera.forward));
    aim.radius = camera.aimRadius;
    aim.rough = false;
    return mulAdd(aim.axis, camera.start, camera.origin);
}

/// The ray from a random point of the lens through a point of the image.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Ray<Real> cameraRay(const CameraParams<Real>& camera, Real u, Real v, Generator& rng) {
    const Vec3<Real> target = mulAdd(camera.right, u, mulAdd(camera.up, v, camera.forward));
    Vec3<Real> lens{0, 0, 0};
    if (camera.lens != 0) {
        Real a = uniform<Real>(rng);
        Real b = uniform<Real>(rng);
        if (!has(V, kSquareLens) || camera.lens == 1) {
            toDisk<V>(rng, &a, &b);
        } else {
            a = 2 * a - 1;
            b = 2 * b - 1;
        }
        lens = camera.lensRight * a + camera.lensUp * b;
    }
    return {mulAdd(target, camera.start, camera.origin + lens), normalize<V>(target - lens),
            kNoShape};
}

/// The camera ray of a sample of pixel (x, y).
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Ray<Real> cameraRay(const LaunchParams<Real>& launch, IntOf<Real> x, IntOf<Real> y,
                                IntOf<Real> sample, Generator& rng) {
    Real u, v;
    filmPoint<V>(launch, x, y, sample, rng, &u, &v);
    return cameraRay<V>(launch.camera, u, v, rng);
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
