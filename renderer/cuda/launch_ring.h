#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <vector>

#include "renderer/backend/session.h"
#include "renderer/base/elapsed.h"

namespace rayscope {

class CudaSession;
class LoadedKernel;

/// What the host knows of a launch when it is made.
struct LaunchRecord {
    CudaSession* session = nullptr;          ///< that made it; nullptr once it is gone
    std::shared_ptr<LoadedKernel> kernel;    ///< stays loaded until the launch is done
    const char* name = "kernel";             ///< on the timeline
    int firstRow = 0, rows = 0, height = 0;  ///< of a picture of this height
    long pixels = 0;
    int samples = 0;
    bool timed = false;     ///< counts for rates (FrameStats::timedRays)
    bool fills = false;     ///< keeps the device as busy as the picture allows
    double fill = 0;        ///< FrameStats::fill
    double expectedMs = 0;  ///< 0: unknown
    /// If the host works between kernels: the time of the kernels, the time of everything, and the
    /// rays that the host has counted. kernelMs < 0: it does not.
    double kernelMs = -1, wallMs = 0;
    unsigned long long hostCameraRays = 0, hostShadowRays = 0;
};

struct FinishedLaunch {
    LaunchRecord record;
    Rays rays;
    double kernelMs = 0;  ///< FrameStats::kernelMs
    double ms = 0;        ///< what the launch took of a budget
};

/// The launches under way, oldest first. Each has its own events and ray counters, with a pinned
/// copy in host memory, so that nothing waits for results.
class LaunchRing {
public:
    LaunchRing();
    ~LaunchRing();
    LaunchRing(const LaunchRing&) = delete;
    LaunchRing& operator=(const LaunchRing&) = delete;

    bool full() const { return used_ == kSlots; }
    bool empty() const { return used_ == 0; }

    /// Call right before a launch, not while full(). Returns zeroed ray counters for it.
    unsigned long long* begin();
    /// Call right after the launch.
    void end(const LaunchRecord& record);
    /// The session is gone: nobody takes the results of its launches.
    void forget(const CudaSession& session);
    /// Takes the oldest launch; false if it is not done yet. Does not wait.
    bool takeFinished(FinishedLaunch& finished);
    /// Waits for the oldest launch, at most this long. Returns the milliseconds waited.
    double waitForOldest(double atMostMs);
    /// What the launches under way are expected to take from now on; those of unknown length count
    /// as 0.
    double queuedMs() const;

private:
    struct Slot {
        cudaEvent_t start = nullptr, stop = nullptr, copied = nullptr;
        unsigned long long* device = nullptr;
        unsigned long long* host = nullptr;
        LaunchRecord record;
    };
    static constexpr int kSlots = 64;  ///< more launches than fit between two frames

    void* device_ = nullptr;  ///< memory of all slots' counters
    void* host_ = nullptr;
    std::array<Slot, kSlots> slots_;
    int oldest_ = 0;
    int used_ = 0;
    Clock::time_point begun_;    ///< the oldest, as far as the host can tell
    Clock::time_point running_;  ///< when it was last seen not to be done
};

}  // namespace rayscope
