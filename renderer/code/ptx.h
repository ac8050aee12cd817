#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/code/kernel_symbol.h"

namespace rayscope {

/// The lines of one kernel in its program's PTX: without the other kernels, lines for debuggers and
/// unused variables, but with the functions and variables that the kernels share. Names are
/// shortened by shortName().
std::vector<std::string> ptxOf(std::string_view ptx, const std::vector<KernelSymbol>& kernels,
                               size_t which);

/// Such a line for comparison: registers and labels have no numbers.
std::string ptxKey(std::string_view line);

}  // namespace rayscope
