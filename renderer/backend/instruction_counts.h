#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rayscope {

/// How often an instruction was executed: by warps, by their active lanes, and by those of these
/// whose predicate was true.
struct InstructionCount {
    std::uint32_t address = 0;  ///< in its kernel
    std::uint64_t warps = 0, lanes = 0, on = 0;
};

struct KernelCounts {
    std::string symbol;
    std::vector<InstructionCount> instructions;  ///< in ascending order; all that were executed
};

}  // namespace rayscope
