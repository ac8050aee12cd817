#include "renderer/lab/selfcheck.h"

#include <algorithm>
#include <cmath>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"

namespace rayscope {

namespace {

/// So narrow that half a percent can be told from nothing.
constexpr double kNarrow = .0005;
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
constexpr double kUnlimitedMs = 1e9;
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

double median(std::vector<double> values) {
    return spreadOf(std::move(values)).median;
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
    : renderer_(renderer), wish_(std::move(wish)), watch_(wish_.sensors) {
    const int cases = static_cast<int>(wish_.cases.size());
    for (int c = 0; c < cases; ++c) {
        const int count = wish_.comparisons / cases + (c < wish_.comparisons % cases);
        tasks_.insert(tasks_.end(), count, {Kind::same, c});
        // after a comparison the kernel is there and its pace is known
        if (c == 0) tasks_.insert(tasks_.end(), {{Kind::timer, c}, {Kind::twice, c}});
        tasks_.push_back({Kind::counting, c});
        result_.scenes.push_back(wish_.cases[c].scene->name);
    }
    result_.device = renderer_.device();
    const bool cpu = wish_.cases.front().settings.backend == Backend::cpu;
    result_.placement = cpu ? kPlacementOnCpu : kPlacementOnCuda;
    result_.width = wish_.width;
    result_.height = wish_.height;
}

double Selfcheck::secondsOf(const Task& task) const {
    if (task.kind == Kind::same) return wish_.seconds;
    return task.kind == Kind::timer ? kTimerSeconds : wish_.longSeconds;
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
    if (task_ == tasks_.size()) return "done";
    switch (tasks_[task_].kind) {
        case Kind::same:
            return "A against A";
        case Kind::timer:
            return "the clock";
        case Kind::twice:
            return "twice the work";
        case Kind::counting:
            return "counting rays";
    }
    return "";
}

bool Selfcheck::step(double budgetMs) {
    const Zone zone("check");
    const Clock::time_point start = Clock::now();
    do {
        if (task_ == tasks_.size() || !problem_.empty()) return true;
        watch_.look();
        if (!begun_) begin();
        begun_ = true;
        const double left = std::max(budgetMs - millisecondsSince(start), 1.);
        const bool ended = comparison_ ? comparison_->step(left) : timeLaunches(left);
        if (comparison_) problem_ = comparison_->problem();
        if (!ended || !problem_.empty()) continue;
        take();
        comparison_.reset();
        begun_ = false;
        ++task_;
    } while (millisecondsSince(start) < budgetMs);
    return task_ == tasks_.size() || !problem_.empty();
}

void Selfcheck::begin() {
    const Task& task = tasks_[task_];
    const SelfcheckCase& c = wish_.cases[task.scene];
    if (scene_ != task.scene) renderer_.setScene(c.scene);
    scene_ = task.scene;
    if (task.kind == Kind::timer) return beginTimer();
    CompareWish wish = wish_.comparison;
    wish.camera = c.scene->camera;
    wish.width = wish_.width;
    wish.height = wish_.height;
    wish.seconds = secondsOf(task);
    wish.seed = static_cast<std::uint32_t>(task_ + 1);
    Settings a = c.settings, b = c.settings;
    if (task.kind != Kind::same) wish.halfWidth = kNarrow;
    if (task.kind == Kind::counting) a.variant.countRays = false;
    if (task.kind == Kind::twice) {
        wish.passMs = 0;  // a pass is one launch
        a.samples = std::clamp(passSamples_, kManySamples, kMostSamples / 2);
        b.samples = 2 * a.samples;
    }
    comparison_ =
        std::make_unique<Comparison>(Contestant{&renderer_, a}, Contestant{&renderer_, b}, wish);
}

void Selfcheck::beginTimer() {
    problem_ =
        speck_.allocate(renderer_, wish_.cases.front().settings.backend, kSpeck, kSpeck).reason();
    if (problem_.empty()) speck_.session().clear();
    launchMs_.clear();
}

/// Launches of one to four samples of the smallest picture, so that their times vary.
bool Selfcheck::timeLaunches(double budgetMs) {
    const Clock::time_point start = Clock::now();
    const SelfcheckCase& c = wish_.cases.front();
    Session& session = speck_.session();
    while (problem_.empty() && launchMs_.size() < kSmallLaunches) {
        Settings settings = c.settings;
        settings.samples = 1 + static_cast<int>(launchMs_.size() % 4);
        settings.launches = 1;
        session.setTarget(session.film().samples + settings.samples);
        FrameStats stats = session.advance(settings, c.scene->camera, kUnlimitedMs);
        stats += session.finish();
        if (!session.done()) problem_ = kernelProblem(renderer_, session.kernel(), settings, true);
        launchMs_.push_back(stats.kernelMs);
        if (millisecondsSince(start) > budgetMs) break;
    }
    return launchMs_.size() == kSmallLaunches;
}

void Selfcheck::take() {
    const Task& task = tasks_[task_];
    if (task.kind == Kind::timer) {
        result_.timer =
            TimerFacts{clockStep(launchMs_), *std::min_element(launchMs_.begin(), launchMs_.end()),
                       callMs(), shortestMs_};
        return;
    }
    const CompareResult result = comparison_->result();
    if (task.kind == Kind::same) takeSame(result);
    if (task.kind == Kind::twice) result_.twice = inverse(result.samples, 2);
    if (task.kind == Kind::counting)
        result_.counting.push_back({result_.scenes[task.scene], costOf(result.samples)});
}

void Selfcheck::takeSame(const CompareResult& result) {
    const Task& task = tasks_[task_];
    const Interval& ratio = result.samples;
    SameWithSame& same = result_.same;
    ++same.comparisons;
    same.measurable += result.measurable;
    same.containing += ratio.contains(1);
    if (std::fabs(std::log(ratio.value)) > std::fabs(std::log(same.largest)))
        same.largest = ratio.value;
    halfWidths_.push_back(ratio.halfWidth() / ratio.value);
    same.halfWidth = median(halfWidths_);
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

}  // namespace rayscope
