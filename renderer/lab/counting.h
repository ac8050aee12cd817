#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// What the kernels of settings do in one pass over a picture, as far as the device tells.
struct CountedWork {
    Settings settings;
    DeviceInfo device;
    KernelInfo kernel;
    int width = 0, height = 0;
    int samples = 0;   ///< a pixel, of the pass
    int averaged = 1;  ///< passes of which it is one on average
    int spheres = 0;   ///< of the scene
    // Of a pass that is not counted:
    Rays rays;
    double kernelMs = 0;
    double loopMs = 0;  ///< wall time, with the host's part
    /// By counterTable(), of a pass; empty where there are none,
    std::vector<double> counters;
    std::string noCounters;  ///< and why; then
    double lanes = 0;        ///< the part of lanes at work as lanesOf() models it
    int replays = 0;         ///< of all passes, each for some of the counters
    double collectMs = 0;
    bool repeated = true;  ///< every replay traced as many rays

    double raysPerSecond() const {
        return kernelMs > 0 ? 1e3 * static_cast<double>(rays.total()) / kernelMs : 0;
    }
};

/// Times some passes of settings.samples and then counts them, the same samples for every counter,
/// into a film of its own. The renderer has the scene; nothing else may use the device meanwhile.
/// `goOn` is told the share that is done and ends the work by returning false: std::nullopt then.
/// Throws std::runtime_error where a device fails; where counters are missing the rest is there.
std::optional<CountedWork> countWork(Renderer& renderer, const Settings& settings,
                                     const Scene& scene, const Camera& camera, int width,
                                     int height, const std::function<bool(double share)>& goOn);

}  // namespace rayscope
