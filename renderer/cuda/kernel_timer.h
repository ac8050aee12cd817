#pragma once

#include <cuda_runtime_api.h>

#include <vector>

namespace rayscope {

/// Times kernels between which the host works, each with a zone on the timeline.
class KernelTimer {
public:
    KernelTimer() = default;
    ~KernelTimer();
    KernelTimer(const KernelTimer&) = delete;
    KernelTimer& operator=(const KernelTimer&) = delete;

    void begin(const char* name) { begin(name, true); }
    void end();

    /// The sum of the milliseconds between begin() and end() since the last call. Waits for the
    /// last kernel.
    double take();

private:
    friend class CopyZone;

    struct Span {
        cudaEvent_t began = nullptr, ended = nullptr;
        const char* name = "";
        bool counts = false;  ///< in take(), where copies do not
    };
    void begin(const char* name, bool counts);

    std::vector<Span> spans_;
    size_t used_ = 0;
};

/// Gives the copies from here to the end of the block a zone, if any sink takes it; their time does
/// not count. A call of take() must follow.
class CopyZone {
public:
    CopyZone(KernelTimer& timer, const char* name);
    ~CopyZone();
    CopyZone(const CopyZone&) = delete;
    CopyZone& operator=(const CopyZone&) = delete;

private:
    KernelTimer* timer_;  ///< nullptr: no sink takes zones
};

}  // namespace rayscope
