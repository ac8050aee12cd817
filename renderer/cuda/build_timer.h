#pragma once

#include <cuda_runtime_api.h>

namespace rayscope {

/// Times what is put on the default stream between begin() and end(), without waiting for it.
class BuildTimer {
public:
    BuildTimer() = default;
    ~BuildTimer();
    BuildTimer(const BuildTimer&) = delete;
    BuildTimer& operator=(const BuildTimer&) = delete;

    /// While the work of an earlier call is still under way, this one is not timed.
    void begin();
    void end();
    /// Milliseconds of the last that is done; -1: none is. Gives each a zone on the timeline.
    double ms();

private:
    cudaEvent_t began_ = nullptr, ended_ = nullptr;
    bool timing_ = false;   ///< between begin() and end()
    bool pending_ = false;  ///< after end(), until it is known to be done
    double ms_ = -1;
};

}  // namespace rayscope
