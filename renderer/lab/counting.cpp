#include "renderer/lab/counting.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "renderer/base/elapsed.h"
#include "renderer/devices/offscreen_film.h"
#include "renderer/lab/divergence.h"
#include "renderer/profile/counters.h"

namespace rayscope {

namespace {

/// Before anything is timed: the kernel's speed is known, the clock up.
constexpr int kWarmUps = 3;
constexpr double kLoadMs = 50, kLongestLoadMs = 6e4;
constexpr int kTimed = 5;
/// CUPTI's range begins before the first kernel and ends after the last, some .15 ms more than they
/// take on an H200: so many passes are in it that this hardly shows in cycles elapsed.
constexpr double kRangeMs = 20;
constexpr int kMostPasses = 256;
/// Shares of the progress: until the pass is timed, and the time that a first reader takes to open.
constexpr double kTimedShare = .2, kOpenShare = .5;
constexpr double kForever = 1e9;
/// Enough paths for the lanes of a picture, a second of a slow processor.
constexpr double kLanesPaths = 1.5e6;
constexpr int kLanesSamples = 32;

struct Trace {
    Rays rays;
    double kernelMs = 0, loopMs = 0;
};

/// One of so many passes, on average.
std::uint64_t each(std::uint64_t all, int passes) {
    const auto n = static_cast<std::uint64_t>(passes);
    return (all + n / 2) / n;
}
Rays each(Rays all, int passes) {
    for (std::uint64_t* rays : {&all.camera, &all.bounce, &all.shadow}) *rays = each(*rays, passes);
    for (std::uint64_t& rays : all.depth) rays = each(rays, passes);
    return all;
}

class Passes {
public:
    Passes(Renderer& renderer, const Settings& settings, const Camera& camera, int width,
           int height)
        : renderer_(renderer), settings_(settings), camera_(camera) {
        const std::string problem = film_.allocate(settings.backend, width, height);
        if (!problem.empty()) throw std::runtime_error(problem);
        settings_.launches = 1;
    }

    /// Until it is the kernel of these settings that renders; false where it was given up.
    bool load(const std::function<bool(double)>& goOn) {
        const Clock::time_point start = Clock::now();
        for (bool ready = false; !ready;) {
            if (!goOn(0)) return false;
            std::string problem = renderer_.unsupported(settings_);
            rewind();
            renderer_.advance(settings_, camera_, film_.film(), kLoadMs);
            const KernelInfo info = renderer_.kernel();
            ready = info.ready;
            if (problem.empty() && !info.compileLog.empty())
                problem = "the kernel does not compile:\n" + info.compileLog;
            if (problem.empty() && millisecondsSince(start) > kLongestLoadMs)
                problem = "the kernel does not start";
            if (!problem.empty()) throw std::runtime_error(problem);
        }
        renderer_.finish();
        return true;
    }

    /// Begins at the first sample.
    void rewind() {
        renderer_.clear(film_.film());
        renderer_.finish();
        film_.film().target = settings_.samples * count_;
    }

    /// As many as a range is to have.
    void repeat(double passMs) {
        const double fitting = std::ceil(kRangeMs / std::max(passMs, 1e-3));
        count_ = static_cast<int>(std::clamp(fitting, 1., double{kMostPasses}));
    }

    void single() { count_ = 1; }

    int count() const { return count_; }

