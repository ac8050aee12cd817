#include "renderer/lab/comparison.h"

#include <algorithm>
#include <cmath>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/devices/offscreen_film.h"

namespace rayscope {

namespace {

/// Longer than any launch: advance() then does whole launches.
constexpr double kUnlimitedMs = 1e9;
/// A kernel that is not there after this long does not come.
constexpr double kLongestLoadMs = 120e3;
/// Stable: so many passes that lie so close together. Clocks that still rise are then known to have
/// done so, but no machine is waited for longer than CompareWish::warmUpMs.
constexpr size_t kStablePasses = 4, kMostWarmUpPasses = 150;
constexpr double kStable = .02;
constexpr int kMostResizes = 6;  ///< of a pass, for a machine whose pace jumps
/// Before the first look at the interval; the next comes when there are a quarter more.
constexpr int kFewestRounds = 12;
constexpr double kUntilNextLook = 1.25;
/// Sides whose passes differ by no more than this factor get passes of the same number of samples.
constexpr int kAlignable = 16;
/// Of a film, which counts samples in floats: exact up to 16 million.
constexpr int kMostSamples = 8'000'000;
constexpr double kShown = .95, kDecides = .99;

struct Pass {
    double kernelMs = 0, loopMs = 0;
    Rays rays;
};

double msOf(const Pass& pass, CompareClock clock) {
    return clock == CompareClock::kernel ? pass.kernelMs : pass.loopMs;
}

}  // namespace

/// One variant with its film: loads, warms up, then plays passes.
class Comparison::Side {
public:
    Side(const Contestant& contestant, const CompareWish& wish)
        : renderer_(*contestant.renderer), settings_(contestant.settings), wish_(wish) {
        problem_ = renderer_.unsupported(settings_);
        if (problem_.empty())
            problem_ = memory_.allocate(settings_.backend, wish.width, wish.height);
        if (problem_.empty()) renderer_.clear(memory_.film());
    }

    const std::string& problem() const { return problem_; }
    bool warm() const { return warm_; }
    const std::vector<Pass>& passes() const { return passes_; }

    void warmUp(double budgetMs);
    /// True when the pass under way, or a new one, has come to its end.
    bool play(double budgetMs);
    Measurement measurement() const;
    const Settings& settings() const { return settings_; }
    int passSamples() const { return samples_; }
    void setPassSamples(int samples) { samples_ = samples; }

private:
    bool load(double budgetMs);
    void resize();
    void judgeWarmth();

