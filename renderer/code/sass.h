#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/code/kernel_symbol.h"

namespace rayscope {

/// The lines of one kernel in the output of nvdisasm or cuobjdump for its program, such as
/// "0040  @!P0 BRA `(.L_x_3)" and ".L_x_3:": address and instruction, without its encoding, the
/// NOPs at the end and the other kernels, but with the functions that the kernels share. Names are
/// shortened by shortName().
std::vector<std::string> sassOf(std::string_view disassembly,
                                const std::vector<KernelSymbol>& kernels, size_t which);

/// The instruction of such a line without its address; empty if it is a label.
std::string_view instructionOf(std::string_view line);

/// Such a line for comparison: the instruction without the numbers of registers, predicates,
/// barriers and labels, and without hints which operands to reuse.
std::string sassKey(std::string_view line);

}  // namespace rayscope
