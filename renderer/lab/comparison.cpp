#include "renderer/lab/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// Sides whose passes differ by no more than this factor get passes of the same number of samples.
constexpr int kAlignable = 16;
constexpr double kShownLevel = .95, kDecidingLevel = .99;
/// Rounds that the time is to suffice for, and that the CPU plays even where fewer are narrow: from
/// so many on, dependence between them is seen.
constexpr int kWantedRounds = 40;
/// CompareWish::onlyFaster
constexpr int kHopelessRounds = 2;
constexpr double kHopeless = 4;
constexpr double kLeastPassMs = 1;  ///< below that, a pass is as long as waking the threads
/// Shorter launches of the CPU notice what it takes to wake the threads.
constexpr double kLeastLaunchMs = 5;
/// Of the time, beside it: many comparisons follow each other on a machine that is warm.
constexpr double kMostWarmUp = .5;
/// Part of their time that the workers may wait for a core before it shows in ratios of unequal
/// passes: the system lets short bursts of work through and slows long ones down.
constexpr double kMostWaited = .02;

std::unique_ptr<Trial> trialOf(const Contestant& side, TrialWish wish) {
    wish.settings = side.settings;
    return std::make_unique<Trial>(*side.renderer, wish);
}

/// Of a picture whose work is compared, at least.
constexpr double kFewestPixels = 32 * 18;
/// A sample of the reference, in double precision, against one of A.
constexpr double kDearReference = 2;
/// Half of an interval that says "no difference", relative to its value.
constexpr double kTelling = .1;

/// Of both jobs together, warm-up included; equal work is the smaller part.
constexpr double kTimingShare = .7;
/// Of the same, to warm up in.
constexpr double kWarmUpShare = .15;

std::string sideRow(char name, const Measurement& m, const Spread& rate,
                    const std::string& settings) {
    return fmt::format("{}  {:>12.2f} {:>8.2f} % {:>8.3f} {:>8} x {:<6} {}\n", name,
                       rate.median / 1e6, 50 * (rate.upper - rate.lower) / rate.median,
                       m.raysPerSample, m.passes, m.passSamples, settings);
}

/// How long the hierarchies took to build, where they are not the same one.
std::string buildsLine(const Measurement& a, const Measurement& b) {
    if (a.buildMs == b.buildMs) return {};
    const auto text = [](const Measurement& m) {
        return m.buildMs < 0 ? std::string("none") : fmt::format("{:.3f} ms", m.buildMs);
    };
    return fmt::format("hierarchy built in  A: {}, B: {}\n", text(a), text(b));
}

json numberOf(double v) {
    return std::isfinite(v) ? json(v) : json();
}

/// What is missing of the conditions stays missing.
std::string conditionsLine(const ConditionsSummary& c) {
    if (!c.clockMhz) return c.warning;
    std::string text = fmt::format("{:.0f} to {:.0f} MHz", c.clockMhz->lowest, c.clockMhz->highest);
    if (c.celsius) text += fmt::format(", at most {:.0f} \u00b0C", c.celsius->highest);
    if (c.watts) text += fmt::format(", at most {:.0f} W", c.watts->highest);
    if (!c.warning.empty()) text += "; " + c.warning;
    return text;
}

std::string workLines(const EqualWorkResult& w, bool colour) {
    const bool red = colour && w.verdict == Verdict::different;
    std::string text = fmt::format("work        {}{}{}: {}\n", red ? "\033[31m" : "",
                                   nameOf(w.verdict), red ? "\033[0m" : "", w.sentence);
    text +=
        fmt::format("            rays a sample {:.4f} and {:.4f}, brightness {:.5f} and {:.5f}\n",
                    w.a.raysPerSample, w.b.raysPerSample, w.a.brightness.mean, w.b.brightness.mean);
    if (w.verdict == Verdict::identical) return text;
    text += fmt::format("            pixels differ at most {:.3g}, 99.9 % of them at most {:.3g}\n",
                        w.pixels.largest, w.pixels.all999);
    if (w.referenceSamples == 0 || w.verdict == Verdict::sameRays) return text;
    return text + fmt::format("            relMSE of a sample {:.4g} and {:.4g}\n", w.a.relMse.mean,
                              w.b.relMse.mean);
}

json toJson(const Estimate& e) {
    return {{"mean", numberOf(e.mean)}, {"standard_error", numberOf(e.error)}};
}

