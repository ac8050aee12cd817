#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>

#include "renderer/lab/job.h"

namespace rayscope {

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
