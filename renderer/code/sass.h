#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/code/kernel_symbol.h"

namespace rayscope {

/// The lines of one of the kernels in what nvdisasm or cuobjdump writes of their program,
/// "0040  @!P0 BRA `(.L_x_3)" and ".L_x_3:": the address, then the instruction, without its
/// encoding, without the empty instructions at the end and without the other kernels. Functions
/// that they share stay; names are short.
std::vector<std::string> sassOf(std::string_view disassembly,
                                const std::vector<KernelSymbol>& kernels, size_t which);

/// The instruction of such a line without its address; empty where it is a label.
std::string_view instructionOf(std::string_view line);

/// What counts of such a line when two are compared: the instruction with registers, predicates,
/// barriers and labels without their numbers, and without the hint of which operands to keep.
std::string sassKey(std::string_view line);

}  // namespace rayscope
