#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/code/kernel_symbol.h"

namespace rayscope {

/// The lines of one of the kernels in the text of their program's PTX: without the others, without
/// what is there for debuggers and without variables that nothing uses. Functions and variables
/// that they share stay. Names are short: kernels are called by theirs, and a variant within the
/// name of something else is "V".
std::vector<std::string> ptxOf(std::string_view ptx, const std::vector<KernelSymbol>& kernels,
                               size_t which);

/// What counts of such a line when two are compared: registers lose their numbers, and labels, too.
std::string ptxKey(std::string_view line);

}  // namespace rayscope
