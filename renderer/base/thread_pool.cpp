#include "renderer/base/thread_pool.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "renderer/base/elapsed.h"
#include "renderer/base/subnormals.h"
#include "renderer/base/timeline.h"

namespace rayscope {

static double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

int coreCount() {
    cpu_set_t allowed;  // taskset and containers leave fewer than there are
    const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    const int all = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, known ? CPU_COUNT(&allowed) : all);
}

ThreadPool::ThreadPool(int threads) {
    const int count = threads > 0 ? threads : coreCount();
    try {
        for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { loop(i); });
    } catch (const std::exception&) {
        const std::size_t started = threads_.size();
        stop();
        throw std::runtime_error(fmt::format("the system starts {} of {} threads", started, count));
    }
}

ThreadPool::~ThreadPool() {
    stop();
}

void ThreadPool::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread& t : threads_) t.join();
}

WorkTime ThreadPool::run(const std::function<void(int)>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    running_ = size();
    time_ = {};
    began_ = Clock::time_point::max();
    ended_ = Clock::time_point::min();
    ++round_;
    start_.notify_all();
    done_.wait(lock, [this] { return running_ == 0; });
    work_ = nullptr;
    time_.wallMs = milliseconds(ended_ - began_);
    return time_;
}

void ThreadPool::runRange(int count, const std::function<void(int, int, int)>& work) {
    const auto border = [&](int part) { return static_cast<int>(1ll * count * part / size()); };
    run([&](int worker) { work(worker, border(worker), border(worker + 1)); });
}

void ThreadPool::loop(int worker) {
    nameThread("worker " + std::to_string(worker));
    flushSubnormals();
    unsigned seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        start_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
        const std::function<void(int)>& work = *work_;
        lock.unlock();
        const Clock::time_point start = Clock::now();
        const double before = threadMilliseconds();
        {
            const Zone zone("work");
            work(worker);
        }
        const double processorMs = threadMilliseconds() - before;
        const Clock::time_point end = Clock::now();
        const double waitedMs = std::max(milliseconds(end - start) - processorMs, 0.);
        lock.lock();
        began_ = std::min(began_, start);
        ended_ = std::max(ended_, end);
        time_.processorMs += processorMs;
        time_.waitedMs += waitedMs;
        if (--running_ == 0) done_.notify_one();
    }
}

}  // namespace rayscope
