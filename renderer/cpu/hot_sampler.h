#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "renderer/backend/instruction_counts.h"
#include "renderer/base/result.h"
#include "renderer/base/thread_pool.h"

// Where a processor's threads spend their time.

namespace rayscope {

/// What one thread's timer has seen. May lie in memory that processes share; zero at first.
struct SampleBuffer {
    static constexpr std::size_t kRoom = std::size_t{1} << 16;  ///< a minute's, at least
    std::atomic<std::size_t> count;  ///< may be more than there is room for
    std::uint64_t addresses[kRoom];
};

/// The shortest tick of a usual kernel.
inline constexpr std::chrono::microseconds kSamplingTick{1000};

/// Looks up where threads are, at regular times of their own processor clocks: a thread that waits
/// has no time. The threads' kernels stay as they are; an interruption takes about a microsecond.
/// While there is no sampler nothing is interrupted.
///
/// What is seen is the next instruction to be finished: the time of one that is slow is seen at it
/// or at the one behind it.
///
/// Timers of timer_create(2) with SIGEV_THREAD_ID send SIGPROF to the thread whose clock they are
/// on. Linux looks at these clocks once in each tick of its own, so that there are 100 to 1000
/// samples in a second of a thread, whatever is asked for.
class HotSampler {
public:
    /// `threads`: of this process, by their numbers for the system (gettid(2)). They must outlive
    /// the sampler. Fails where another sampler is at work, or another profiler uses SIGPROF.
    static Result<std::unique_ptr<HotSampler>> start(const std::vector<pid_t>& threads,
                                                     std::chrono::microseconds interval);
    /// The same with buffers of the caller, one for each thread, and as if the interval were
    /// infinite.
    static Result<std::unique_ptr<HotSampler>> prepare(const std::vector<pid_t>& threads,
                                                       std::span<SampleBuffer> buffers);
    ~HotSampler();
    HotSampler(const HotSampler&) = delete;
    HotSampler& operator=(const HotSampler&) = delete;

    /// Samples at this interval from now on; 0: not at all.
    Result<void> setInterval(std::chrono::microseconds interval);

    struct Samples {
        std::vector<std::uint64_t> addresses;  ///< of the next instruction, in this process; sorted
        std::uint64_t dropped = 0;             ///< that found no room
        /// Adds those of a buffer, whatever it may hold.
        void add(const SampleBuffer& buffer);
        void sort();
    };
    /// Ends sampling.
    Samples stop();

private:
    HotSampler();
    struct Threads;
    std::unique_ptr<Threads> threads_;
};

/// A part of this process that was loaded from one file.
struct ObjectInMemory {
    std::uint64_t base = 0;  ///< address 0 of the file's own
    std::uint64_t begin = 0, end = 0;
};

/// The object that has this address in it; an empty one if none does.
ObjectInMemory objectInMemory(const void* address);

/// The samples in the object, at its own addresses; those elsewhere are `outside`.
HostSamples samplesIn(const HotSampler::Samples& samples, const ObjectInMemory& object);

/// Samples all threads of the pool while `work` runs, and finds those in the object that has this
/// function. Not on a thread of the pool.
Result<HostSamples> samplePool(ThreadPool& pool, const void* function,
                               const std::function<void()>& work);

}  // namespace rayscope
