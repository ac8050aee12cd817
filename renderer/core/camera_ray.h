#pragma once

#include "renderer/core/aim.h"

namespace rayscope {

/// smallpt's tent filter on [-1, 1], from u in [0, 1).
template <class Real>
RAYSCOPE_FN Real tent(Real u) {
    const Real side = 2 * u - 1;  // exact, and so is 1 - |side|
    const Real reach = 1 - sqrt(1 - fabs(side));
    return side < 0 ? -reach : reach;
}

/// A point of the image within pixel (x, y); the tent filter reaches a quarter of a pixel further.
/// With that four successive samples go to the four sub-pixels.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN void filmPoint(const LaunchParams<Real>& p, IntOf<Real> x, IntOf<Real> y,
                           IntOf<Real> sample, Generator& rng, Real* filmX, Real* filmY) {
    Real dx = uniform<Real>(rng);
    Real dy = uniform<Real>(rng);
    if (has(V, kTent) && p.camera.tent) {
        dx = (Real(.5) + (sample & 1) + tent(dx)) * Real(.5);
        dy = (Real(.5) + ((sample >> 1) & 1) + tent(dy)) * Real(.5);
    }
    *filmX = x + dx;
    *filmY = y + dy;
}

/// From the camera's origin to where a point of the image is seen in the plane in focus.
template <class Real>
RAYSCOPE_FN Vec3<Real> targetOf(const CameraParams<Real>& camera, Real x, Real y) {
    return mulAdd(camera.right, x, mulAdd(camera.down, y, camera.corner));
}

/// Begin::merged: how the camera ray through targetOf() leaves. Its random point is on the lens,
/// opposite to the shift of the direction. Returns where it starts but for that.
template <class Real>
RAYSCOPE_FN Vec3<Real> aimCamera(const CameraParams<Real>& camera, Vec3<Real> target,
                                 Aim<Real>& aim) {
    aim.axis = target;
    aim.radius = camera.aimRadius;
    aim.rough = false;
    return mulAdd(target, camera.start, camera.origin);
}

/// The same for a sample of pixel (x, y).
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Vec3<Real> aimCamera(const LaunchParams<Real>& launch, int x, int y, int sample,
                                 Generator& rng, Aim<Real>& aim) {
    Real filmX, filmY;
    filmPoint<V>(launch, x, y, sample, rng, &filmX, &filmY);
    return aimCamera(launch.camera, targetOf(launch.camera, filmX, filmY), aim);
}

/// The ray from a random point of the lens through a point of the image, in pixels.
template <Variant V, class Real, class Generator>
RAYSCOPE_FN Ray<Real> cameraRay(const CameraParams<Real>& camera, Real x, Real y, Generator& rng) {
    const Vec3<Real> target = targetOf(camera, x, y);
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
    Real filmX, filmY;
    filmPoint<V>(launch, x, y, sample, rng, &filmX, &filmY);
    return cameraRay<V>(launch.camera, filmX, filmY, rng);
}

}  // namespace rayscope
