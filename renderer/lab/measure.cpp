#include "renderer/lab/measure.h"

#include <algorithm>
#include <cmath>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/devices/offscreen_film.h"

namespace rayscope {

namespace {

/// How long a call of advance() may work at least: often enough for progress, seldom enough that
/// waiting between calls costs nothing.
constexpr double kBudgetMs = 200;
/// While a kernel is being compiled; then doubled until a launch fills the device.
constexpr double kWarmUpBudgetMs = 20;
constexpr double kTellMs = 50;  ///< between two words about progress
/// Larger than any launch: advance() then returns after Settings::launches whole launches.
constexpr double kUnlimitedMs = 1e9;
/// A measurement may take this many times what was wished, so that slow settings get their passes.
constexpr double kPatience = 4;
constexpr size_t kFewestPasses = 2;  ///< one has no spread
/// A kernel that is not there after this long does not come: the slowest ones, recursive or with
/// the scene in their code, compile in a few seconds.
constexpr double kLongestWarmUpMs = 120e3;

/// Of a pass; the film counts samples in floats, which are exact up to 16 million.
constexpr int kMostSamples = 100'000;

struct Pass {
    FrameStats stats;
    double loopMs = 0;
    double brightness = 0;  ///< of its samples alone
};

double standardError(const std::vector<Pass>& passes) {
    if (passes.size() < 2) return 0;
    const double n = static_cast<double>(passes.size());
    double mean = 0, squares = 0;
    for (const Pass& pass : passes) mean += pass.brightness / n;
    for (const Pass& pass : passes) squares += std::pow(pass.brightness - mean, 2);
    return std::sqrt(squares / (n - 1) / n);
}

/// One measurement under way. Members return an empty string or the reason why it ended.
class Meter {
public:
    Meter(Renderer& renderer, const MeasureWish& wish, const Progressing& goOn)
        : renderer_(renderer), wish_(wish), goOn_(goOn) {}

    std::variant<Measurement, std::string> run();

private:
    std::string problem() const;
    std::string warmUp();
    std::string tracePass(int samples);
    double brightnessOfPass(int samples);
    int samplesOfPass(double sampleMs) const;
    std::string passes();
    Measurement result();
    bool goOn() const {
        const double share = begun_ ? millisecondsSince(start_) / (1e3 * wish_.seconds) : 0;
        return !goOn_ || goOn_(std::min(share, 1.));
    }

