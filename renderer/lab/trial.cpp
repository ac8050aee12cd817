#include "renderer/lab/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"

namespace rayscope {

namespace {

/// Longer than any launch: advance() then does whole launches.
constexpr double kUnlimitedMs = 1e9;
/// A launch, or a pass, that lasts no more than so many turns is not cut.
constexpr double kUncut = 1.5;
/// Nor is a launch on a GPU that lasts no longer than this: as bands, each of which ends when its
/// longest path does, one of weekend took 2.5 times as long. For a longer one turns are longer.
constexpr double kUncutLaunchMs = 400, kTurnOfLongLaunchMs = 200;
/// Of a pass, for a machine whose pace jumps.
constexpr int kMostResizes = 6;
/// By which a picture's sides are divided at first, to find out how long a launch takes. So small a
/// picture says it roughly, and that which fits says it again.
constexpr int kProbeDivisor = 8, kMostProbes = 3;
/// Stable: so many passes that lie so close together. Clocks that still rise are then known to have
/// done so.
constexpr size_t kStablePasses = 4, kMostWarmUpPasses = 150;
constexpr double kStable = .02;
/// Of a pass, and of a film, which counts samples in floats: exact up to 16 million.
constexpr int kMostOfPass = 100'000, kMostOfFilm = 8'000'000;
/// Of settings whose launches alternate between host and GPU, at every depth: a turn bounds the
/// size of their launches, and those of 25 ms are too small to fill an H200.
constexpr double kAlternatingTurnMs = 100;

constexpr int kFewestForSpread = 2;  ///< one pass has none
constexpr double kUntilNextLook = 1.25;

}  // namespace

bool alternates(const Settings& s) {
    return s.backend == Backend::cuda && findAxis("host_memory")->matters(s);
}

std::string_view nameOf(PassClock clock) {
    static constexpr std::array names{"kernel", "loop", "processor"};
    return names[static_cast<size_t>(clock)];
}

std::string kernelProblem(const Renderer& renderer, const KernelInfo& kernel,
                          const Settings& settings, bool late) {
    const std::string& log = kernel.compileLog;
    if (log.starts_with("source=")) return log;  // it compiles, but does not run
    if (!log.empty()) return "the kernel does not compile: " + log;
    const std::string reason = renderer.unsupported(settings);
    return reason.empty() && late ? "the kernel does not start" : reason;
}

TrialWish sameSamplesWish(const Settings& settings, const Camera& camera, int width, int height) {
    TrialWish wish;
    wish.settings = settings;
    wish.settings.launches = 1;
    wish.camera = camera;
    wish.width = width;
    wish.height = height;
    wish.wholeLaunches = true;
    wish.rewinds = true;
    return wish;
}

Trial::Trial(Renderer& renderer, const TrialWish& wish, std::unique_ptr<StoppingCriterion> stopping)
    : renderer_(renderer), wish_(wish), stopping_(std::move(stopping)) {
    samples_ = cutsLaunches() ? 1 : launchSamples();
    problem_ = renderer_.unsupported(wish.settings);
    fits_ = wish.longestLaunchMs <= 0 || wish.settings.backend != Backend::cpu;
    if (problem_.empty()) divide(fits_ ? 1 : kProbeDivisor);
}

void Trial::divide(int divisor) {
    divisor_ = divisor;
    msPerSample_ = 0;
    const auto part = [&](int side) { return std::max(1, side / divisor); };
    problem_ =
        memory_.allocate(renderer_, wish_.settings.backend, part(wish_.width), part(wish_.height))
            .reason();
    if (problem_.empty()) restart();
}

bool Trial::fit() {
    if (fits_ || !problem_.empty()) return true;
    if (!loaded_) {
        load();
        return !problem_.empty();
    }
    if (!play() || !problem_.empty()) return !problem_.empty();
    const Pass& launch = passes_.back();
    const double ms = launch.processorMs > 0 ? launch.processorMs : launch.kernelMs;
    const int wanted =
        std::max(1, static_cast<int>(std::ceil(divisor_ * std::sqrt(ms / wish_.longestLaunchMs))));
    fits_ = wanted == divisor_ || ++probes_ == kMostProbes;
    if (wanted != divisor_) divide(wanted);
    return fits_;
}

/// Between GPU and host a launch may take many seconds, and is cut in time anyway.
bool Trial::cutsLaunches() const {
    return alternates(wish_.settings) && !wish_.wholeLaunches;
}

/// Whether a band of a launch takes longer than its part of the launch.
bool Trial::fillsGpu() const {
    return wish_.settings.backend == Backend::cuda && !worksOnHost(wish_.settings);
}

double Trial::usualTurnMs() const {
    return alternates(wish_.settings) ? kAlternatingTurnMs : kTurnMs;
}

int Trial::launchSamples() const {
    return wish_.settings.samples * (wish_.presents ? wish_.settings.launches : 1);
}

bool Trial::step(double budgetMs) {
    const Clock::time_point start = Clock::now();
    while (!ended_ && problem_.empty()) {
        const double before = millisecondsSince(start);
        if (prepare() && problem_.empty() && play() && problem_.empty())
            ended_ = stopping_->enough(evidence());
        // half of another turn like this one has to fit
        const double now = millisecondsSince(start);
        if (now + (now - before) / 2 >= budgetMs) break;
    }
    return ended_ || !problem_.empty();
}

double Trial::share() const {
    return ended_ ? 1 : stopping_->share(evidence());
}

Evidence Trial::evidence() const {
    return {static_cast<int>(passes_.size()), playedMs_ / 1e3, [this] {
                std::vector<double> ms;
                for (const Pass& pass : passes_) ms.push_back(msOf(pass, wish_.clock));
                return pairedRatio(ms, std::vector<double>(ms.size(), samples_), .95);
            }};
}

Measurement Trial::measurement() const {
    Measurement m = measurementOf(passes_, samples_);
    m.device = renderer_.device();
    m.kernel = kernel_;
    m.buildMs = buildMs_;
    m.group = group_;
    if (wish_.brightness) m.mean = mean_;
    m.noise = noise_.noise();
    m.width = memory_.film().width;
    m.height = memory_.film().height;
    return m;
}

bool Trial::prepare() {
    if (warm_ || !problem_.empty()) return true;
    if (!fit()) return false;
    if (!loaded_) {
        load();
        return !problem_.empty();
    }
    const Clock::time_point start = Clock::now();
    const bool ended = play();
    if (sized_) warmMs_ += millisecondsSince(start);
    if (!ended || !problem_.empty() || (!sized_ && resize())) return !problem_.empty();
    warm_ = wish_.warmUpMs <= 0 || stable();
    if (warm_ && wish_.warmUpMs > 0) restart();
    return warm_;
}

/// Until the kernel is there; what the one before it has traced meanwhile is thrown away.
void Trial::load() {
    const Zone zone("load");
    const Clock::time_point start = Clock::now();
    session().advance(wish_.settings, wish_.camera, usualTurnMs());
    session().finish();
    session().clear();
    kernel_ = session().kernel();
    loaded_ = kernel_.ready;
    loadMs_ += millisecondsSince(start);
    problem_ = kernelProblem(renderer_, kernel_, wish_.settings,
                             !loaded_ && loadMs_ > wish_.longestLoadMs);
}

/// Forgets the passes so far.
void Trial::restart() {
    passes_.clear();
    clear();
}

void Trial::clear() {
    session().clear();
    mean_ = glm::dvec3(0);
    noise_ = {};
}

/// So many samples that a pass lasts as long as was wished: whole launches, or single samples where
/// launches may be cut and one would take longer.
int Trial::fittingSamples() const {
    const double ms = std::max(msOf(passes_.back(), wish_.clock) / samples_, 1e-6);
    if (ms * wish_.mostSamples < wish_.wholeMs) return wish_.mostSamples;
    const double wanted = std::max(wish_.passMs / ms, 1.);
    const int launch = launchSamples();
    const int unit = cutsLaunches() && wanted < launch ? 1 : launch;
    const int most = wish_.mostSamples > 0 ? std::max(wish_.mostSamples, unit) : kMostOfPass;
    const double units =
        std::clamp(std::round(wanted / unit), 1., std::max(1., std::floor(1. * most / unit)));
    return unit * static_cast<int>(units);
}

/// False where the pass was as long as it should be and counts.
bool Trial::resize() {
    const int samples = fittingSamples();
    const int near = std::max(cutsLaunches() ? 1 : launchSamples(), samples / 4);
    sized_ = std::abs(samples - samples_) <= near || ++resizes_ == kMostResizes;
    if (samples == samples_) return false;
    samples_ = samples;
    restart();
    return true;
}

bool Trial::stable() const {
    if (passes_.size() >= kMostWarmUpPasses) return true;
    if (warmMs_ > wish_.warmUpMs && passes_.size() >= 2) return true;
    if (passes_.size() < kStablePasses) return false;
    double least = INFINITY, most = 0;
    for (size_t i = passes_.size() - kStablePasses; i < passes_.size(); ++i) {
        const double ms = msOf(passes_[i], wish_.clock);
        least = std::min(least, ms);
        most = std::max(most, ms);
    }
    return most <= (1 + kStable) * least;
}

void Trial::begin() {
    if (playing_) return;
    const Film& film = memory_.film();
    session().finish();  // what others have launched is not ours
    if (wish_.rewinds || film.samples > kMostOfFilm) {
        clear();
        session().finish();
    }
    target_ = film.samples + samples_;
    pass_ = {};
    playing_ = true;
}

bool Trial::play(double turnMs) {
    const Zone zone("pass");
    begin();
    session().wake();
    const Clock::time_point start = Clock::now();
    FrameStats stats = trace(turnMs);
    stats += session().finish();
    const double ms = millisecondsSince(start);
    pass_.kernelMs += stats.kernelMs;
    pass_.processorMs += stats.processorMs;
    pass_.waitedMs += stats.waitedMs;
    pass_.rays += stats.rays;
    pass_.launches += stats.launches;
    pass_.loopMs += ms;
    pass_.fill = leastFill(pass_.fill, stats.fill);
    buildMs_ = stats.buildMs;
    playing_ = problem_.empty() && memory_.film().samples < target_;
    if (!playing_ && problem_.empty()) end();
    playedMs_ += millisecondsSince(start);
    return !playing_;
}

double Trial::passShare() const {
    return playing_ && msPerSample_ > 0 ? pass_.loopMs / (msPerSample_ * samples_) : 0;
}

/// How much of the pass is launched without regard to the budget, so that launches are whole: all
/// of it, or launches that fit. 0: they are cut, as one would take too long.
int Trial::uncutSamples(double turnMs) const {
    if (!sized_ || worksOnHost(wish_.settings)) return 0;
    const double launchMs = msPerSample_ * launchSamples();
    if (msPerSample_ * samples_ <= kUncut * turnMs) return samples_;
    if (launchMs > std::max(kUncut * turnMs, fillsGpu() ? kUncutLaunchMs : 0)) return 0;
    return std::max(1, static_cast<int>(turnMs / launchMs)) * launchSamples();
}

/// Some of the pass, whose launches may still be under way.
FrameStats Trial::trace(double turnMs) {
    const Film& film = memory_.film();
    const int uncut = uncutSamples(turnMs), from = target_ - samples_;
    if (sized_ && uncut == 0 && fillsGpu()) turnMs = std::max(turnMs, kTurnOfLongLaunchMs);
    const int end = uncut > 0 ? std::min(target_, film.samples + uncut) : target_;
    const Clock::time_point start = Clock::now();
    FrameStats stats;
    do {
        const int samples = film.samples, cursor = session().pass().cursor;
        session().setTarget(end);
        if (wish_.presents) {  // the next picture
            const int shown = (samples - from) / launchSamples() + 1;
            session().setTarget(std::min(end, from + shown * launchSamples()));
        }
        const double left = uncut > 0 ? kUnlimitedMs : turnMs - millisecondsSince(start);
        stats += session().advance(wish_.settings, wish_.camera, std::max(left, 0.));
        if (wish_.presents && session().done()) memory_.fetch();
        // It takes microseconds that a short launch would notice.
        if (film.samples == samples && session().pass().cursor == cursor)
            problem_ = kernelProblem(renderer_, session().kernel(), wish_.settings);
    } while (problem_.empty() && film.samples < end &&
             (uncut > 0 || millisecondsSince(start) < turnMs));
    return stats;
}

void Trial::end() {
    recordRate(pass_.rays.total(), pass_.kernelMs);
    msPerSample_ = pass_.loopMs / samples_;
    group_ = session().work();
    problem_ = renderer_.lost();  // figures of fewer devices would be others
    const Film& film = memory_.film();
    if (wish_.noise && noise_.due(film.samples)) {
        const Pixel* pixels = memory_.fetch();
        noise_.look({pixels, pixels + size_t{1} * film.width * film.height}, film.samples);
    }
    if (wish_.brightness) {
        const double all = film.samples, before = all - samples_;
        const auto sum = [](const glm::dvec3& v) { return (v.x + v.y + v.z) / 3; };
        const double earlier = sum(mean_) * before;
        mean_ = meanRadiance(memory_.image());
        pass_.brightness = (sum(mean_) * all - earlier) / samples_;
    }
    passes_.push_back(pass_);
}

std::unique_ptr<MeasuringJob> measuring(Renderer& renderer, MeasureWish wish) {
    wish.passMs = 1e3 * wish.seconds / wish.passes;
    wish.clock = PassClock::loop;
    wish.wholeLaunches = true;
    wish.longestLaunchMs = wish.passMs;
    wish.brightness = true;
    return std::make_unique<Trial>(renderer, wish,
                                   std::make_unique<EnoughTime>(wish.seconds, wish.passes));
}

Result<Measurement> measure(Renderer& renderer, const MeasureWish& wish) {
    const auto job = measuring(renderer, wish);
    playToEnd(*job);
    if (!job->problem().empty()) return Failure{job->problem()};
    return job->measurement();
}

double FixedPasses::share(const Evidence& evidence) const {
    return std::min(1. * evidence.passes / passes_, 1.);
}

bool EnoughTime::enough(const Evidence& e) {
    return (e.seconds >= seconds_ && e.passes >= passes_) ||
           (e.seconds >= kPatience * seconds_ && e.passes >= kFewestForSpread);
}

double EnoughTime::share(const Evidence& evidence) const {
    return std::min(evidence.seconds / seconds_, 1.);
}

bool NarrowInterval::enough(const Evidence& e) {
    const bool late = e.seconds >= seconds_ && e.passes >= kFewestPasses;
    if (!late && e.passes < nextLook_) return false;
    nextLook_ = static_cast<int>(kUntilNextLook * e.passes);
    const Interval interval = e.interval();
    narrow_ = interval.halfWidth() <= halfWidth_ * interval.value;
    return late || narrow_;
}

double NarrowInterval::share(const Evidence& evidence) const {
    return seconds_ > 0 ? std::min(evidence.seconds / seconds_, .99) : 0;
}

FilmRun::FilmRun(Renderer& renderer, OffscreenFilm& film, const Settings& settings,
                 const Camera& camera, int samples, int firstSample)
    : renderer_(renderer),
      film_(film),
      settings_(settings),
      camera_(camera),
      samples_(samples),
      firstSample_(firstSample) {
    problem_ = renderer.unsupported(settings);
}

bool FilmRun::step(double budgetMs) {
    try {
        return trace(budgetMs);
    } catch (const std::runtime_error& error) {
        if (!film_.recover(renderer_, error.what())) throw;
        begun_ = false;
        return false;
    }
}

bool FilmRun::trace(double budgetMs) {
    const Clock::time_point start = Clock::now();
    if (!problem_.empty()) return true;
    Session& session = film_.session();
    session.finish();  // what others have launched is not ours to count
    do {
        if (!begun_) {
            session.clear();
            session.skip(firstSample_);
            session.setTarget(samples_);
            stats_ = {};
        }
        const int samples = session.film().samples, cursor = session.pass().cursor;
        const double left = budgetMs - millisecondsSince(start);
        const Zone zone("advance");
        stats_ += session.advance(settings_, camera_, left);
        kernel_ = session.kernel();
        begun_ = kernel_.ready;  // else another kernel has rendered
        if (!begun_ || (session.film().samples == samples && session.pass().cursor == cursor))
            problem_ = kernelProblem(renderer_, kernel_, settings_);
    } while (problem_.empty() && !(begun_ && session.done()) &&
             millisecondsSince(start) < budgetMs);
    stats_ += session.finish();
    recordRate(stats_.rays.total(), stats_.kernelMs);
    return !problem_.empty() || (begun_ && session.done());
}

double FilmRun::share() const {
    if (!begun_ || samples_ <= 0) return 0;
    const Session& session = film_.session();
    const double pass = session.pass().cursor > 0 ? .5 * session.pass().samples : 0;
    return (session.film().samples + pass) / samples_;
}

Result<Renderer*> Workbench::enter(const Settings& settings, const SharedScene& scene) {
    Renderer* const renderer = machine_.of(settings.backend);
    if (renderer == nullptr) return Failure{machine_.noCuda};
    std::uint64_t& version = versionOf_[settings.backend];
    if (version != scene.version()) {
        renderer->setScene(scene);
        machine_.hierarchy.sceneChanged();
        version = scene.version();
    }
    std::string problem = renderer->lost();
    if (problem.empty()) problem = renderer->unsupported(settings);
    if (!problem.empty()) return Failure{problem};
    return renderer;
}

std::string Workbench::failed(const std::exception& error, bool usedCuda, const std::string& row) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "there is not enough memory";
    if (!usedCuda) return error.what();
    machine_.cuda.reset();
    machine_.noCuda = fmt::format("CUDA has failed in \"{}\": {}", row, error.what());
    return machine_.noCuda;
}

bool Workbench::hierarchyReady(const SharedScene& scene, double waitMs) {
    return machine_.hierarchy.ready(scene, waitMs, [&](const SharedBvh& built) {
        for (const auto& [backend, version] : versionOf_) {
            Renderer* const renderer = machine_.of(backend);  // none after it has failed
            if (renderer != nullptr && version == scene.version()) renderer->giveHierarchy(built);
        }
    });
}

}  // namespace rayscope
