#pragma once

#include <functional>
#include <string>
#include <variant>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// What is to be measured. The renderer has its scene already.
struct MeasureWish {
    Settings settings;
    Camera camera;
    int width = 0, height = 0;
    int spp = 0;         ///< samples a pixel of the picture; a pass never has more. 0: no limit
    bool whole = false;  ///< a pass is the whole picture where that takes less than 4 x `seconds`
    bool presents =
        false;            ///< copy the film to host memory after every Settings::launches launches
    double seconds = .5;  ///< measure at least this long,
    int passes = 5;       ///< and this often, but no longer than about 4 x `seconds`
};

/// The middle of what several passes gave, and where half of them lie.
struct Spread {
    double median = 0, lower = 0, upper = 0;
};

/// Median and quartiles, between neighbours linearly. Empty: zeros.
Spread spreadOf(std::vector<double> values);

/// One settings value, measured. A pass is some whole launches that add samples to every pixel;
/// kernel compilation and warm-up are over when the first begins.
struct Measurement {
    DeviceInfo device;
    KernelInfo kernel;
    Rays rays;            ///< of all passes
    double kernelMs = 0;  ///< GPU: between events around the kernels; CPU: wall of the workers
    double loopMs = 0;    ///< wall time of the loop around them, with copies and host work
    int samples = 0;      ///< a pixel, of all passes
    int passSamples = 0;  ///< a pixel, of one pass
    int passes = 0;
    int launches = 0;
    Spread kernelRate, loopRate;  ///< rays a second, over the passes
    Spread kernelPassMs, loopPassMs;
    glm::dvec3 mean;             ///< radiance of the picture
    double brightnessError = 0;  ///< standard error of brightness(), from the passes; 0: unknown
    double raysPerSample = 0;    ///< all rays over camera rays
};

/// The mean of the three channels.
inline double brightness(const Measurement& m) {
    return (m.mean.x + m.mean.y + m.mean.z) / 3;
}

/// Told the share done, 0..1, several times a second; false stops.
using Progressing = std::function<bool(double share)>;

/// What a measurement that was stopped says.
inline constexpr const char* kInterrupted = "interrupted";

/// Warms up, then measures pass after pass into a film of its own. The reason where it cannot be
/// had. Throws std::runtime_error where the device fails.
std::variant<Measurement, std::string> measure(Renderer& renderer, const MeasureWish& wish,
                                               const Progressing& goOn);

}  // namespace rayscope
