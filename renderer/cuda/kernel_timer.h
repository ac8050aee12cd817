#pragma once

#include <cuda_runtime_api.h>

#include <vector>

namespace rayscope {

/// The time of kernels between which the host works. Each has a zone on the timeline.
class KernelTimer {
public:
    KernelTimer() = default;
    ~KernelTimer();
    KernelTimer(const KernelTimer&) = delete;
    KernelTimer& operator=(const KernelTimer&) = delete;

    void begin(const char* name) { begin(name, true); }
    void end();

    /// Milliseconds between each begin() and its end() since the last call. Waits for the last.
    double take();

private:
    friend class CopyZone;

    struct Span {
        cudaEvent_t began = nullptr, ended = nullptr;
        const char* name = "";
        bool counts = false;  ///< for take(); copies do not
    };
    void begin(const char* name, bool counts);

    std::vector<Span> spans_;
    size_t used_ = 0;
};

/// Copies from here to the end of the block have a zone where anybody wants zones, and no time.
/// take() follows.
class CopyZone {
public:
    CopyZone(KernelTimer& timer, const char* name);
    ~CopyZone();
    CopyZone(const CopyZone&) = delete;
    CopyZone& operator=(const CopyZone&) = delete;

private:
    KernelTimer* timer_;  ///< nullptr: nobody wants zones
};

}  // namespace rayscope