json toJson(const SideWork& side) {
    return {{"rays_per_sample", side.raysPerSample},
            {"shadow_rays_per_sample", side.shadowRays},
            {"rays_per_depth", side.depthRays},
            {"brightness", toJson(side.brightness)},
            {"mse", toJson(side.mse)},
            {"rel_mse", toJson(side.relMse)},
            {"empty_pixels", side.emptyPixels}};
}

}  // namespace

Comparison::Comparison(const Contestant& a, const Contestant& b, const CompareWish& wish)
    : SteppedJob("time A and B"),
      onCpu_(a.settings.backend == Backend::cpu && b.settings.backend == Backend::cpu),
      wish_(wish),
      stopping_(wish.halfWidth, wish.seconds,
                onCpu_ && !wish.onlyFaster ? kWantedRounds : NarrowInterval::kFewestPasses),
      random_(wish.seed) {
    wish_.warmUpMs = std::min(wish.warmUpMs, 1e3 * kMostWarmUp * wish.seconds);
    wish_.longestLaunchMs = std::max(1e3 * wish.seconds / (2 * kWantedRounds), kLeastLaunchMs);
    const double fitting = 1e3 * wish.seconds / (2 * NarrowInterval::kFewestPasses);
    wish_.passMs = std::clamp(fitting, std::min(kLeastPassMs, wish.passMs), wish.passMs);
    wish_.wholeLaunches |= a.settings.samples != b.settings.samples;
    sides_ = {trialOf(a, wish_), trialOf(b, wish_)};
}

/// In a round the side that is further behind has the next turn.
Steps Comparison::run() {
    for (const auto& side : sides_) {
        while (!side->fit()) co_await kPause;
        if (failed(*side)) co_return;
    }
    alignPictures();
    for (const auto& side : sides_) {
        while (!side->prepare()) co_await kPause;
        if (failed(*side)) co_return;
    }
    alignPasses();
    do {
        random_ = random_ * 1664525u + 1013904223u;  // Numerical Recipes, section 7.1
        const std::uint32_t first = random_ >> 31;
        std::array<bool, 2> played{};
        while (!played[0] || !played[1]) {
            const double a = sides_[0]->passShare(), b = sides_[1]->passShare();
            std::uint32_t next = a == b ? first : b < a;
            if (played[next]) next = 1 - next;
            const Clock::time_point start = Clock::now();
            played[next] = sides_[next]->play();
            spentMs_ += millisecondsSince(start);
            if (failed(*sides_[next])) co_return;
            co_await kPause;
        }
        ++rounds_;
        if (onCpu_) sides_[0]->exchangeMemory(*sides_[1]);
    } while (!stopping_.enough(evidence()) && !hopeless());
}

bool Comparison::hopeless() const {
    if (!wish_.onlyFaster || spentMs_ < 1e3 * wish_.seconds || rounds_ < kHopelessRounds)
        return false;
    for (int r = 0; r < rounds_; ++r) {
        const auto perSample = [&](const Trial& side) {
            return msOf(side.passes()[r], wish_.clock) / side.passSamples();
        };
        if (perSample(*sides_[1]) < kHopeless * perSample(*sides_[0])) return false;
    }
    return true;
}

bool Comparison::failed(const Trial& side) {
    problem_ = side.problem();
    return !problem_.empty();
}

/// Both sides get that of the slower, but for a GPU, which a smaller one would not fill.
void Comparison::alignPictures() {
    if (!onCpu_) return;
    const int divisor = std::max(sides_[0]->divisor(), sides_[1]->divisor());
    for (const auto& side : sides_) {
        if (side->divisor() != divisor) side->divide(divisor);
    }
}

/// On the CPU what a pass costs beside its samples shows in short ones, so both sides get the
/// number of the slower, unless they lie far apart.
void Comparison::alignPasses() {
    const auto [fewer, more] = std::minmax({sides_[0]->passSamples(), sides_[1]->passSamples()});
    const bool alike = sides_[0]->settings().samples == sides_[1]->settings().samples;
    if (!alike || !onCpu_ || more > kAlignable * fewer) return;
    for (const auto& side : sides_) side->setPassSamples(fewer);
}

Evidence Comparison::evidence() const {
    return {rounds_, spentMs_ / 1e3, [this] { return result().samples; }};
}

double Comparison::share() const {
    return ended() ? 1 : stopping_.share(evidence());
}

