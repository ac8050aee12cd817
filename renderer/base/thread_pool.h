#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "renderer/base/elapsed.h"

namespace rayscope {

/// How long threads were at work.
struct WorkTime {
    /// From when the first began until the last had ended: without what it takes to wake them and
    /// to tell the caller, which is the same for little work as for much.
    double wallMs = 0;
    double processorMs = 0;  ///< of all threads together
    double waitedMs = 0;     ///< for a core, which other threads or programs had
};

/// A fixed number of threads that all run the same function, once for each call of run(). They take
/// subnormal numbers for zero.
class ThreadPool {
public:
    /// threads: 0: one per core. Throws std::runtime_error if the system starts fewer.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int size() const { return static_cast<int>(threads_.size()); }

    /// Calls work(0) ... work(size() - 1), each on its own thread, and returns when all are done.
    /// The function must not throw, and must not wait for anything.
    WorkTime run(const std::function<void(int)>& work);

    /// Splits [0, count) evenly among the threads: each calls work(worker, begin, end).
    void runRange(int count, const std::function<void(int, int, int)>& work);

private:
    void loop(int worker);
    void stop();

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable start_, done_;
    const std::function<void(int)>* work_ = nullptr;
    WorkTime time_;  ///< of this round
    Clock::time_point began_, ended_;
    unsigned round_ = 0;
    int running_ = 0;
    bool stop_ = false;
};

/// The number of cores this process may use.
int coreCount();

}  // namespace rayscope
