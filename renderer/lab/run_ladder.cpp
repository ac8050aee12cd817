#include "renderer/lab/run_ladder.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <thread>

#include "renderer/choices/axes.h"
#include "renderer/lab/simulation_trial.h"
#include "renderer/lab/wire.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

/// All variants estimate the same picture: a brightness that is further off is other work, unless
/// that is noise: four standard errors, which are themselves estimated from few passes.
constexpr double kSameBrightness = .005, kStandardErrors = 4;

/// What a rung usually takes beside ClimbWish::seconds.
constexpr double kWarmUpSeconds = .7;

Spread scaledBy(double factor, const Spread& s) {
    return {factor * s.median, factor * s.lower, factor * s.upper};
}

}  // namespace

double speedOf(const Ladder& ladder, const RungResult& result) {
    const double value = result.value.median;
    if (ladder.rungs[result.rung].measures == Measures::rate) return value;
    return value > 0 ? 1 / value : 0;
}

bool RungComparison::differs() const {
    const double noise = std::max(kSameBrightness, kStandardErrors * brightnessError);
    return brightness && !(std::fabs(*brightness - 1) <= noise);
}

RungComparison comparisonOf(const Ladder& ladder, const std::vector<RungResult>& results,
                            size_t i) {
    RungComparison comparison;
    const RungResult& mine = results[i];
    if (!mine.problem.empty()) return comparison;
    const Rung& rung = ladder.rungs[mine.rung];
    const auto comparable = [&](const RungResult& other) {
        return other.problem.empty() &&
               (ladder.compare == Compare::first || ladder.rungs[other.rung].scene == rung.scene);
    };
    const auto ratio = [&](const RungResult& other) -> std::optional<double> {
        const Rung& theirs = ladder.rungs[other.rung];
        const double speed = speedOf(ladder, other);
        if (!comparable(other) || theirs.measures != rung.measures || !(speed > 0)) return {};
        return speedOf(ladder, mine) / speed;
    };
    // The nearest on the way here that was measured.
    for (int from = rung.from; from >= 0 && !comparison.before; from = ladder.rungs[from].from) {
        for (const RungResult& other : results) {
            if (other.rung == from) comparison.before = ratio(other);
        }
    }
    for (const RungResult& other : results) {
        if (!comparison.first) comparison.first = ratio(other);
        if (comparison.brightness || !comparable(other)) continue;
        const double here = brightness(mine.measured), there = brightness(other.measured);
        if (!(there > 0 && here > 0)) continue;
        comparison.brightness = here / there;
        if (&other == &mine) continue;
        comparison.brightnessError = here / there *
                                     std::hypot(mine.measured.brightnessError / here,
                                                other.measured.brightnessError / there);
    }
    return comparison;
}

LadderRun::LadderRun(const Ladder& ladder, Machine& machine, const ClimbWish& wish)
    : SteppedJob("rung"),
      ladder_(ladder),
      machine_(machine),
      wish_(wish),
      workbench_(machine),
      rung_(wish.rung.value_or(0)),
      end_(wish.rung ? *wish.rung + 1 : static_cast<int>(ladder.rungs.size())),
      first_(rung_),
      parts_(partsOf()) {
    for (int i = rung_; i < end_; ++i) {
        const Rung& rung = ladder_.rungs[static_cast<size_t>(i)];
        const auto scene = scenes_.find(rung.scene);
        if (!scene) continue;
        const Settings settings = settingsOf(ladder_, i, *scene, wish_.preferred);
        possible_ += missing(rung, settings).empty() && machine_.of(settings.backend) != nullptr;
    }
}

Parts LadderRun::partsOf() {
    return {wish_.helpers,
            {end_ - first_, [this](int part) { return std::to_string(first_ + part); },
             [this](int part, const std::string& reply) {
                 RungResult result;
                 result.rung = first_ + part;
                 const bool meant = fromBytes(reply, result);
                 const Rung& rung = ladder_.rungs[static_cast<size_t>(result.rung)];
                 const auto scene = scenes_.find(rung.scene);
                 if (scene)
                     result.settings = settingsOf(ladder_, result.rung, *scene, wish_.preferred);
                 if (meant) ended_[result.rung] = std::move(result);
                 return meant;
             }}};
}

/// Moves what has ended to the results, as far as no rung before it is missing, or all of it.
void LadderRun::show(bool all) {
    while (!ended_.empty()) {
        const int next = results_.empty() ? first_ : results_.back().rung + 1;
        if (!all && ended_.begin()->first != next) return;
        results_.push_back(std::move(ended_.extract(ended_.begin()).mapped()));
    }
}

/// Rungs that cannot be had take no time.
double LadderRun::share() const {
    if (rung_ >= end_) return 1;
    const auto good = [](const RungResult& result) { return result.problem.empty(); };
    const auto measured =
        std::ranges::count_if(results_, good) +
        std::ranges::count_if(ended_, [&](const auto& one) { return good(one.second); });
    const double done = static_cast<double>(measured) + (trial_ ? trial_->share() : 0);
    return done / std::max(possible_, static_cast<int>(measured) + 1);
}

double LadderRun::expectedSeconds() const {
    return possible_ * (wish_.seconds + kWarmUpSeconds);
}

std::string LadderRun::label() const {
    return ladder_.rungs[static_cast<size_t>(current())].name;
}

void LadderRun::cancel() {
    SteppedJob::cancel();
    trial_.reset();
    elsewhere_ = false;
    parts_.collect();
    show(true);
}

