#pragma once

#include "renderer/base/thread_pool.h"
#include "renderer/cpu/hot_sampler.h"
#include "renderer/cpu/pass_loop.h"
#include "renderer/cpu/thread_counters.h"

// What this process and the one that runs an edited kernel tell each other. Whatever comes from
// there may be anything at all: it is copied, and checked, before it is used.

namespace rayscope {

/// Its descriptors: what it is given, which it only reads, what it works in, and a socket.
inline constexpr int kGivenFile = 3, kWorkFile = 4, kChannel = 5;

/// What is said on the socket, in a byte.
inline constexpr char kLoaded = 'l', kNotLoaded = 'n', kPass = 'p', kDone = 'd';

/// Exit codes of its own.
inline constexpr int kDenied = 90, kGivenUp = 91;

/// Memory that a kernel can have for itself, bytes.
inline constexpr std::size_t kOwnHeap = std::size_t{64} << 20;

/// At the beginning of what it works in.
struct ApartReport {
    std::atomic<int> next;  ///< of the pass's pixels, the first that no thread has taken
    WorkTime time;          ///< of the pass
    long denied;            ///< the number of the system call that was not permitted
    char problem[512];      ///< why the kernel is not loaded
    ObjectInMemory kernel;  ///< the object that it is in
    char unsampled[128];    ///< why its threads cannot be sampled
};

/// At the beginning of what it is given.
struct ApartOrders {
    int threads;
    const unsigned char* object;  ///< a shared object with one kernel
    std::size_t objectBytes;
    ApartReport* report;
    ThreadCounters* counters;  ///< by thread
    SampleBuffer* samples;     ///< by thread
    // of a pass:
    PassPlan plan;
    bool inDouble, sampled;
    LaunchParams<float> singleLaunch;
    LaunchParams<double> doubleLaunch;
    const unsigned char* memory;  ///< the first thread's, as a RenderKernel takes it
    std::size_t memoryBytes;      ///< from a thread's to the next; 0: kernels take none
};

}  // namespace rayscope
