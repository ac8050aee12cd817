#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rayscope {

/// What an instruction of machine code does to the flow of control.
struct MachineInstruction {
    std::uint32_t address = 0;  ///< in its kernel
    int block = 0;  ///< its basic block: a warp executes all instructions of one equally often
    std::uint32_t calls = 0;  ///< the address of the function that it calls; 0: none
    bool returns = false;     ///< from such a function
};

/// The instructions of a kernel, from the section of its name in a cubin, without what pads it: for
/// sm_75 to sm_120, whose instructions have 16 bytes each. Blocks begin where branches go to and
/// where lanes meet again, and behind both. Any bytes may be given; a target outside is none.
std::vector<MachineInstruction> machineInstructions(std::string_view code);

}  // namespace rayscope
