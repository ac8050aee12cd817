#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/result.h"

// PTX that counts its own basic blocks.

namespace rayscope {

/// File and line, then those of the calls through which it was inlined, as a LineTable tells them.
/// A file is named as among the sources (sourceOf()).
using InlinedLine = std::vector<std::pair<std::string, int>>;

/// The lines of a kernel, or of the functions that kernels call.
struct PtxLines {
    /// How many instructions of a line each block has, by the blocks' numbers.
    std::map<InlinedLine, std::map<int, int>> blocks;
    std::set<InlinedLine> calls;  ///< those that call a function
};

/// A program that does the same and counts meanwhile.
struct CountingTwin {
    std::string ptx;
    int blocks = 0;
    std::map<std::string, PtxLines, std::less<>> kernels;  ///< by symbol; "": what they call
};

/// The variable of the twin in which it counts: of each block two numbers of 64 bits, how often
/// warps have entered it and with how many lanes together. The driver sets it to zero on loading.
inline constexpr const char* kBlockCounters = "rayscopeBlocks";

/// The twin of a program that NVRTC has made with line information. Nothing but counting is added,
/// so kernels have the same names and parameters; they use a few more registers. A block begins at
/// a label and after a branch, as the PTX ISA has them. Fails where a body has no end.
Result<CountingTwin> countingTwin(std::string_view ptx, const std::vector<std::string>& sources);

}  // namespace rayscope
