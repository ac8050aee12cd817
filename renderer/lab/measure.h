#pragma once

#include <optional>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/lab/job.h"
#include "renderer/lab/noise.h"

namespace rayscope {

/// The median of several passes, and the range in which the middle half of them lies.
struct Spread {
    double median = 0, lower = 0, upper = 0;
};

/// Median and quartiles, interpolated linearly. No values: zeros.
Spread spreadOf(std::vector<double> values);

/// Some whole launches that add samples to every pixel, timed together.
struct Pass {
    double kernelMs = 0;  ///< GPU: between events around the kernels; CPU: wall time of the workers
    double loopMs = 0;    ///< wall time of the loop around them, with copies and host work
    /// CPU: the workers' processor time, and how much longer they waited for a core (FrameStats).
    double processorMs = 0, waitedMs = 0;
    Rays rays;
    int launches = 0;
    double fill = 0;        ///< FrameStats::fill
    double brightness = 0;  ///< of its samples alone, where that is watched
};

/// What a file keeps of a pass.
struct RawPass {
    double kernelMs = 0, loopMs = 0;
    double processorMs = 0;  ///< 0: not the CPU's
    std::uint64_t rays = 0;
};

/// All passes of one set of settings. Kernels are compiled and warm before the first.
struct Measurement {
    DeviceInfo device;
    KernelInfo kernel;
    Rays rays;
    double kernelMs = 0, loopMs = 0;
    int width = 0, height = 0;  ///< of the picture that was traced
    int samples = 0;            ///< a pixel, of all passes
    int passSamples = 0;        ///< a pixel, of one pass
    int passes = 0;
    int launches = 0;
    Spread kernelRate, loopRate;  ///< rays a second, over the passes
    Spread kernelPassMs, loopPassMs;
    std::vector<RawPass> raw;
    std::optional<glm::dvec3> mean;  ///< radiance of the picture, where that is watched
    double brightnessError = 0;      ///< standard error of brightness(), from the passes
    std::optional<Noise> noise;      ///< of the picture, where it is estimated
    double raysPerSample = 0;        ///< all rays over camera rays
    double buildMs = -1;             ///< FrameStats::buildMs
    double fill = 0;                 ///< FrameStats::fill
    GroupWork group{};               ///< of several devices, of the film that passes add to
};

/// Sums and spreads over passes of `passSamples` samples a pixel each.
Measurement measurementOf(const std::vector<Pass>& passes, int passSamples);

/// The mean of the three channels; 0 where it is not watched.
inline double brightness(const Measurement& m) {
    return m.mean ? (m.mean->x + m.mean->y + m.mean->z) / 3 : 0;
}

/// A job that measures one set of settings.
class MeasuringJob : public Job {
public:
    /// What is known so far.
    virtual Measurement measurement() const = 0;
};

}  // namespace rayscope
