#pragma once

#include <string>
#include <vector>

namespace rayscope {

/// A compiler's error in one line.
struct CompileError {
    std::string file;  ///< "renderer/core/path.h"
    int line = 0;
    std::string message;  ///< "expected an expression"
    bool operator==(const CompileError&) const = default;
};

/// The errors of a log of NVRTC, "FILE(LINE): error: MESSAGE", or of g++ and clang++,
/// "FILE:LINE:COLUMN: error: MESSAGE", in order; without the warnings.
std::vector<CompileError> errorsIn(const std::string& log);

/// "renderer/core/path.h:12: expected an expression"
std::string describe(const CompileError& error);

}  // namespace rayscope
