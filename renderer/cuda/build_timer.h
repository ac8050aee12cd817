#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

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
    /// The name of the zone of what follows; the name must live as long as the program.
    void part(const char* name);
    void end();
    /// Milliseconds of the last that is done; -1: none is. Gives its parts zones on the timeline.
    double ms();

private:
    struct Part {
        const char* name = "";
        cudaEvent_t began = nullptr;
    };
    cudaEvent_t began_ = nullptr, ended_ = nullptr;
    std::vector<Part> parts_;  ///< the first used_ of them are of this time
    size_t used_ = 0;
    bool timing_ = false;   ///< between begin() and end()
    bool pending_ = false;  ///< after end(), until it is known to be done
    double ms_ = -1;
};

}  // namespace rayscope
