#pragma once

#include <optional>
#include <string>

#include "renderer/base/elapsed.h"

namespace rayscope {

/// Work done step by step: a window gives it a part of each frame, a command plays it to its end.
class Job {
public:
    virtual ~Job() = default;
    /// Works for about so long; true when it has ended. Throws std::runtime_error where a device
    /// fails.
    virtual bool step(double budgetMs) = 0;
    /// The part that is done, 0 to 1; a guess before the end.
    virtual double share() const = 0;
    /// What is under way, in a few words; may be empty.
    virtual std::string label() const { return {}; }
    /// Gives up and frees what only the rest of the work needs; what is known stays.
    virtual void cancel() {}
    /// Why it ended without a result; empty where it did not.
    const std::string& problem() const { return problem_; }
    /// At the pace so far; nothing before it is known.
    std::optional<double> secondsLeft() const {
        const double done = share();
        if (done <= kKnownShare) return {};
        return 1e-3 * millisecondsSince(begun_) / done * (1 - done);
    }

protected:
    std::string problem_;

private:
    static constexpr double kKnownShare = .01;
    Clock::time_point begun_ = Clock::now();
};

/// Of a step, where nobody waits for a frame: often enough for a progress bar and Ctrl-C, seldom
/// enough that the seams between steps cost nothing.
inline constexpr double kPlayedStepMs = 100;

/// Steps a job until it has ended, or `goOn`, which is asked after each step, says no: false then.
template <class GoOn>
bool playWhile(Job& job, GoOn goOn) {
    while (!job.step(kPlayedStepMs)) {
        if (!goOn()) return false;
    }
    return true;
}

inline void playToEnd(Job& job) {
    playWhile(job, [] { return true; });
}

}  // namespace rayscope
