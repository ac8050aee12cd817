#include "renderer/lab/pair.h"

#include <cmath>

namespace rayscope {

namespace {

/// Of both jobs together; equal work is the smaller part.
constexpr double kTimingShare = .7;

double relative(const Estimate& e) {
    return e.error / e.mean;
}

}  // namespace

std::optional<Interval> efficiencyOf(const PairResult& result) {
    const std::optional<EqualWorkResult>& work = result.work;
    if (!work || work->referenceSamples == 0 || work->verdict == Verdict::identical ||
        work->verdict == Verdict::sameRays)
        return {};
    if (!(work->a.mse.mean > 0 && work->b.mse.mean > 0)) return {};
    const Interval& speed = result.speed.samples;
    const double value = efficiencyRatio(*work, speed.value, 1);
    // Independent relative errors add as squares; 1.96 standard errors are 95 %.
    const double half = std::hypot(1.96 * std::hypot(relative(work->a.mse), relative(work->b.mse)),
                                   speed.halfWidth() / speed.value);
    return Interval{value, value * std::exp(-half), value * std::exp(half)};
}

PairJob::PairJob(const Contestant& a, const Contestant& b, const PairWish& wish, Watches& watches)
    : a_(a),
      b_(b),
      wish_(wish),
      comparison_(a, b, wish.speed),
      watchA_(watches.of(a.settings.backend, a.renderer->device())),
      watchB_(watches.of(b.settings.backend, b.renderer->device())) {}

bool PairJob::step(double budgetMs) {
    if (done_) return true;
    if (!timed_) {
        timed_ = comparison_.step(budgetMs);
        if (comparison_.share() > 0) {  // before that, kernels are compiled and clocks rise
            watchA_.look();
            watchB_.look();
        }
        problem_ = comparison_.problem();
        done_ = timed_ && (!wish_.work || !problem_.empty());
        return done_;
    }
    if (!work_) work_ = std::make_unique<EqualWork>(*a_.renderer, *b_.renderer, *wish_.work);
    done_ = work_->step(budgetMs);
    return done_;
}

double PairJob::share() const {
    if (done_) return 1;
    if (!wish_.work) return comparison_.share();
    return timed_ ? kTimingShare + (1 - kTimingShare) * (work_ ? work_->share() : 0)
                  : kTimingShare * comparison_.share();
}

PairResult PairJob::result() const {
    PairResult result;
    result.speed = comparison_.result();
    result.oneProcessor = a_.settings.backend == b_.settings.backend;
    result.conditions = watchB_.summary();
    result.conditionsA = result.oneProcessor ? result.conditions : watchA_.summary();
    if (!wish_.work) {
        result.noWork = "not asked for";
    } else if (!done_) {
        result.noWork = "not done yet";
    } else if (!work_->problem().empty()) {
        result.noWork = work_->problem();
    } else {
        result.work = work_->result();
    }
    return result;
}

}  // namespace rayscope
