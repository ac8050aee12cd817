#include "renderer/lab/counting.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "renderer/lab/divergence.h"
#include "renderer/lab/trial.h"
#include "renderer/profile/counters.h"

namespace rayscope {

namespace {

constexpr int kTimed = 5;
constexpr double kWarmUpMs = 500;
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

/// What CUPTI counts by changing the machine code; a kernel then runs several times as long, so
/// that such metrics are read apart from the others, in single passes.
bool instruments(const std::string& metric) {
    return metric.starts_with("smsp__sass_");
}

TrialWish wishFor(const Settings& settings, const Camera& camera, int width, int height) {
    TrialWish wish;
    wish.settings = settings;
    wish.settings.launches = 1;
    wish.camera = camera;
    wish.width = width;
    wish.height = height;
    wish.passMs = kRangeMs;
    wish.mostSamples = kMostPasses * settings.samples;
    wish.warmUpMs = kWarmUpMs;
    wish.wholeLaunches = true;
    wish.rewinds = true;
    return wish;
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

CountJob::CountJob(Renderer& renderer, const Settings& settings, const Scene& scene,
                   const Camera& camera, int width, int height)
    : renderer_(renderer),
      camera_(camera),
      trial_(std::make_unique<Trial>(renderer, wishFor(settings, camera, width, height),
                                     std::make_unique<FixedPasses>(kTimed))) {
    work_.settings = settings;
    work_.device = renderer.device();
    work_.width = width;
    work_.height = height;
    work_.samples = settings.samples;
    work_.spheres = static_cast<int>(scene.spheres.size());
}

CountJob::~CountJob() = default;

int CountJob::passes() const {
    return trial_->passSamples() / work_.samples;
}

/// Counting goes on replay by replay, however long one takes.
bool CountJob::step(double budgetMs) {
    if (!timed_) {
        timed_ = trial_->step(budgetMs);
        problem_ = trial_->problem();
        if (timed_ && problem_.empty()) takeTimes();
    } else if (!done_) {
        try {
            reader_ ? replay() : open();
        } catch (const std::runtime_error& error) {
            noCounters(error.what());
        }
    }
    return done_ || !problem_.empty();
}

double CountJob::share() const {
    if (done_) return 1;
    if (!timed_) return kTimedShare * trial_->share();
    // How many replays there will be nobody says; after ten, half of the rest is done.
    const double part = work_.replays / (work_.replays + 10.);
    return reader_ || instruments_ ? kOpenShare + (1 - kOpenShare) * part : kTimedShare;
}

/// Of the pass with the median kernel time, as many passes as are to be counted.
void CountJob::takeTimes() {
    std::vector<Pass> all = trial_->passes();
    const auto middle = all.begin() + kTimed / 2;
    std::nth_element(all.begin(), middle, all.end(),
                     [](const Pass& a, const Pass& b) { return a.kernelMs < b.kernelMs; });
    work_.averaged = passes();
    work_.rays = each(middle->rays, work_.averaged);
    work_.kernelMs = middle->kernelMs / work_.averaged;
    work_.loopMs = middle->loopMs / work_.averaged;
    work_.kernel = trial_->measurement().kernel;
    values_.resize(counterMetrics().size());
    counting_ = Clock::now();
}

void CountJob::open() {
    metrics_.clear();
    for (const std::string& metric : counterMetrics()) {
        if (instruments(metric) == instruments_) metrics_.push_back(metric);
    }
    if (instruments_) trial_->setPassSamples(work_.samples);
    rays_.reset();
    Result<std::unique_ptr<CounterReader>> opened = renderer_.counterReader(metrics_);
    if (!opened) return noCounters(opened.reason());
    reader_ = *std::move(opened);
}

/// Each traces the same rays.
void CountJob::replay() {
    const bool read = reader_->pass([&] {
        trial_->play(kForever);
        const std::uint64_t traced = trial_->passes().back().rays.total();
        work_.repeated &= traced == rays_.value_or(traced);
        rays_ = traced;
    });
    ++work_.replays;
    if (read) takeCounters();
}

void CountJob::takeCounters() {
    const std::vector<std::string> all = counterMetrics();
    const std::vector<double> read = reader_->values();
    for (std::size_t i = 0, next = 0; i < all.size(); ++i) {
        if (instruments(all[i]) != instruments_) continue;
        // sums are of all passes: those of one
        values_[i] = read.at(next++) / (all[i].ends_with(".sum") ? passes() : 1);
    }
    reader_.reset();
    if (!std::exchange(instruments_, true)) return;
    work_.counters = countersFrom(values_);
    work_.collectMs = millisecondsSince(counting_);
    done_ = true;
}

void CountJob::noCounters(std::string reason) {
    reader_.reset();
    work_.noCounters = std::move(reason);
    work_.lanes = lanesAtWork(renderer_, work_.settings, camera_, work_.width, work_.height);
    done_ = true;
}

}  // namespace rayscope
