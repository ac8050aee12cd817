#include "ui/budget.h"

#include <algorithm>
#include <utility>

namespace rayscope {

namespace {

/// The CPU renderer shares nothing with the display but the cores: 25 frames a second leave room
/// for a frame that takes longer. On the display's own GPU kernels are short enough for 60.
constexpr double kFrameMs = 40, kSharedFrameMs = 1000. / 60;
constexpr double kMostMs = 25, kLeastMs = 4;
/// Where the rest of the frame takes long (a large window on software OpenGL), saving on tracing
/// helps little: it gets this share of the rest.
constexpr double kLeastShare = .25;
/// Tracing over drawing, where nobody waits for the next frame.
constexpr double kRestFactor = 3;
/// Of what a job took too long more is let off: frames of a second cannot make up for it.
constexpr double kMostJobOverMs = 100;
constexpr double kSharedMarginMs = 2;  ///< for drawing, which the GPU does after the kernels

/// Of the time between two pictures of the display: what is left is for drawing them.
constexpr double kWholeShare = .75;
/// A frame that takes more than this of it comes too late, and the next has this much less to do.
constexpr double kLate = 1, kLateStep = .9, kEarlyStep = 1.02;
/// Frames are not drawn for more pictures than the display shows, with this much room to be in
/// time.
constexpr double kFrameShare = .97;
/// So much is to be left to do after the swap: less may turn out to be nothing.
constexpr double kLeftMs = 2;
constexpr double kMostAheadMs = 25;
/// Steps of what is given ahead: up where the device had nothing left, else towards kLeftMs.
constexpr double kDryFactor = 1.25, kAheadShare = .1;

/// How much of the newest frame enters the average; one slow frame (a screenshot) says little.
constexpr double kShare = .1;

}  // namespace

void FrameBudget::beginFrame(double now, double secondsSinceLast) {
    began_ = now;
    lastFrame_ = secondsSinceLast;
    jobOverMs_ = std::max(jobOverMs_ - std::max(kFrameMs - 1e3 * lastFrame_, kLeastMs), 0.);
}

void FrameBudget::endTrace(double now, double givenMs) {
    traced_ += now - mark_;
    beyondMs_ = (now - mark_) * 1e3 - givenMs;
}

void FrameBudget::endJob(double now, double givenMs) {
    traced_ += now - mark_;
    const double over = (now - mark_) * 1e3 - givenMs;
    jobOverMs_ = std::clamp(jobOverMs_ + over, 0., kMostJobOverMs);
}

void FrameBudget::endSwap(double now, bool waits) {
    const double end = waits ? mark_ : now;
    const double whole = now - frameEnd_ - (now - end);
    frameEnd_ = now;
    if (std::exchange(whole_, false)) {
        const double step = 1e3 * (now - began_) > kLate * intervalMs_ ? kLateStep : kEarlyStep;
        wholeMs_ = std::clamp(step * wholeMs_, kLeastMs, kWholeShare * intervalMs_);
    }
    if (lastFrame_ > 0) otherMs_ += kShare * (std::min((whole - traced_) * 1e3, 60.) - otherMs_);
    // Where there are more threads than cores, the last ones are waited for.
    overMs_ = std::max(overMs_ + kShare * (std::min(beyondMs_, kMostMs) - overMs_), 0.);
    beyondMs_ = 0;
    traced_ = 0;
}

double FrameBudget::milliseconds(bool shared) {
    const double room =
        shared ? kSharedFrameMs - kSharedMarginMs - otherMs_ : kFrameMs - otherMs_ - overMs_;
    const double least = std::clamp(kLeastShare * otherMs_, kLeastMs, kMostMs);
    last_ = std::clamp(room, least, kMostMs);
    return last_;
}

double FrameBudget::millisecondsAtRest() {
    last_ = std::max(milliseconds(false),
                     std::min(kRestFactor * otherMs_, kMostRestMs - otherMs_ - overMs_));
    return last_;
}

void FrameBudget::setRefreshRate(double hertz) {
    constexpr double kLeast = 30, kMost = 240;
    if (hertz >= kLeast && hertz <= kMost) intervalMs_ = 1e3 / hertz;
}

void FrameBudget::swapped(double leftMs) {
    const double wanted =
        leftMs > 0 ? aheadMs_ + kAheadShare * (kLeftMs - leftMs) : kDryFactor * aheadMs_;
    aheadMs_ = std::clamp(wanted, kLeftMs, kMostAheadMs);
}

double FrameBudget::wholeMs() {
    whole_ = true;
    return wholeMs_;
}

double FrameBudget::untilNextFrame(double now) const {
    return std::max(began_ + kFrameShare * intervalMs_ / 1e3 - now, 0.);
}

}  // namespace rayscope
