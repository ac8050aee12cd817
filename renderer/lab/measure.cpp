#include "renderer/lab/measure.h"

#include <algorithm>
#include <cmath>

#include "renderer/lab/trial.h"

namespace rayscope {

namespace {

double standardError(const std::vector<Pass>& passes) {
    if (passes.size() < 2) return 0;
    const double n = static_cast<double>(passes.size());
    double mean = 0, squares = 0;
    for (const Pass& pass : passes) mean += pass.brightness / n;
    for (const Pass& pass : passes) squares += std::pow(pass.brightness - mean, 2);
    return std::sqrt(squares / (n - 1) / n);
}

}  // namespace

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
    std::vector<double> kernelRates, loopRates, kernelMs, loopMs;
    for (const Pass& pass : passes) {
        const double rays = static_cast<double>(pass.rays.total());
        m.rays += pass.rays;
        m.kernelMs += pass.kernelMs;
        m.loopMs += pass.loopMs;
        m.launches += pass.launches;
        kernelMs.push_back(pass.kernelMs);
        loopMs.push_back(pass.loopMs);
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
    m.brightnessError = standardError(passes);
    if (m.rays.camera > 0)
        m.raysPerSample = static_cast<double>(m.rays.total()) / static_cast<double>(m.rays.camera);
    return m;
}

std::unique_ptr<MeasuringJob> measuring(Renderer& renderer, const MeasureWish& wish) {
    TrialWish trial;
    trial.settings = wish.settings;
    trial.camera = wish.camera;
    trial.width = wish.width;
    trial.height = wish.height;
    trial.passMs = 1e3 * wish.seconds / wish.passes;
    trial.clock = PassClock::loop;
    // A slow launch of a GPU is measured as it is; of the CPU, fewer samples are as fast.
    trial.wholeLaunches = wish.settings.backend != Backend::cpu;
    trial.mostSamples = wish.spp;
    trial.wholeMs = wish.whole ? EnoughTime::kPatience * 1e3 * wish.seconds : 0;
    trial.presents = wish.presents;
    trial.brightness = true;
    return std::make_unique<Trial>(renderer, trial,
                                   std::make_unique<EnoughTime>(wish.seconds, wish.passes));
}

Result<Measurement> measure(Renderer& renderer, const MeasureWish& wish) {
    const auto job = measuring(renderer, wish);
    playToEnd(*job);
    if (!job->problem().empty()) return Failure{job->problem()};
    return job->measurement();
}

}  // namespace rayscope