CompareResult Comparison::result() const {
    CompareResult result;
    result.tookMs = spentMs_;
    double processorMs = 0, waitedMs = 0;
    for (const auto& side : sides_) {
        for (const Pass& pass : side->passes()) {
            processorMs += pass.processorMs;
            waitedMs += pass.waitedMs;
        }
    }
    if (waitedMs > 0) result.waited = waitedMs / (processorMs + waitedMs);
    const bool busy = onCpu_ && wish_.clock == PassClock::kernel && result.waited > kMostWaited;
    result.clock = busy ? PassClock::processor : wish_.clock;
    std::array<std::vector<double>, 2> rays, samples;
    for (int i = 0; i < 2; ++i) {
        const Trial& side = *sides_[i];
        result.sides[i] = side.measurement();
        const Measurement& m = result.sides[i];
        for (int r = 0; r < rounds_; ++r) {
            const double ms = msOf(side.passes()[r], result.clock);
            rays[i].push_back(1e3 * static_cast<double>(side.passes()[r].rays.total()) / ms);
            samples[i].push_back(1. * m.width * m.height * side.passSamples() / ms);
        }
        result.rates[i] = spreadOf(rays[i]);
    }
    result.samples = pairedRatio(samples[0], samples[1], kShownLevel);
    const bool counted = result.sides[0].rays.total() > 0 && result.sides[1].rays.total() > 0;
    result.rays = counted ? pairedRatio(rays[0], rays[1], kShownLevel) : result.samples;
    result.measurable = !pairedRatio(samples[0], samples[1], kDecidingLevel).contains(1);
    result.narrow = stopping_.narrow();
    result.rounds = rounds_;
    return result;
}

std::string_view nameOf(Speed speed) {
    static constexpr std::array names{"faster", "slower", "no difference", "cannot tell"};
    return names[static_cast<std::size_t>(speed)];
}

Speed verdictOf(const Interval& ratio, bool surely) {
    if (surely) return ratio.value > 1 ? Speed::faster : Speed::slower;
    const bool narrow = ratio.halfWidth() <= kTelling * ratio.value;
    return narrow && ratio.contains(1) ? Speed::noDifference : Speed::cannotTell;
}

namespace {

/// Noise matters where two settings do different work for the same picture.
CompareWish speedWish(const PairWish& wish) {
    CompareWish speed = wish.speed;
    speed.noise = wish.work.has_value();
    if (wish.seconds <= 0) return speed;
    speed.seconds = wish.seconds * ((wish.work ? kTimingShare : 1) - kWarmUpShare);
    speed.warmUpMs = std::min(speed.warmUpMs, 1e3 * kWarmUpShare * wish.seconds);
    return speed;
}

}  // namespace

std::optional<Interval> efficiencyOf(const PairResult& result) {
    if (!result.work || result.work->verdict != Verdict::sameExpectation) return {};
    const auto& [a, b] = result.speed.sides;
    if (!a.noise || !b.noise || !(b.noise->variance > 0)) return {};
    if (a.width != b.width || a.height != b.height) return {};
    const Interval& speed = result.speed.samples;
    const double value = a.noise->variance / b.noise->variance * speed.value;
    // Independent relative errors add as squares; 1.96 standard errors are 95 %.
    const double half = std::hypot(1.96 * std::hypot(a.noise->spread, b.noise->spread),
                                   speed.halfWidth() / speed.value);
    return Interval{value, value * std::exp(-half), value * std::exp(half)};
}

PairJob::PairJob(const Contestant& a, const Contestant& b, const PairWish& wish, Watches& watches)
    : a_(a),
      b_(b),
      wish_(wish),
      comparison_(a, b, speedWish(wish)),
      watchA_(watches.of(a.settings.backend, a.renderer->device())),
      watchB_(watches.of(b.settings.backend, b.renderer->device())) {}

Steps PairJob::run() {
    for (bool timed = false; !timed; co_await kPause) {
        timed = comparison_.step(leftMs());
        if (comparison_.share() <= 0) continue;  // kernels are compiled and clocks rise
        watchA_.look();
        watchB_.look();
    }
    problem_ = comparison_.problem();
    if (!problem_.empty() || !wish_.work) co_return;
    work_ = std::make_unique<EqualWork>(*a_.renderer, *b_.renderer, fittingWork());
    while (!work_->step(leftMs())) co_await kPause;  // a problem of it is none of the times
}

