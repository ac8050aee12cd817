#include "renderer/lab/selfcheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderer/lab/report.h"

namespace rayscope {

using nlohmann::json;

namespace {

/// So narrow that half a percent can be told from nothing.
constexpr double kNarrow = .0005;
/// That of the sizes: two percent can be told from nothing.
constexpr double kNarrowOfSizes = .005;
/// Of the pictures, whatever size the others have.
constexpr std::array kSizeWidths{80, 160, 320};
/// The smallest launches: few pixels, and enough of them to meet neighbouring ticks of the clock.
constexpr int kSpeck = 8;
constexpr size_t kSmallLaunches = 2000;
constexpr double kTimerSeconds = .5;
/// Times that differ by less are the same but for rounding: the events of CUDA come as floats.
constexpr double kSameMs = 1e-7;
/// By what kernels of this program differ because of where their code lies and how its registers
/// came out, as a share: two copies of one kernel by 1 %, and kernels that count were up to 6 %
/// faster than those that do not.
constexpr double kPlacementOnCpu = .06;
/// A GPU's kernels lie each in a module of its own, but instructions are scheduled anew for each:
/// two ways to write the same counting differ by 1.0 % in vt9 on an H200 with as many instructions.
constexpr double kPlacementOnCuda = .01;
/// Longer than any launch.
constexpr double kWholeLaunchMs = 1e9;
/// Of a pixel in one launch: what a pixel costs beside its samples, on the CPU a third of a sample,
/// is little then; and the most that Settings::samples may be.
constexpr int kManySamples = 32, kMostSamples = 1024;

/// What a look at the clock costs, from many.
double callMs() {
    constexpr int kCalls = 10000;
    const Clock::time_point start = Clock::now();
    for (int i = 1; i < kCalls; ++i) static_cast<void>(Clock::now());
    return millisecondsSince(start) / kCalls;
}

Interval inverse(const Interval& ratio, double times) {
    return {times / ratio.value, times / ratio.upper, times / ratio.lower};
}

Interval costOf(const Interval& ratio) {
    return {1 - ratio.value, 1 - ratio.upper, 1 - ratio.lower};
}

/// Of one launch of the passes.
double launchMs(const CompareResult& result, int samples) {
    double least = INFINITY;
    for (const Measurement& m : result.sides)
        least = std::min(least, m.kernelPassMs.median / std::max(1, m.passSamples / samples));
    return least;
}

/// What DESIGN promises and the rest is held to.
constexpr double kFalseAlarms = .05, kConfidence = .95, kCounting = .005;
/// Half the comparisons reach further: what is wanted from them is finer.
constexpr double kTooWide = .02;
/// Fewer comparisons say nothing about one in twenty.
constexpr int kEnough = 20;
/// Standard deviations of 99 %: of many machines that are fine hardly one is called wrong.
constexpr double kCertain = 2.576;
/// Those of 95 %, which intervals have.
constexpr double kShown = 1.96;
/// Twice the work may take so much more or less than twice the time: launches cost something.
constexpr double kTwice = .02;
/// Ratios of one pair in pictures of other sizes may differ so much beyond their intervals.
constexpr double kSizes = .02;
/// Intervals that reach further say nothing about that.
constexpr double kSizesTooWide = .05;
/// The step of the clock over the shortest launch; what is compared are many launches.
constexpr double kStep = .001;

std::string_view nameOf(Finding finding) {
    constexpr std::array<std::string_view, 3> kNames{"ok", "unclear", "FAILED"};
    return kNames[static_cast<size_t>(finding)];
}

std::string percent(double share, int digits) {
    return fmt::format("{:.{}f} %", 100 * share, digits);
}

/// "0.2 % [0.1, 0.3]"
std::string percent(const Interval& share) {
    const int digits = share.halfWidth() < .001 ? 2 : 1;
    return fmt::format("{0:.{3}f} % [{1:.{3}f}, {2:.{3}f}]", 100 * share.value, 100 * share.lower,
                       100 * share.upper, digits);
}

/// "512 ns", "4.1 us", "10.2 ms"
std::string duration(double ms) {
    if (ms < 1e-3) return fmt::format("{:.0f} ns", ms * 1e6);
    if (ms < 1) return fmt::format("{:.1f} us", ms * 1e3);
    return fmt::format("{:.1f} ms", ms);
}

Check falseAlarms(const SelfcheckResult& r) {
    const SameWithSame& s = r.same;
    Check check{"false alarms"};
    if (s.comparisons == 0) return check;
    check.sentence = fmt::format("{} of {} comparisons of a setting with itself found a difference",
                                 s.measurable, s.comparisons);
    if (s.comparisons < kEnough) return check;
    const double surely = probabilityOf(s.measurable, s.comparisons, kCertain).lower;
    check.finding = surely > kFalseAlarms                         ? Finding::failed
                    : s.measurable > kFalseAlarms * s.comparisons ? Finding::unclear
                                                                  : Finding::ok;
    return check;
}

Check intervals(const SelfcheckResult& r) {
    const SameWithSame& s = r.same;
    Check check{"intervals"};
    if (s.comparisons == 0) return check;
    const Interval seen = probabilityOf(s.containing, s.comparisons);
    check.sentence = fmt::format(
        "95 % contained 1 in {} of {} ({:.0f} to {:.0f} % of all; 95 are expected); half of them "
        "within {:.2f} %, the ratio furthest from 1 was {:.3f}",
        s.containing, s.comparisons, 100 * seen.lower, 100 * seen.upper, 100 * s.halfWidth,
        s.largest);
    if (s.comparisons < kEnough) return check;
    const bool often = probabilityOf(s.containing, s.comparisons, kCertain).upper >= kConfidence;
    check.finding = !often                   ? Finding::failed
                    : s.halfWidth > kTooWide ? Finding::unclear
                                             : Finding::ok;
    return check;
}

Check twice(const SelfcheckResult& r) {
    Check check{"twice the work"};
    if (!r.twice) return check;
    const Interval& t = *r.twice;
    check.sentence = fmt::format("twice the samples took {} the time", timesText(t));
    const double least = 2 * (1 - kTwice), most = 2 * (1 + kTwice);
    if (least <= t.lower && t.upper <= most) check.finding = Finding::ok;
    if (t.upper < least || most < t.lower) check.finding = Finding::failed;
    return check;
}

Check counting(const SelfcheckResult& r) {
    Check check{"counting rays"};
    if (r.counting.empty()) return check;
    check.finding = r.counting.size() == r.scenes.size() ? Finding::ok : Finding::unclear;
    check.sentence = "it takes";
    for (const CountingCost& c : r.counting) {
        const bool first = &c == &r.counting.front();
        check.sentence += fmt::format("{} {} of {}", first ? "" : ",", percent(c.share), c.scene);
        if (c.share.lower > kCounting + r.placement)
            check.finding = Finding::failed;
        else if (c.share.upper > kCounting && check.finding == Finding::ok)
            check.finding = Finding::unclear;
    }
    check.sentence += fmt::format("; at most {} is promised", percent(kCounting, 1));
    if (r.placement > 0) {
        check.sentence +=
            fmt::format(", and chance in the compiled code can make {}", percent(r.placement, 0));
    }
    return check;
}

Check sizes(const SelfcheckResult& r) {
    Check check{"sizes"};
    if (r.sizes.size() < 2) return check;
    double least = INFINITY, most = 0, widest = 0, excess = 0;
    for (const SizedRatio& a : r.sizes) {
        least = std::min(least, a.ratio.value);
        most = std::max(most, a.ratio.value);
        widest = std::max(widest, a.ratio.halfWidth() / a.ratio.value);
        for (const SizedRatio& b : r.sizes) {
            const double half = std::hypot(a.ratio.halfWidth() / a.ratio.value,
                                           b.ratio.halfWidth() / b.ratio.value);
            const double apart = std::fabs(std::log(a.ratio.value / b.ratio.value));
            excess = std::max(excess, apart - kCertain / kShown * half);
        }
    }
    check.finding = excess > kSizes          ? Finding::failed
                    : widest > kSizesTooWide ? Finding::unclear
                                             : Finding::ok;
    check.sentence = fmt::format(
        "depth 1 against {}, {} times from {}x{} to {}x{}: {:.3f} to {:.3f}, intervals within "
        "{:.1f} %",
        r.depth, r.sizes.size(), r.sizes.front().width, r.sizes.front().height,
        r.sizes.back().width, r.sizes.back().height, least, most, 100 * widest);
    return check;
}

Check timer(const SelfcheckResult& r) {
    Check check{"clock"};
    if (!r.timer) return check;
    const TimerFacts& t = *r.timer;
    if (t.stepMs <= 0) return {"clock", Finding::failed, "it says 0 for every launch"};
    const double share = t.stepMs / t.shortestMs;
    check.finding = share <= kStep ? Finding::ok : Finding::failed;
    check.sentence = fmt::format(
        "steps of {}, {} for a launch of almost nothing; the shortest launch timed has {}: a step "
        "is {} of it",
        duration(t.stepMs), duration(t.leastMs), duration(t.shortestMs), percent(share, 5));
    return check;
}

Check conditions(const SelfcheckResult& r) {
    const ConditionsSummary& c = r.conditions;
    if (!c.warning.empty()) return {"conditions", Finding::unclear, c.warning};
    if (!c.missing.empty()) return {"conditions", Finding::unclear, c.missing};
    if (c.samples == 0) return {"conditions"};
    std::string sentence = "nothing slowed the processor down";
    if (c.clockMhz) {
        sentence += fmt::format(", its clock between {:.0f} and {:.0f} MHz", c.clockMhz->lowest,
                                c.clockMhz->highest);
    }
    if (c.load) sentence += fmt::format(", load {:.1f} at most", c.load->highest);
    return {"conditions", Finding::ok, sentence};
}

std::string verdict(const std::vector<Check>& checks) {
    if (failed(checks)) return "Do not trust ratios from here before what FAILED is mended.";
    const bool all = std::all_of(checks.begin(), checks.end(),
                                 [](const Check& c) { return c.finding == Finding::ok; });
    return all ? "The numbers can be trusted."
               : "Nothing speaks against the numbers, but not all is known (--time, a quiet "
                 "machine).";
}

}  // namespace

double clockStep(std::vector<double> times) {
    times.push_back(0);
    std::sort(times.begin(), times.end());
    double step = 0;
    for (size_t i = 1; i < times.size(); ++i) {
        const double gap = times[i] - times[i - 1];
        if (gap > kSameMs && (step == 0 || gap < step)) step = gap;
    }
    return step;
}

Selfcheck::Selfcheck(Renderer& renderer, SelfcheckWish wish)
    : SteppedJob("check"), renderer_(renderer), wish_(std::move(wish)), watch_(wish_.sensors) {
    const int cases = static_cast<int>(wish_.cases.size());
    const bool cpu = wish_.cases.front().settings.backend == Backend::cpu;
    for (int c = 0; c < cases; ++c) {
        const int count = wish_.comparisons / cases + (c < wish_.comparisons % cases);
        tasks_.insert(tasks_.end(), count, {Kind::same, c});
        // after a comparison the kernel is there and its pace is known
        if (c == 0) tasks_.insert(tasks_.end(), {{Kind::timer, c}, {Kind::twice, c}});
        tasks_.push_back({Kind::counting, c});
        if (c > 0 || !cpu) continue;
        for (const int width : kSizeWidths) {
            for (const double share : {.5, 1.}) tasks_.push_back({Kind::sizes, c, width, share});
        }
    }
    for (const SelfcheckCase& c : wish_.cases) result_.scenes.push_back(c.scene->name);
    result_.device = renderer_.device();
    result_.depth = wish_.cases.front().settings.depth;
    result_.placement = cpu ? kPlacementOnCpu : kPlacementOnCuda;
    result_.width = wish_.width;
    result_.height = wish_.height;
}

double Selfcheck::secondsOf(const Task& task) const {
    if (task.kind == Kind::same) return wish_.seconds;
    return task.kind == Kind::timer ? kTimerSeconds : task.share * wish_.longSeconds;
}

double Selfcheck::share() const {
    if (task_ == tasks_.size()) return 1;
    double done = 0, all = 0;
    for (size_t i = 0; i < tasks_.size(); ++i) {
        const double seconds = secondsOf(tasks_[i]);
        all += seconds;
        if (i < task_) done += seconds;
        if (i == task_ && comparison_) done += seconds * comparison_->share();
    }
    return all > 0 ? done / all : 0;
}

std::string Selfcheck::label() const {
    constexpr std::array<const char*, 5> kLabels{"A against A", "the clock", "twice the work",
                                                 "counting rays", "sizes"};
    return task_ == tasks_.size() ? "done" : kLabels[static_cast<size_t>(tasks_[task_].kind)];
}

Steps Selfcheck::run() {
    OffscreenFilm speck;  // of the smallest launches
    std::vector<double> launchMs;
    for (int scene = -1; task_ < tasks_.size(); ++task_) {
        const Task& task = tasks_[task_];
        const SelfcheckCase& c = wish_.cases[task.scene];
        if (std::exchange(scene, task.scene) != task.scene) renderer_.setScene(c.scene);
        if (task.kind != Kind::timer) {
            compare(task);
            for (bool ended = false; !ended; co_await kPause) {
                watch_.look();
                ended = comparison_->step(std::max(leftMs(), 1.));
            }
            problem_ = comparison_->problem();
            if (!problem_.empty()) co_return;
            take(task, comparison_->result());
            comparison_.reset();
            continue;
        }
        problem_ = speck.allocate(renderer_, c.settings.backend, kSpeck, kSpeck).reason();
        if (!problem_.empty()) co_return;
        speck.session().clear();
        for (; launchMs.size() < kSmallLaunches; co_await kPause) {
            // of one to four samples, so that their times vary
            launchMs.push_back(timeLaunch(speck, 1 + static_cast<int>(launchMs.size() % 4)));
            if (!problem_.empty()) co_return;
        }
        result_.timer =
            TimerFacts{clockStep(launchMs), *std::min_element(launchMs.begin(), launchMs.end()),
                       callMs(), shortestMs_};
    }
}

void Selfcheck::compare(const Task& task) {
    const SelfcheckCase& c = wish_.cases[task.scene];
    CompareWish wish = wish_;
    wish.camera = c.scene->camera;
    wish.seconds = secondsOf(task);
    wish.seed = static_cast<std::uint32_t>(task_ + 1);
    Settings a = c.settings, b = c.settings;
    if (task.kind != Kind::same) wish.halfWidth = kNarrow;
    if (task.kind == Kind::counting) a.variant.countRays = false;
    if (task.kind == Kind::sizes) {
        wish.halfWidth = kNarrowOfSizes;
        wish.width = task.width;
        wish.height = task.width * 9 / 16;
        a.depth = 1;
    }
    if (task.kind == Kind::twice) {
        wish.passMs = 0;  // a pass is one launch
        a.samples = std::clamp(passSamples_, kManySamples, kMostSamples / 2);
        b.samples = 2 * a.samples;
    }
    comparison_ =
        std::make_unique<Comparison>(Contestant{&renderer_, a}, Contestant{&renderer_, b}, wish);
}

double Selfcheck::timeLaunch(OffscreenFilm& film, int samples) {
    const SelfcheckCase& c = wish_.cases.front();
    Session& session = film.session();
    Settings settings = c.settings;
    settings.samples = samples;
    settings.launches = 1;
    session.setTarget(session.film().samples + samples);
    FrameStats stats = session.advance(settings, c.scene->camera, kWholeLaunchMs);
    stats += session.finish();
    if (!session.done()) problem_ = kernelProblem(renderer_, session.kernel(), settings, true);
    return stats.kernelMs;
}

void Selfcheck::take(const Task& task, const CompareResult& result) {
    const Interval& ratio = result.samples;
    if (task.kind == Kind::twice) result_.twice = inverse(ratio, 2);
    if (task.kind == Kind::counting)
        result_.counting.push_back({result_.scenes[task.scene], costOf(ratio)});
    if (task.kind == Kind::sizes) {
        result_.sizes.push_back({task.width, task.width * 9 / 16, secondsOf(task), ratio});
    }
    if (task.kind != Kind::same) return;
    SameWithSame& same = result_.same;
    ++same.comparisons;
    same.measurable += result.measurable;
    same.containing += ratio.contains(1);
    if (std::fabs(std::log(ratio.value)) > std::fabs(std::log(same.largest)))
        same.largest = ratio.value;
    halfWidths_.push_back(ratio.halfWidth() / ratio.value);
    same.halfWidth = spreadOf(halfWidths_).median;
    if (task.scene == 0) passSamples_ = result.sides[0].passSamples;
    const double ms = launchMs(result, wish_.cases[task.scene].settings.samples);
    shortestMs_ = shortestMs_ > 0 ? std::min(shortestMs_, ms) : ms;
    if (result_.timer) result_.timer->shortestMs = shortestMs_;
}

SelfcheckResult Selfcheck::result() const {
    SelfcheckResult result = result_;
    result.conditions = watch_.summary();
    result.complete = task_ == tasks_.size();
    return result;
}

std::vector<Check> checksOf(const SelfcheckResult& r) {
    std::vector<Check> checks{falseAlarms(r), intervals(r), twice(r), counting(r)};
    if (!r.sizes.empty()) checks.push_back(sizes(r));
    checks.insert(checks.end(), {timer(r), conditions(r)});
    return checks;
}

bool failed(const std::vector<Check>& checks) {
    return std::any_of(checks.begin(), checks.end(),
                       [](const Check& c) { return c.finding == Finding::failed; });
}

std::string textOf(const SelfcheckResult& r) {
    std::string text =
        fmt::format("{}  ({})\n{}x{},", r.device.name, r.device.detail, r.width, r.height);
    for (const std::string& scene : r.scenes) text += " " + scene;
    text += "\n\n";
    const std::vector<Check> checks = checksOf(r);
    for (const Check& c : checks)
        text += fmt::format("{:<8} {:<15} {}\n", nameOf(c.finding), c.name, c.sentence);
    return text + "\n" + verdict(checks) + "\n";
}

json reportOf(const SelfcheckResult& r) {
    json report = reportHead("selfcheck", r.device, r.complete, r.width, r.height);
    report["conditions"] = toJson(r.conditions);
    report["scenes"] = r.scenes;
    report["same"] = {{"comparisons", r.same.comparisons},
                      {"measurable", r.same.measurable},
                      {"contain_1", r.same.containing},
                      {"median_half_width", r.same.halfWidth},
                      {"largest_ratio", r.same.largest}};
    if (r.twice) report["twice"] = toJson(*r.twice);
    for (const SizedRatio& s : r.sizes) {
        report["sizes"].push_back(
            {{"size", {s.width, s.height}}, {"seconds", s.seconds}, {"ratio", toJson(s.ratio)}});
    }
    for (const CountingCost& c : r.counting) report["counting_cost"][c.scene] = toJson(c.share);
    if (r.timer) {
        report["clock"] = {{"step_ms", r.timer->stepMs},
                           {"least_launch_ms", r.timer->leastMs},
                           {"call_ms", r.timer->callMs},
                           {"shortest_launch_ms", r.timer->shortestMs}};
    }
    for (const Check& c : checksOf(r)) {
        report["checks"].push_back(
            {{"name", c.name}, {"finding", nameOf(c.finding)}, {"sentence", c.sentence}});
    }
    report["verdict"] = verdict(checksOf(r));
    return report;
}

}  // namespace rayscope
