#include "renderer/lab/measure.h"

#include <algorithm>

#include "renderer/lab/statistics.h"

namespace rayscope {

Spread spreadOf(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const size_t below = static_cast<size_t>(place);
        const size_t above = std::min(below + 1, values.size() - 1);
        return values[below] +
               (place - static_cast<double>(below)) * (values[above] - values[below]);
    };
    return {at(.5), at(.25), at(.75)};
}

Measurement measurementOf(const std::vector<Pass>& passes, int passSamples) {
    Measurement m;
    std::vector<double> kernelRates, loopRates, kernelMs, loopMs, brightness;
    for (const Pass& pass : passes) {
        const double rays = static_cast<double>(pass.rays.total());
        m.rays += pass.rays;
        m.kernelMs += pass.kernelMs;
        m.loopMs += pass.loopMs;
        m.launches += pass.launches;
        m.fill = leastFill(m.fill, pass.fill);
        m.raw.push_back({pass.kernelMs, pass.loopMs, pass.processorMs, pass.rays.total()});
        kernelMs.push_back(pass.kernelMs);
        loopMs.push_back(pass.loopMs);
        brightness.push_back(pass.brightness);
        kernelRates.push_back(1e3 * rays / pass.kernelMs);
        loopRates.push_back(1e3 * rays / pass.loopMs);
    }
    m.passes = static_cast<int>(passes.size());
    m.passSamples = passSamples;
    m.samples = m.passes * passSamples;
    m.kernelRate = spreadOf(std::move(kernelRates));
    m.loopRate = spreadOf(std::move(loopRates));
    m.kernelPassMs = spreadOf(std::move(kernelMs));
    m.loopPassMs = spreadOf(std::move(loopMs));
    m.brightnessError = estimateOf(brightness).error;
    if (m.rays.camera > 0)
        m.raysPerSample = static_cast<double>(m.rays.total()) / static_cast<double>(m.rays.camera);
    return m;
}

}  // namespace rayscope