Steps LadderRun::run() {
    for (; !parts_.over(); show(false)) {
        const auto part = parts_.next();
        if (!part) {
            std::this_thread::sleep_for(kHelpersWait);
            co_await kPause;
            continue;
        }
        rung_ = first_ + *part;
        try {
            begin();
            for (co_await kPause; trial_ && !measured(); co_await kPause) parts_.serve();
        } catch (const std::exception& error) {
            trial_.reset();
            const bool cuda = result_.settings.backend == Backend::cuda;
            result_.problem = workbench_.failed(error, cuda, rung().name);
            if (workbench_.leavesTheRest(wish_.helpers, cuda)) {
                problem_ = result_.problem;
                parts_.collect();
                show(true);
                co_return;
            }
        }
        trial_.reset();
        parts_.finish(*part, [this] { return bytesOf(result_); });
        ended_[rung_] = std::move(result_);
        elsewhere_ = false;
    }
    show(true);
    rung_ = end_;
}

/// There is a trial then, or a problem.
void LadderRun::begin() {
    result_ = {};
    result_.rung = rung_;
    const auto found = scenes_.find(rung().scene);
    if (!found) {
        result_.problem = found.reason();
        return;
    }
    scene_ = *found;
    result_.settings = settingsOf(ladder_, rung_, scene_, wish_.preferred);
    const Result<Renderer*> renderer = choose();
    if (!renderer) {
        result_.problem = renderer.reason();
        result_.impossible = true;
        return;
    }
    if (ofSimulation(rung().measures)) {
        watch_ = &watches_.of(result_.settings.backend, (*renderer)->device());
        const bool presents = rung().measures == Measures::stepGap;
        trial_ = std::make_unique<SimulationTrial>(
            **renderer, scene_, SimulationWish{result_.settings, wish_.seconds, presents});
        return;
    }
    MeasureWish wish;
    wish.settings = result_.settings;
    wish.camera = scene_->camera;
    wish.width = wish_.widthFor(ladder_);
    wish.height = wish_.heightFor(ladder_);
    wish.mostSamples = rung().spp;
    wish.presents = rung().clock == ClockKind::present;
    wish.seconds = wish_.seconds;
    if (rung().measures == Measures::time)
        wish.wholeMs = EnoughTime::kPatience * 1e3 * wish.seconds;
    watch_ = &watches_.of(wish.settings.backend, (*renderer)->device());
    elsewhere_ = rung().clock == ClockKind::total;
    if (elsewhere_)
        trial_ =
            std::make_unique<ChildRuns>(wish_.program, rung().scene, wish,
                                        machine_.devices.any() ? "0" : textOf(machine_.devices));
    else
        trial_ = measuring(**renderer, wish);
}

/// Why the rung is not measured whatever the machine; or an empty string.
std::string LadderRun::missing(const Rung& rung, const Settings& settings) const {
    if (wish_.only && *wish_.only != settings.backend)
        return fmt::format("left out by --backend {}",
                           *wish_.only == Backend::cpu ? "cpu" : "cuda");
    std::string reason = meaningless(rung, settings);
    if (!reason.empty()) return reason;
    if (rung.clock == ClockKind::total && settings.context != Context::inside)
        return "clock=total: it needs context=inside, which only the cuda backend has";
    return {};
}

/// The renderer of the rung's settings, or why it is not measured here.
Result<Renderer*> LadderRun::choose() {
    const std::string reason = missing(rung(), result_.settings);
    if (!reason.empty()) return Failure{reason};
    return workbench_.enter(result_.settings, scene_);
}

/// Goes on with the trial; true when it has come to its end.
bool LadderRun::measured() {
    const bool walks = walksSahTree(result_.settings) && !ofSimulation(rung().measures);
    if (walks && !workbench_.hierarchyReady(scene_, leftMs())) return false;
    const bool ended = trial_->step(leftMs());
    if (trial_->share() > 0) watch_->look();  // before that, kernels are compiled and clocks rise
    if (!ended) return false;
    result_.problem = trial_->problem();
    result_.conditions = watch_->summary();
    if (result_.problem.empty()) evaluate();
    return true;
}

void LadderRun::evaluate() {
    const Measurement& m = result_.measured = trial_->measurement();
    const bool kernel = rung().clock == ClockKind::kernel;
    const Spread& ms = kernel ? m.kernelPassMs : m.loopPassMs;
    switch (rung().measures) {
        case Measures::rate:
            result_.value = kernel ? m.kernelRate : m.loopRate;
            break;
        case Measures::time: {
            const double pixels = static_cast<double>(ladder_.width) * ladder_.height;
            const double measured = static_cast<double>(m.width) * m.height;
            result_.value = scaledBy(1e-3 * pixels / measured * ladder_.spp / m.passSamples, ms);
            result_.scaled = m.passSamples != ladder_.spp || measured != pixels;
            break;
        }
        case Measures::gap: {
            const double launches = static_cast<double>(m.passSamples) / result_.settings.samples;
            const double gap = (m.loopPassMs.median - m.kernelPassMs.median) / launches;
            const double half = (m.loopPassMs.upper - m.loopPassMs.lower) / launches / 2;
            result_.value = scaledBy(1e-3, {gap, gap - half, gap + half});
            break;
        }
        case Measures::step:
            result_.value = scaledBy(1e-3 * m.passes / m.launches, ms);
            break;
        case Measures::stepGap: {
            const double gap = m.loopPassMs.median - m.kernelPassMs.median;
            const double half = (m.loopPassMs.upper - m.loopPassMs.lower) / 2;
            result_.value = scaledBy(1e-3 * m.passes / m.launches, {gap, gap - half, gap + half});
            break;
        }
    }
}

}  // namespace rayscope
