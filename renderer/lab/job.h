#pragma once

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"

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
    /// What a step asks that takes much longer than its budget: whether the work is still wanted.
    /// Any thread may ask.
    void heed(std::function<bool()> goOn) { goOn_ = std::move(goOn); }
    /// Why it ended without a result; empty otherwise.
    const std::string& problem() const { return problem_; }
    /// At the pace so far, and at first as expectedSeconds() says; none where neither is known.
    std::optional<double> secondsLeft() const {
        const double done = share(), expected = expectedSeconds();
        if (expected <= 0 && done <= kKnownShare) return {};
        const double trust = expected > 0 ? kTrust : 0;
        const double seconds = trust * expected + 1e-3 * millisecondsSince(begun_);
        return seconds / (trust + done) * (1 - done);
    }

protected:
    bool wanted() const { return !goOn_ || goOn_(); }
    /// What it usually takes from its start to its end; 0: that is not known.
    virtual double expectedSeconds() const { return 0; }

    std::string problem_;

private:
    /// An expectation counts as much as what was seen of so much of the work.
    static constexpr double kKnownShare = .01, kTrust = .05;
    Clock::time_point begun_ = Clock::now();
    std::function<bool()> goOn_;
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

/// What the function of a SteppedJob returns: it stops at each co_await, and goes on there.
struct Steps {
    struct promise_type {
        std::exception_ptr error{};
        Steps get_return_object() { return {Handle::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { error = std::current_exception(); }
    };
    using Handle = std::coroutine_handle<promise_type>;
    Handle handle;
};

/// A job that is written as one function, whose variables are destroyed with the job. `zone`: of a
/// step, on the timeline; nullptr: none.
class SteppedJob : public Job {
public:
    explicit SteppedJob(const char* zone = nullptr) : zone_(zone) {}
    SteppedJob(const SteppedJob&) = delete;
    ~SteppedJob() override {
        if (steps_) steps_.destroy();
    }

    bool step(double budgetMs) override {
        std::optional<Zone> zone;
        if (zone_ != nullptr) zone.emplace(zone_);
        stepBegan_ = Clock::now();
        budgetMs_ = budgetMs;
        if (!steps_) steps_ = run().handle;
        while (!ended()) {
            const double before = leftMs();
            if (part_ == nullptr)
                steps_.resume();
            else if (part_->step(leftMs()))
                problem_ = std::exchange(part_, nullptr)->problem();
            if (steps_.promise().error) std::rethrow_exception(steps_.promise().error);
            // half of another turn like this one has to fit
            if (leftMs() <= (before - leftMs()) / 2) break;
        }
        return ended();
    }
    void cancel() override { cancelled_ = true; }
    /// It has done all its work: nobody cancelled it before.
    bool complete() const { return steps_ && steps_.done(); }

protected:
    /// The work. It ends early where there is a problem.
    virtual Steps run() = 0;
    /// `co_await kPause` where the budget may be spent.
    static constexpr std::suspend_always kPause{};
    /// `co_await play(job)` goes on when that has ended, unless with a problem, which is this
    /// job's.
    std::suspend_always play(Job& part) {
        part_ = &part;
        part.heed([this] { return wanted(); });
        return kPause;
    }
    /// Of the budget of the step under way.
    double leftMs() const { return std::max(budgetMs_ - millisecondsSince(stepBegan_), 0.); }
    bool ended() const { return cancelled_ || !problem_.empty() || complete(); }

private:
    const char* zone_;
    Steps::Handle steps_;
    Job* part_ = nullptr;
    Clock::time_point stepBegan_;
    double budgetMs_ = 0;
    bool cancelled_ = false;
};

/// A job of one call that cannot be cut into steps: it runs on a thread, which a step waits for. It
/// begins at once; what it throws, step() does.
template <class T>
class ThreadJob : public Job {
public:
    using Call = std::function<T(const std::stop_token&)>;

    explicit ThreadJob(Call call)
        : call_(std::move(call)),
          future_(std::async(std::launch::async,
                             [this, stop = stop_.get_token()] { return call_(stop); })) {}
    ~ThreadJob() override { cancel(); }

    bool step(double budgetMs) override {
        const std::chrono::duration<double, std::milli> most(budgetMs);
        if (!result_ && future_.wait_for(most) == std::future_status::ready)
            result_ = future_.get();
        return result_.has_value();
    }
    double share() const override { return result_ ? 1 : 0; }
    /// It ends soon, with whatever result.
    void cancel() override { stop_.request_stop(); }
    bool cancelled() const { return stop_.stop_requested(); }
    /// When step() has returned true.
    T& result() { return *result_; }

private:
    Call call_;
    std::stop_source stop_;
    std::optional<T> result_;
    std::future<T> future_;  ///< last: waits for the thread
};

}  // namespace rayscope
