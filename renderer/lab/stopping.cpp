#include "renderer/lab/stopping.h"

#include <algorithm>

namespace rayscope {

namespace {

constexpr int kFewestForSpread = 2;  ///< one pass has none
constexpr double kUntilNextLook = 1.25;

}  // namespace

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

}  // namespace rayscope