/// The picture that the work is compared in, as small as the rest of the time asks for.
EqualWorkWish PairJob::fittingWork() const {
    EqualWorkWish work = *wish_.work;
    if (wish_.seconds <= 0) return work;
    const CompareResult speed = comparison_.result();
    const auto sampleMs = [&](int i) {  // of a sample of a pixel
        const Measurement& m = speed.sides[i];
        return m.loopMs / (1. * m.width * m.height * m.samples);
    };
    const double pixelMs = work.samples * work.batches * (sampleMs(0) + sampleMs(1)) +
                           kDearReference * work.referenceSamples * sampleMs(0);
    const double leftMs =
        std::max(1e3 * wish_.seconds - speed.tookMs, 1e3 * (1 - kTimingShare) * wish_.seconds);
    const double wanted = std::sqrt(leftMs / (pixelMs * work.width * work.height));
    const double least = std::sqrt(kFewestPixels / (1. * work.width * work.height));
    const double factor = std::clamp(wanted, std::min(least, 1.), 1.);
    work.width = std::max(1, static_cast<int>(std::lround(factor * work.width)));
    work.height = std::max(1, static_cast<int>(std::lround(factor * work.height)));
    work.seconds = 1e-3 * leftMs;
    return work;
}

double PairJob::share() const {
    if (ended()) return 1;
    if (!wish_.work) return comparison_.share();
    return kTimingShare * comparison_.share() + (1 - kTimingShare) * (work_ ? work_->share() : 0);
}

PairResult PairJob::result() const {
    PairResult result;
    result.speed = comparison_.result();
    result.complete = complete();
    result.oneProcessor = a_.settings.backend == b_.settings.backend;
    result.conditions = watchB_.summary();
    result.conditionsA = result.oneProcessor ? result.conditions : watchA_.summary();
    if (!wish_.work) {
        result.noWork = "not asked for";
    } else if (!ended() || !work_) {
        result.noWork = "not done yet";
    } else if (!work_->problem().empty()) {
        result.noWork = work_->problem();
    } else {
        result.work = work_->result();
    }
    return result;
}

json toJson(const Interval& interval) {
    return {{"value", numberOf(interval.value)},
            {"lower", numberOf(interval.lower)},
            {"upper", numberOf(interval.upper)},
            {"confidence", .95}};
}

json toJson(const EqualWorkResult& work) {
    return {{"verdict", nameOf(work.verdict)},
            {"sentence", work.sentence},
            {"less_work", work.lessWork},
            {"a", toJson(work.a)},
            {"b", toJson(work.b)},
            {"largest_pixel_difference", work.pixels.largest},
            {"pixel_difference_99_9_percentile", work.pixels.all999},
            {"pixels_beyond_rounding", work.pixels.share},
            {"size", {work.width, work.height}},
            {"batches", work.batches},
            {"samples_per_batch", work.samples},
            {"reference_samples", work.referenceSamples}};
}

std::string timesText(const Interval& ratio) {
    return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", ratio.value, ratio.lower, ratio.upper);
}

std::string sentenceOf(const CompareResult& result) {
    const Interval& r = result.samples;
    const int digits = r.halfWidth() < .005 ? 3 : 2;
    if (!result.measurable && r.contains(1))
        return fmt::format("{} [{:.3f}, {:.3f}]",
                           result.speed() == Speed::cannotTell ? "cannot tell which is faster"
                                                               : "no measurable difference",
                           r.lower, r.upper);
    // more digits of an interval that ends near 1
    if (!result.measurable)
        return fmt::format("B is probably {:.{}f}x A [{:.3f}, {:.3f}], but not surely", r.value,
                           digits, r.lower, r.upper);
    return fmt::format("B is {0:.{3}f}x A [{1:.{3}f}, {2:.{3}f}]", r.value, r.lower, r.upper,
                       digits);
}

std::string fillSentence(const CompareResult& result) {
    constexpr double kFull = 4;  // with more, the end of a launch is a small part of it
    const double a = result.sides[0].fill, b = result.sides[1].fill, least = leastFill(a, b);
    if (least <= 0 || least >= kFull) return {};
    const auto times = [](double fill) {
        return fill > 0 ? fmt::format("{:.2g}", fill) : std::string("?");
    };
    return fmt::format(
        "A's launches have {} times the threads that the device runs at once, B's {} times: {}",
        times(a), times(b),
        least < 1 ? "it is not full, and the ratio is that of this size alone"
                  : "the ratio is that of this size, larger ones fill it better");
}

std::string sentenceOf(const PairResult& result) {
    std::string sentence = sentenceOf(result.speed);
    if (!result.work) return sentence;
    sentence += fmt::format(", {}", nameOf(result.work->verdict));
    if (result.work->lessWork) sentence += ", less work";
    return sentence;
}

