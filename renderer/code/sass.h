#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rayscope {

/// The lines of one kernel in what nvdisasm or cuobjdump writes, "0040  @!P0 BRA `(.L_x_3)" and
/// ".L_x_3:": the address, then the instruction, without its encoding, without the empty
/// instructions at the end and without those of the `others`, which are kernels too. Functions that
/// are no kernel's own stay.
std::vector<std::string> sassOf(std::string_view disassembly,
                                const std::vector<std::string>& others);

/// The instruction of such a line without its address; empty where it is a label.
std::string_view instructionOf(std::string_view line);

/// What counts of such a line when two are compared: the instruction with registers, predicates,
/// barriers and labels without their numbers, and without the hint of which operands to keep.
std::string sassKey(std::string_view line);

}  // namespace rayscope
