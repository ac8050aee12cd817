#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"

namespace rayscope {

/// The machine code of one kernel, from the sections of the ELF file that NVRTC makes.
struct CubinKernel {
    int codeBytes = 0;      ///< padding included
    int instructions = 0;   ///< padding excluded
    int sharedBytes = 0;    ///< static, per block
    int constantBytes = 0;  ///< constants that the compiler has put into memory
    /// Hash of the code, its constants, and the sizes of its parameters and memory: kernels with
    /// equal digests do the same. Names and line numbers do not count.
    std::uint64_t digest = 0;
    bool operator==(const CubinKernel&) const = default;
};

/// The kernels of these names, in that order; fails if the bytes, which may be anything, are no
/// cubin or lack one of them. For sm_70 and newer, whose instructions have 16 bytes each. Functions
/// that belong to no single kernel count for all of them.
Result<std::vector<CubinKernel>> readCubin(std::string_view bytes,
                                           const std::vector<std::string>& names);

}  // namespace rayscope
