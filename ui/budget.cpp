#include "ui/budget.h"

#include <algorithm>

namespace rayscope {

namespace {

/// The CPU renderer shares nothing with the display but the cores: 25 frames a second leave room
/// for a frame that takes longer. On the display's own GPU kernels are short enough for 60.
constexpr double kFrameMs = 40, kSharedFrameMs = 1000. / 60;
constexpr double kMostMs = 25, kLeastMs = 4;
/// Where the rest of the frame takes long (a large window on software OpenGL), saving on tracing
/// helps little: it gets this share of the rest.
constexpr double kLeastShare = .25;
constexpr double kMostJobMs = 300;     ///< a job is not kept waiting for longer
constexpr double kSharedMarginMs = 2;  ///< for drawing, which the GPU does after the kernels

/// How much of the newest frame enters the average; one slow frame (a screenshot) says little.
constexpr double kShare = .1;

}  // namespace

void FrameBudget::endTrace(double now) {
    traced_ += now - mark_;
}

void FrameBudget::beginSwap(double now) {
    mark_ = now;
}

void FrameBudget::endSwap(double now, bool waits) {
    const double end = waits ? mark_ : now;
    const double whole = now - frameEnd_ - (now - end);
    frameEnd_ = now;
    // Where there are more threads than cores, the last ones are waited for.
    if (traced_ > 0) overMs_ += kShare * (std::min(traced_ * 1e3 - last_, kMostMs) - overMs_);
    if (lastFrame_ > 0) otherMs_ += kShare * (std::min((whole - traced_) * 1e3, 60.) - otherMs_);
    traced_ = 0;
}

double FrameBudget::milliseconds(bool shared) {
    const double room = shared ? kSharedFrameMs - kSharedMarginMs - otherMs_
                               : kFrameMs - otherMs_ - std::max(overMs_, 0.);
    const double least = std::clamp(kLeastShare * otherMs_, kLeastMs, kMostMs);
    last_ = std::clamp(room, least, kMostMs);
    return last_;
}

bool FrameBudget::affordsJob(double ms) {
    jobMs_ -= std::max(ms, kFrameMs - lastFrame_ * 1e3);
    if (jobMs_ > 0) return false;
    jobMs_ = 0;
    return true;
}

void FrameBudget::jobTook(double ms) {
    jobMs_ = std::min(ms, kMostJobMs);
}

}  // namespace rayscope