    /// All of them: the same rays each time.
    Trace trace() {
        const Clock::time_point start = Clock::now();
        FrameStats stats;
        while (!film_.film().done())
            stats += renderer_.advance(settings_, camera_, film_.film(), kForever);
        stats += renderer_.finish();
        return {stats.rays, stats.kernelMs, millisecondsSince(start)};
    }

private:
    Renderer& renderer_;
    Settings settings_;
    Camera camera_;
    OffscreenFilm film_;
    int count_ = 1;
};

/// The one with the median kernel time, of as many passes as are to be counted.
Trace timed(Passes& passes) {
    passes.rewind();
    passes.repeat(passes.trace().kernelMs);
    std::vector<Trace> all;
    for (int i = 0; i < kWarmUps + kTimed; ++i) {
        passes.rewind();
        const Trace trace = passes.trace();
        if (i >= kWarmUps) all.push_back(trace);
    }
    const auto middle = all.begin() + kTimed / 2;
    std::nth_element(all.begin(), middle, all.end(),
                     [](const Trace& a, const Trace& b) { return a.kernelMs < b.kernelMs; });
    return *middle;
}

/// What CUPTI counts by changing the machine code; a kernel then runs several times as long, so
/// that such metrics are read apart from the others, in single passes.
bool instruments(const std::string& metric) {
    return metric.starts_with("smsp__sass_");
}

/// Replays the passes until the reader has all metrics; false where it was given up.
bool replay(CounterReader& reader, Passes& passes, CountedWork& work,
            const std::function<bool(double)>& goOn) {
    std::optional<std::uint64_t> rays;
    for (bool done = false; !done; ++work.replays) {
        // How many there will be nobody says; after that many, half of the rest is done.
        const double part = work.replays / (work.replays + 10.);
        if (!goOn(kOpenShare + (1 - kOpenShare) * part)) return false;
        passes.rewind();
        done = reader.pass([&] {
            const std::uint64_t traced = passes.trace().rays.total();
            work.repeated &= traced == rays.value_or(traced);
            rays = traced;
        });
    }
    return true;
}

/// False where it was given up. Throws what is said where there are no counters.
bool count(Renderer& renderer, Passes& passes, CountedWork& work,
           const std::function<bool(double)>& goOn) {
    const Clock::time_point start = Clock::now();
    const std::vector<std::string> metrics = counterMetrics();
    std::vector<double> values(metrics.size());
    for (const bool instrumented : {false, true}) {
        std::vector<std::string> names;
        for (const std::string& metric : metrics) {
            if (instruments(metric) == instrumented) names.push_back(metric);
        }
        if (instrumented) passes.single();
        CounterReaderOr opened = renderer.counterReader(names);
        if (const std::string* reason = std::get_if<std::string>(&opened))
            throw std::runtime_error(*reason);
        CounterReader& reader = *std::get<0>(opened);
        if (!replay(reader, passes, work, goOn)) return false;
        const std::vector<double> read = reader.values();
        for (std::size_t i = 0, next = 0; i < metrics.size(); ++i) {
            if (instruments(metrics[i]) != instrumented) continue;
            // sums are of all passes: those of one
            const int passesIn = metrics[i].ends_with(".sum") ? passes.count() : 1;
            values[i] = read.at(next++) / passesIn;
        }
    }
    work.counters = countersFrom(values);
    work.collectMs = millisecondsSince(start);
    return true;
}

/// From the paths of a picture of about that shape.
double lanesAtWork(Renderer& renderer, const Settings& settings, const Camera& camera, int width,
                   int height) {
    const int samples = std::min(settings.samples, kLanesSamples);
    const double smaller = std::min(1., std::sqrt(kLanesPaths / (1. * width * height * samples)));
    const auto side = [&](int pixels) { return std::max(1, static_cast<int>(pixels * smaller)); };
    const PathLengths paths =
        renderer.pathLengths(settings, camera, side(width), side(height), samples);
    return lanesOf(paths, settings.variant, settings.depth).share();
}

}  // namespace

std::optional<CountedWork> countWork(Renderer& renderer, const Settings& settings,
                                     const Scene& scene, const Camera& camera, int width,
                                     int height, const std::function<bool(double)>& goOn) {
    CountedWork work;
    work.settings = settings;
    work.device = renderer.device();
    work.width = width;
    work.height = height;
    work.samples = settings.samples;
    work.spheres = static_cast<int>(scene.spheres.size());
    Passes passes(renderer, settings, camera, width, height);
    if (!passes.load(goOn)) return {};
    const Trace all = timed(passes);
    work.averaged = passes.count();
    work.rays = each(all.rays, work.averaged);
    work.kernelMs = all.kernelMs / work.averaged;
    work.loopMs = all.loopMs / work.averaged;
    work.kernel = renderer.kernel();
    if (!goOn(kTimedShare)) return {};
    try {
        if (!count(renderer, passes, work, goOn)) return {};
    } catch (const std::runtime_error& error) {
        work.noCounters = error.what();
    }
    if (work.counters.empty()) work.lanes = lanesAtWork(renderer, settings, camera, width, height);
    return work;
}

}  // namespace rayscope
