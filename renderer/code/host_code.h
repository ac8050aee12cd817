#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/backend/host_object.h"
#include "renderer/code/host_mix.h"

// The machine code of a CPU's kernels as text.

namespace rayscope {

struct HostInstruction {
    std::uint64_t address = 0;  ///< in the object
    int bytes = 0;
    /// In Intel's syntax, "vaddps ymm0,ymm1,ymm2"; functions by their bare names: "call scatter".
    std::string text;
    std::uint64_t target = 0;  ///< of a call or a jump, in the object; 0: it is neither, or unknown
};

/// A function as it was disassembled.
struct HostFunctionCode {
    std::string symbol;
    std::string name;  ///< "closestHit", and "closestHit.cold" for what g++ has moved out of it
    std::vector<HostInstruction> instructions;
};

/// What runs when the kernel of this symbol is called: the kernel, then the functions of the object
/// that it calls or jumps to, and those that these call, in the order of their calls. Calls through
/// pointers and of other libraries lead nowhere. Empty if the text of `objdump -d -M intel -w` has
/// no such function.
std::vector<HostFunctionCode> hostFunctions(std::string_view disassembly, const HostObject& object,
                                            const std::string& kernel);

/// The functions line by line, as sassOf() gives those of a GPU: "closestHit:", and
/// "1a40  vaddps ymm0,ymm1,ymm2   ; shapes.h:65" with the address and where it is from. `lines`: of
/// the same object, or empty.
std::vector<std::string> hostListing(const std::vector<HostFunctionCode>& functions,
                                     const LineTable& lines);

/// Such a line for comparison: without address and source line, and without what the compiler is
/// free to choose: numbers of registers, places on the stack, where data lies and jumps go to. Of a
/// register its width is left, of a call the function.
std::string hostKey(std::string_view line);

HostMix mixOf(const std::vector<HostFunctionCode>& functions);
/// The same by LineTable::places; -1: without a line.
std::map<int, HostMix> mixByPlace(const std::vector<HostFunctionCode>& functions,
                                  const LineTable& lines);

/// Bytes of stack: the frame of the first function and the largest of the others, as far as their
/// first instructions tell.
int stackBytes(const std::vector<HostFunctionCode>& functions);

}  // namespace rayscope
