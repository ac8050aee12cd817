#include "renderer/lab/comparison.h"

#include <algorithm>

#include "renderer/base/timeline.h"

namespace rayscope {

namespace {

/// Sides whose passes differ by no more than this factor get passes of the same number of samples.
constexpr int kAlignable = 16;
constexpr double kShown = .95, kDecides = .99;

std::unique_ptr<Trial> trialOf(const Contestant& side, TrialWish wish) {
    wish.settings = side.settings;
    return std::make_unique<Trial>(*side.renderer, wish);
}

}  // namespace

Comparison::Comparison(const Contestant& a, const Contestant& b, const CompareWish& wish)
    : wish_(wish), stopping_(wish.halfWidth, wish.seconds), random_(wish.seed) {
    wish_.wholeLaunches |= a.settings.samples != b.settings.samples;
    sides_ = {trialOf(a, wish_), trialOf(b, wish_)};
}

bool Comparison::step(double budgetMs) {
    const Zone zone("time A and B");
    const Clock::time_point start = Clock::now();
    while (!ended_) {
        if (warm_ || (warm_ = warmUp())) playRound();
        for (const auto& side : sides_) {
            if (!side->problem().empty()) problem_ = side->problem();
        }
        ended_ |= !problem_.empty();
        if (millisecondsSince(start) >= budgetMs) break;
    }
    return ended_;
}

bool Comparison::warmUp() {
    for (const auto& side : sides_) {
        if (!side->prepare() || !side->problem().empty()) return false;
    }
    alignPasses();
    return true;
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
void Comparison::playRound() {
    if (played_ == 0) {
        random_ = random_ * 1664525u + 1013904223u;  // Numerical Recipes, section 7.1
        first_ = random_ >> 31;
    }
    const Clock::time_point start = Clock::now();
    const bool ended = sides_[(first_ + played_) % 2]->play();
    spentMs_ += millisecondsSince(start);
    if (!ended || ++played_ < 2) return;
    played_ = 0;
    ++rounds_;
    ended_ = stopping_.enough(evidence());
}

Evidence Comparison::evidence() const {
    return {rounds_, spentMs_ / 1e3, [this] { return result().samples; }};
}

double Comparison::share() const {
    return ended_ ? 1 : stopping_.share(evidence());
}

CompareResult Comparison::result() const {
    CompareResult result;
    std::array<std::vector<double>, 2> rays, samples;
    for (int i = 0; i < 2; ++i) {
        const Trial& side = *sides_[i];
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
    result.narrow = stopping_.narrow();
    result.rounds = rounds_;
    return result;
}

}  // namespace rayscope
