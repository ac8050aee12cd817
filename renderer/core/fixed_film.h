#pragma once

#include "renderer/core/footprint.h"
#include "renderer/core/vector.h"

// Light for pixels to which several threads add (FilmSums). In fixed point its sum does not depend
// on the order, so a launch gives the same film whenever it runs, however it is cut into blocks and
// bands.

namespace rayscope {

/// In units of 2^-24, the spacing of floats below 1: light from 1/2 up loses nothing, other light
/// at most 2^-25. It is cut to less than 2^23, and NaN is black: 64 bits hold a launch's 1024
/// samples (axis `samples`) of kMaxDepth rays, each of which may add twice: what its hit emits, and
/// what that reflects of the lights.
RAYSCOPE_FN Fixed toFixed(float light) {
    constexpr float kUnits = 1 << 24, kMost = (1 << 23) - 1;
    return nearestInteger(fastMin(fastMax(light, 0.f), kMost) * kUnits);
}
template <class Real>
RAYSCOPE_FN Vec3<Fixed> toFixed(Vec3<Real> light) {
    return {toFixed(static_cast<float>(light.x)), toFixed(static_cast<float>(light.y)),
            toFixed(static_cast<float>(light.z))};
}
RAYSCOPE_FN float fromFixed(Fixed sum) {
    return static_cast<float>(sum) * (1.f / (1 << 24));
}

template <class Real>
RAYSCOPE_FN Fixed& fixedSum(const LaunchParams<Real>& launch, int channel, int pixel) {
    return launch.sums[channel * launch.width * launch.height + pixel];
}

template <class Real>
RAYSCOPE_FN void addFixed(const LaunchParams<Real>& launch, int pixel, Vec3<Fixed> light) {
    if ((light.x | light.y | light.z) == 0) return;
    addTogether(fixedSum(launch, 0, pixel), light.x);
    addTogether(fixedSum(launch, 1, pixel), light.y);
    addTogether(fixedSum(launch, 2, pixel), light.z);
}

/// Adds light and as many samples to a pixel. FilmSums::fixed: takeSums() counts the samples.
template <Variant V, class Real>
RAYSCOPE_FN void addLight(const LaunchParams<Real>& launch, int pixel, const Vec3<Real>& light,
                          float samples) {
    if constexpr (V.film == FilmSums::fixed)
        addFixed(launch, pixel, toFixed(light));
    else
        addTogether(launch.film[pixel], static_cast<float>(light.x), static_cast<float>(light.y),
                    static_cast<float>(light.z), samples);
}

/// At the end of a launch: adds a pixel's sums to the film and leaves zeros for the next launch.
/// Threads of a single sample have counted theirs (Regeneration::budget: not all of them).
template <Variant V, class Real>
RAYSCOPE_FN void takeSums(const LaunchParams<Real>& launch, int pixel) {
    const auto take = [&](int channel) RAYSCOPE_INLINED {
        Fixed& sum = fixedSum(launch, channel, pixel);
        const float light = fromFixed(sum);
        sum = 0;
        return light;
    };
    const float samples = pools(V) ? static_cast<float>(launch.samples) : 0;
    const Pixel p = launch.film[pixel];
    launch.film[pixel] = {p.r + take(0), p.g + take(1), p.b + take(2), p.samples + samples};
}

}  // namespace rayscope