    Renderer& renderer_;
    Settings settings_;
    const CompareWish& wish_;
    OffscreenFilm memory_;
    std::string problem_;
    std::vector<Pass> passes_;
    Pass pass_;  ///< under way
    int samples_ = 0;
    double loadMs_ = 0, warmMs_ = 0;
    int resizes_ = 0;
    bool loaded_ = false, sized_ = false, playing_ = false, warm_ = false;
    KernelInfo kernel_;
};

/// True when the kernel is there.
bool Comparison::Side::load(double budgetMs) {
    const Clock::time_point start = Clock::now();
    renderer_.advance(settings_, wish_.camera, memory_.film(), budgetMs);
    renderer_.finish();
    renderer_.clear(memory_.film());
    kernel_ = renderer_.kernel();
    problem_ = renderer_.unsupported(settings_);
    if (!kernel_.compileLog.empty())
        problem_ = "the kernel does not compile: " + kernel_.compileLog;
    loadMs_ += millisecondsSince(start);
    if (loadMs_ > kLongestLoadMs) problem_ = "the kernel does not start";
    loaded_ = kernel_.ready;
    samples_ = worksOnHost(settings_) && !wish_.wholeLaunches ? 1 : settings_.samples;
    return loaded_;
}

/// So many samples that a pass lasts as long as was wished: whole launches, but where the CPU works
/// fewer samples if one launch would take longer.
void Comparison::Side::resize() {
    const double ms = msOf(passes_.back(), wish_.clock) / samples_;
    const double wanted = std::max(wish_.passMs / std::max(ms, 1e-6), 1.);
    const bool fewer = worksOnHost(settings_) && !wish_.wholeLaunches;
    const int unit = fewer && wanted < settings_.samples ? 1 : settings_.samples;
    const double units = std::clamp(std::round(wanted / unit), 1., std::floor(1e5 / unit));
    const int samples = unit * static_cast<int>(units);
    sized_ =
        std::abs(samples - samples_) <= std::max(unit, samples / 4) || ++resizes_ == kMostResizes;
    samples_ = samples;
}

void Comparison::Side::judgeWarmth() {
    warm_ =
        passes_.size() >= kMostWarmUpPasses || (warmMs_ > wish_.warmUpMs && passes_.size() >= 2);
    if (passes_.size() < kStablePasses) return;
    double least = INFINITY, most = 0;
    for (size_t i = passes_.size() - kStablePasses; i < passes_.size(); ++i) {
        const double ms = msOf(passes_[i], wish_.clock);
        least = std::min(least, ms);
        most = std::max(most, ms);
    }
    warm_ |= most <= (1 + kStable) * least;
}

void Comparison::Side::warmUp(double budgetMs) {
    if (!loaded_ && !load(budgetMs)) return;
    const Clock::time_point start = Clock::now();
    const bool ended = play(budgetMs);
    warmMs_ += millisecondsSince(start);
    if (!ended) return;
    if (!sized_) {
        resize();
        passes_.clear();
        return;
    }
    judgeWarmth();
    if (!warm_) return;
    passes_.clear();
    renderer_.clear(memory_.film());
}

bool Comparison::Side::play(double budgetMs) {
    Film& film = memory_.film();
    if (!playing_) {
        renderer_.finish();  // what others have launched is not ours
        if (film.samples > kMostSamples) renderer_.clear(film);
        film.target = film.samples + samples_;
        pass_ = {};
        playing_ = true;
    }
    const bool fits = sized_ && !worksOnHost(settings_) && wish_.passMs <= 2 * budgetMs;
    const Clock::time_point start = Clock::now();
    FrameStats stats;
    do {
        const double left = fits ? kUnlimitedMs : budgetMs - millisecondsSince(start);
        stats += renderer_.advance(settings_, wish_.camera, film, std::max(left, 0.));
    } while (!film.done() && millisecondsSince(start) < budgetMs);
    stats += renderer_.finish();
    pass_.kernelMs += stats.kernelMs;
    pass_.rays += stats.rays;
    pass_.loopMs += millisecondsSince(start);
    if (!film.done()) return false;
    playing_ = false;
    passes_.push_back(pass_);
    return true;
}

Measurement Comparison::Side::measurement() const {
    Measurement m;
    m.device = renderer_.device();
    m.kernel = kernel_;
    m.passes = static_cast<int>(passes_.size());
    m.passSamples = samples_;
    m.samples = m.passes * samples_;
    std::vector<double> kernelRates, loopRates, kernelMs, loopMs;
    for (const Pass& pass : passes_) {
        const double rays = static_cast<double>(pass.rays.total());
        m.rays += pass.rays;
        m.kernelMs += pass.kernelMs;
        m.loopMs += pass.loopMs;
        kernelMs.push_back(pass.kernelMs);
        loopMs.push_back(pass.loopMs);
        kernelRates.push_back(1e3 * rays / pass.kernelMs);
        loopRates.push_back(1e3 * rays / pass.loopMs);
    }
    m.kernelRate = spreadOf(std::move(kernelRates));
    m.loopRate = spreadOf(std::move(loopRates));
    m.kernelPassMs = spreadOf(std::move(kernelMs));
    m.loopPassMs = spreadOf(std::move(loopMs));
    if (m.rays.camera > 0)
        m.raysPerSample = static_cast<double>(m.rays.total()) / static_cast<double>(m.rays.camera);
    return m;
}

Comparison::Comparison(const Contestant& a, const Contestant& b, const CompareWish& wish)
    : wish_(wish), random_(wish.seed), nextLook_(kFewestRounds) {
    wish_.wholeLaunches |= a.settings.samples != b.settings.samples;
    sides_ = {std::make_unique<Side>(a, wish_), std::make_unique<Side>(b, wish_)};
}

Comparison::~Comparison() = default;

bool Comparison::step(double budgetMs) {
    const Zone zone("time A and B");
    if (ended_) return true;
    const Clock::time_point start = Clock::now();
    do {
        for (const auto& side : sides_) {
            if (!side->problem().empty()) problem_ = side->problem();
        }
        if (!problem_.empty()) {
            ended_ = true;
            break;
        }
        const double left = std::max(budgetMs - millisecondsSince(start), 1.);
        if (sides_[0]->warm() && sides_[1]->warm())
            playRound(left);
        else
            warmUp(left);
    } while (!ended_ && millisecondsSince(start) < budgetMs);
    return ended_;
}

void Comparison::warmUp(double budgetMs) {
    for (const auto& side : sides_) {
        if (side->warm()) continue;
        side->warmUp(budgetMs);
        break;
    }
    if (sides_[0]->warm() && sides_[1]->warm()) alignPasses();
}

/// On the CPU what a pass costs beside its samples shows in short ones, so both sides get the
/// number of the slower, unless they lie far apart.
void Comparison::alignPasses() {
    const int fewer = std::min(sides_[0]->passSamples(), sides_[1]->passSamples());
    const int more = std::max(sides_[0]->passSamples(), sides_[1]->passSamples());
    if (wish_.wholeLaunches || more > kAlignable * fewer) return;
    for (const auto& side : sides_) {
        if (side->settings().backend == Backend::cuda) return;
    }
    for (const auto& side : sides_) side->setPassSamples(fewer);
}

/// A pass of the round under way.
void Comparison::playRound(double budgetMs) {
    if (played_ == 0) {
        random_ = random_ * 1664525u + 1013904223u;  // Numerical Recipes, section 7.1
        first_ = random_ >> 31;
    }
    const Clock::time_point start = Clock::now();
    const bool ended = sides_[(first_ + played_) % 2]->play(budgetMs);
    spentMs_ += millisecondsSince(start);
    if (!ended || ++played_ < 2) return;
    played_ = 0;
    ++rounds_;
    judge();
}

void Comparison::judge() {
    const bool late = spentMs_ >= 1e3 * wish_.seconds && rounds_ >= kFewestRounds;
    if (!late && rounds_ < nextLook_) return;
    nextLook_ = static_cast<int>(kUntilNextLook * rounds_);
    const Interval& ratio = result().samples;
    narrow_ = ratio.halfWidth() <= wish_.halfWidth * ratio.value;
    ended_ = late || narrow_;
}

double Comparison::share() const {
    if (ended_) return 1;
    return wish_.seconds > 0 ? std::min(spentMs_ / (1e3 * wish_.seconds), .99) : 0;
}

CompareResult Comparison::result() const {
    CompareResult result;
    std::array<std::vector<double>, 2> rays, samples;
    for (int i = 0; i < 2; ++i) {
        const Side& side = *sides_[i];
        result.sides[i] = side.measurement();
        for (int r = 0; r < rounds_; ++r) {
            const double ms = msOf(side.passes()[r], wish_.clock);
            rays[i].push_back(static_cast<double>(side.passes()[r].rays.total()) / ms);
            samples[i].push_back(side.passSamples() / ms);
        }
    }
    result.samples = pairedRatio(samples[0], samples[1], kShown);
    const bool counted = result.sides[0].rays.total() > 0 && result.sides[1].rays.total() > 0;
    result.rays = counted ? pairedRatio(rays[0], rays[1], kShown) : result.samples;
    result.measurable = !pairedRatio(samples[0], samples[1], kDecides).contains(1);
    result.narrow = narrow_;
    result.rounds = rounds_;
    return result;
}

}  // namespace rayscope