    Renderer& renderer_;
    const MeasureWish& wish_;
    const Progressing& goOn_;
    OffscreenFilm memory_;
    std::vector<Pass> passes_;
    double budgetMs_ = kWarmUpBudgetMs;  ///< of a call of advance()
    int passSamples_ = 0;
    double brightness_ = 0;  ///< of the film so far
    bool begun_ = false;
    Clock::time_point start_;
};

std::string Meter::problem() const {
    const std::string log = renderer_.kernel().compileLog;
    if (!log.empty()) return "the kernel does not compile: " + log;
    return renderer_.unsupported(wish_.settings);
}

/// Until the kernel is loaded and a launch has filled the device, so that caches are warm and the
/// size of launches is known.
std::string Meter::warmUp() {
    const Zone zone("warm up");
    const Clock::time_point start = Clock::now();
    FrameStats stats;
    bool ready = false;
    while (stats.timedMs <= 0) {
        if (!goOn()) return kInterrupted;
        std::string reason = problem();
        if (!reason.empty()) return reason;
        if (millisecondsSince(start) > kLongestWarmUpMs) return "the kernel does not start";
        stats += renderer_.advance(wish_.settings, wish_.camera, memory_.film(), budgetMs_);
        if (ready) {
            budgetMs_ *= 2;
            continue;
        }
        ready = renderer_.kernel().ready;
        if (ready) renderer_.finish();
        stats = {};  // of the kernel before, which goes on while this one is made
    }
    renderer_.finish();
    budgetMs_ = wish_.presents ? kUnlimitedMs : std::max(budgetMs_, kBudgetMs);
    return problem();
}

std::string Meter::tracePass(int samples) {
    const Zone zone("pass");
    Film& film = memory_.film();
    Pass pass;
    film.target = film.samples + samples;
    const Clock::time_point start = Clock::now();
    Clock::time_point told = start;
    while (!film.done()) {
        const int samples = film.samples, cursor = film.cursor;
        pass.stats += renderer_.advance(wish_.settings, wish_.camera, film, budgetMs_);
        if (wish_.presents) memory_.fetch();
        // Both take microseconds that a short launch would notice.
        if (film.samples == samples && film.cursor == cursor) {
            std::string reason = problem();
            if (!reason.empty()) return reason;
        }
        if (millisecondsSince(told) < kTellMs) continue;
        if (!goOn()) return kInterrupted;
        told = Clock::now();
    }
    pass.stats += renderer_.finish();
    pass.loopMs = millisecondsSince(start);
    recordRate(pass.stats.rays.total(), pass.stats.kernelMs);
    pass.brightness = brightnessOfPass(samples);
    passes_.push_back(pass);
    return goOn() ? std::string() : kInterrupted;
}

/// What the samples of the last pass have added to the mean of all.
double Meter::brightnessOfPass(int samples) {
    const int all = memory_.film().samples;
    const double before = brightness_ * (all - samples);
    const glm::dvec3 mean = meanRadiance(memory_.image());
    brightness_ = (mean.x + mean.y + mean.z) / 3;
    return (brightness_ * all - before) / samples;
}

/// How many samples take about the share of a pass, as a trial has foretold: whole launches, except
/// on the CPU, where a slow one would take many seconds and fewer samples are as fast.
int Meter::samplesOfPass(double sampleMs) const {
    const Settings& s = wish_.settings;
    const double share = 1e3 * wish_.seconds / wish_.passes / sampleMs;
    if (wish_.whole && sampleMs * wish_.spp < kPatience * 1e3 * wish_.seconds) return wish_.spp;
    const int launch = s.samples * (wish_.presents ? s.launches : 1);
    const int unit = s.backend == Backend::cpu && share < launch ? 1 : launch;
    const int limit = wish_.spp > 0 ? std::max(wish_.spp, unit) : kMostSamples;
    const double units = std::clamp(std::floor(share / unit), 1., std::floor(1. * limit / unit));
    return unit * static_cast<int>(units);
}

std::string Meter::passes() {
    const Settings& s = wish_.settings;
    passSamples_ = s.backend == Backend::cpu ? 1 : s.samples * (wish_.presents ? s.launches : 1);
    begun_ = true;
    start_ = Clock::now();
    renderer_.clear(memory_.film());
    std::string reason = tracePass(passSamples_);
    if (!reason.empty()) return reason;
    const int samples = samplesOfPass(std::max(passes_.front().loopMs, 1e-3) / passSamples_);
    if (samples != passSamples_) {
        passSamples_ = samples;
        passes_.clear();
        renderer_.clear(memory_.film());
    }
    const auto enough = [&] {
        const double seconds = millisecondsSince(start_) / 1e3;
        return (seconds >= wish_.seconds && static_cast<int>(passes_.size()) >= wish_.passes) ||
               (seconds >= kPatience * wish_.seconds && passes_.size() >= kFewestPasses);
    };
    while (reason.empty() && !enough()) reason = tracePass(passSamples_);
    return reason;
}

Measurement Meter::result() {
    Measurement m;
    m.device = renderer_.device();
    m.kernel = renderer_.kernel();
    std::vector<double> kernelRates, loopRates, kernelMs, loopMs;
    for (const Pass& pass : passes_) {
        const double rays = static_cast<double>(pass.stats.rays.total());
        m.rays += pass.stats.rays;
        m.kernelMs += pass.stats.kernelMs;
        m.loopMs += pass.loopMs;
        m.launches += pass.stats.launches;
        kernelMs.push_back(pass.stats.kernelMs);
        loopMs.push_back(pass.loopMs);
        kernelRates.push_back(1e3 * rays / pass.stats.kernelMs);
        loopRates.push_back(1e3 * rays / pass.loopMs);
    }
    m.passes = static_cast<int>(passes_.size());
    m.passSamples = passSamples_;
    m.samples = memory_.film().samples;
    m.kernelRate = spreadOf(std::move(kernelRates));
    m.loopRate = spreadOf(std::move(loopRates));
    m.kernelPassMs = spreadOf(std::move(kernelMs));
    m.loopPassMs = spreadOf(std::move(loopMs));
    m.mean = meanRadiance(memory_.image());
    m.brightnessError = standardError(passes_);
    m.raysPerSample = static_cast<double>(m.rays.total()) / static_cast<double>(m.rays.camera);
    return m;
}

std::variant<Measurement, std::string> Meter::run() {
    std::string reason = problem();
    if (reason.empty())
        reason = memory_.allocate(wish_.settings.backend, wish_.width, wish_.height);
    if (!reason.empty()) return reason;
    renderer_.clear(memory_.film());
    reason = warmUp();
    if (reason.empty()) reason = passes();
    if (!reason.empty()) {
        renderer_.finish();
        return reason;
    }
    return result();
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

std::variant<Measurement, std::string> measure(Renderer& renderer, const MeasureWish& wish,
                                               const Progressing& goOn) {
    return Meter(renderer, wish, goOn).run();
}

}  // namespace rayscope
