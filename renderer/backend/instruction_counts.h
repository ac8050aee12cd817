#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace rayscope {

/// How often an instruction was executed: by warps, by their active lanes, and by those of these
/// whose predicate was true.
struct InstructionCount {
    std::uint32_t address = 0;  ///< in its kernel; of a CPU, in the object
    std::uint64_t warps = 0, lanes = 0, on = 0;
};

struct KernelCounts {
    std::string symbol;
    std::vector<InstructionCount> instructions;  ///< in ascending order; all that were executed
};

/// How often warps were seen at an instruction, by what they waited for.
struct InstructionStalls {
    std::uint32_t address = 0;           ///< in its kernel
    std::vector<std::uint64_t> samples;  ///< by StallSamples::reasons
};

struct KernelStalls {
    std::string symbol;
    std::vector<InstructionStalls> instructions;  ///< in ascending order; all that were seen
};

/// Where warps were, looked up at regular times: a share of the samples is a share of their time.
struct StallSamples {
    /// CUPTI's names: "long_scoreboard"; also "selected", a warp that issues, and "not_selected",
    /// one that could.
    std::vector<std::string> reasons;
    std::vector<KernelStalls> kernels;
    std::uint64_t dropped = 0;  ///< samples that found no room
};

/// Where a CPU's threads were, looked up at regular times of their own clocks: a share of the
/// samples is a share of their time.
struct HostSamples {
    struct At {
        std::uint64_t address = 0;  ///< in the kernels' object
        std::uint64_t samples = 0;
    };
    std::vector<At> at;         ///< in ascending order; all that were seen
    std::uint64_t outside = 0;  ///< samples in other code: the program, libraries
    std::uint64_t dropped = 0;  ///< samples that found no room

    std::uint64_t inside() const {
        std::uint64_t sum = 0;
        for (const At& one : at) sum += one.samples;
        return sum;
    }
};

/// The standard error of a share of so many samples: that of a binomial distribution.
inline double shareError(double share, std::uint64_t samples) {
    return samples > 0 ? std::sqrt(share * (1 - share) / static_cast<double>(samples)) : 0;
}

}  // namespace rayscope
