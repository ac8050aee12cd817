#pragma once

#include <cuda_runtime_api.h>

#include <vector>

namespace rayscope {

/// The time of kernels between which the host works.
class KernelTimer {
public:
    KernelTimer() = default;
    ~KernelTimer();
    KernelTimer(const KernelTimer&) = delete;
    KernelTimer& operator=(const KernelTimer&) = delete;

    void begin() { record(); }
    void end() { record(); }

    /// Milliseconds between each begin() and its end() since the last call. Waits for the last.
    double take();

private:
    void record();

    std::vector<cudaEvent_t> events_;
    size_t used_ = 0;
};

}  // namespace rayscope
