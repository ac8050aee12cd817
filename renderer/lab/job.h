#pragma once

#include <optional>
#include <string>

#include "renderer/base/elapsed.h"

namespace rayscope {

/// Work done step by step: a window gives it a part of each frame, a command plays it to its end.
class Job {
public:
    virtual ~Job() = default;
    /// Works for about `budgetMs`; true when it has ended. Throws std::runtime_error if a device
    /// fails.
    virtual bool step(double budgetMs) = 0;
    /// The part that is done, 0 to 1; an estimate until the end.
    virtual double share() const = 0;
    /// What is under way, in a few words; may be empty.
    virtual std::string label() const { return {}; }
    /// Stops, and frees what only the rest of the work needs; results so far stay.
    virtual void cancel() {}
    /// Why it ended without a result; empty otherwise.
    const std::string& problem() const { return problem_; }
    /// At the pace so far; none until that is known.
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

/// The budget of a step where no frame waits: short enough for a progress bar and Ctrl-C, long
/// enough that the breaks between steps cost nothing.
inline constexpr double kPlayedStepMs = 100;

/// Steps a job until it has ended; false if `goOn`, asked between steps, says no first.
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
