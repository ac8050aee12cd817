#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <memory>
#include <vector>

#include "renderer/backend/session.h"

namespace rayscope {

class CudaSession;
class LoadedKernel;

/// What the host knows of a launch when it is made.
struct LaunchRecord {
    CudaSession* session = nullptr;        ///< that made it; nullptr where it is gone
    std::shared_ptr<LoadedKernel> kernel;  ///< stays loaded until it is done
    const char* name = "kernel";           ///< on the timeline
    long pixels = 0;
    int samples = 0;
    bool timed = false;     ///< counts for rates (FrameStats::timedRays)
    bool fills = false;     ///< keeps the device as busy as the picture allows
    double expectedMs = 0;  ///< 0: unknown
    /// Where the host works between the kernels: the time of these alone, of all, and what the host
    /// has counted. kernelMs < 0: it does not.
    double kernelMs = -1, wallMs = 0;
    unsigned long long hostCameraRays = 0, hostShadowRays = 0;
};

struct FinishedLaunch {
    LaunchRecord record;
    Rays rays;
    double kernelMs = 0;  ///< FrameStats::kernelMs
    double ms = 0;        ///< that the launch took of a budget
};

/// The launches on their way, oldest first. Each has a pair of events, ray counters on the device
/// and a pinned copy of them, so that nothing waits for a result.
class LaunchRing {
public:
    LaunchRing();
    ~LaunchRing();
    LaunchRing(const LaunchRing&) = delete;
    LaunchRing& operator=(const LaunchRing&) = delete;

    bool full() const { return used_ == kSlots; }
    bool empty() const { return used_ == 0; }

    /// Zeroed counters for the next launch, which comes right after. Not while full().
    unsigned long long* begin();
    /// Right after the launch.
    void end(const LaunchRecord& record);

    /// The session is gone: nobody takes the results of its launches.
    void forget(const CudaSession& session);

    /// The oldest launch where it is done: true and the result. Does not wait.
    bool takeFinished(FinishedLaunch& finished);

    /// Waits for the oldest launch, no longer than this. Returns the milliseconds waited.
    double waitForOldest(double atMostMs);

    /// Expected work on the device that is not done; of launches of unknown length nothing.
    double queuedMs() const;

private:
    struct Slot {
        cudaEvent_t start = nullptr, stop = nullptr, copied = nullptr;
        unsigned long long* device = nullptr;
        unsigned long long* host = nullptr;
        LaunchRecord record;
    };
    static constexpr int kSlots = 16;  ///< more launches than fit between two frames

    std::array<Slot, kSlots> slots_;
    int oldest_ = 0;
    int used_ = 0;
};

}  // namespace rayscope