std::string tableOf(const ComparedPair& pair, const PairResult& pairResult, bool colour) {
    const CompareResult& result = pairResult.speed;
    const Settings &a = pair.state.settings, &b = pair.b;
    const std::string same = a.backend == b.backend ? difference(b, a) : describe(a);
    const std::string other = a.backend == b.backend ? difference(a, b) : describe(b);
    std::string text = fmt::format("   {:>12} {:>10} {:>8} {:>17} {}\n", "M rays/s", "spread",
                                   "rays/spl", "passes x samples", "settings");
    const char* alike = "(the same settings)";
    text += sideRow('A', result.sides[0], result.rates[0], same.empty() ? alike : same);
    text += sideRow('B', result.sides[1], result.rates[1], other.empty() ? alike : other);
    text += "\n" + sentenceOf(pairResult) + "\n";
    text += buildsLine(result.sides[0], result.sides[1]);
    const Measurement& timed = result.sides[1];
    if (timed.width > 0 && timed.width != pair.width)
        text += fmt::format("timed at {}x{}: whole launches of {}x{} would take too long\n",
                            timed.width, timed.height, pair.width, pair.height);
    if (result.clock == PassClock::processor)
        text += fmt::format(
            "by processor time: the threads waited {:.0f} % of theirs for a core that others had\n",
            100 * result.waited);
    if (const std::string fill = fillSentence(result); !fill.empty()) text += fill + "\n";
    const Interval &r = result.rays, &s = result.samples;
    if (!s.contains(r.value) && result.measurable) {
        text += fmt::format("in rays a second {}: samples differ in work\n", timesText(r));
    }
    if (const std::optional<Interval> e = efficiencyOf(pairResult)) {
        text += fmt::format(
            "efficiency, 1 / (variance x time): B is {:.3f}x A [{:.3f}, {:.3f}] at {}x{}\n",
            e->value, e->lower, e->upper, timed.width, timed.height);
    }
    if (!result.narrow) {
        text += fmt::format("{} after {} rounds: more narrows the interval{}\n",
                            pairResult.complete ? "the time was up" : "interrupted", result.rounds,
                            pairResult.complete ? " (--time)" : "");
    }
    text += pairResult.work ? "\n" + workLines(*pairResult.work, colour)
                            : fmt::format("\nwork        not compared: {}\n", pairResult.noWork);
    const CodeVerdict& code = pairResult.code;
    if (!code.sentence.empty()) text += fmt::format("code        {}\n", code.sentence);
    const std::string conditions = conditionsLine(pairResult.conditions);
    if (!conditions.empty()) text += fmt::format("conditions  {}\n", conditions);
    if (!pairResult.oneProcessor)
        text += fmt::format("      of A  {}\n", conditionsLine(pairResult.conditionsA));
    return text;
}

json toJson(const PairResult& pair, const Settings& a, const Settings& b) {
    const CompareResult& result = pair.speed;
    json report = {{"a", toJson(result.sides[0])},
                   {"b", toJson(result.sides[1])},
                   {"rates", {toJson(result.rates[0]), toJson(result.rates[1])}},
                   {"rays_ratio", toJson(result.rays)},
                   {"samples_ratio", toJson(result.samples)},
                   {"measurable", result.measurable},
                   {"speed", nameOf(result.speed())},
                   {"clock", nameOf(result.clock)},
                   {"waited", result.waited},
                   {"narrow", result.narrow},
                   {"rounds", result.rounds},
                   {"conditions", toJson(pair.conditions)},
                   {"sentence", sentenceOf(pair)}};
    if (const std::string fill = fillSentence(result); !fill.empty()) report["fill"] = fill;
    report["a"]["settings"] = toJson(a);
    report["b"]["settings"] = toJson(b);
    if (!pair.oneProcessor) report["conditions_a"] = toJson(pair.conditionsA);
    if (!pair.code.sentence.empty())
        report["code"] = {{"relation", nameOf(pair.code.relation)},
                          {"sentence", pair.code.sentence}};
    if (pair.work)
        report["work"] = toJson(*pair.work);
    else
        report["no_work"] = pair.noWork;
    if (const std::optional<Interval> e = efficiencyOf(pair))
        report["efficiency_ratio"] = toJson(*e);
    return report;
}

json reportOf(const ComparedPair& pair, const PairResult& result) {
    json report = reportHead("comparison", result.speed.sides[1].device, result.complete,
                             pair.width, pair.height);
    report.update(toJson(result, pair.state.settings, pair.b));
    report["state"] = toJson(pair.state);
    return report;
}

}  // namespace rayscope
