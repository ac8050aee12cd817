#pragma once

#include <functional>
#include <string>

#include "renderer/base/result.h"

namespace rayscope {

/// What a disassembler wrote.
struct Disassembly {
    std::string text;
    std::string tool;  ///< "nvdisasm", "objdump"
};

/// The path of nvdisasm or else cuobjdump, from PATH, CUDA_HOME, CUDA_PATH or the toolkit's usual
/// folders; empty if neither is installed.
std::string disassembler();

/// The machine code as text: of a cubin, or of an object for x86-64 by objdump, in Intel's syntax.
/// Takes up to some seconds; `goOn` as in run_program.h. Fails if no disassembler is installed (the
/// reason says which package has one), or with what it wrote.
Result<Disassembly> disassemble(const std::string& code, const std::function<bool()>& goOn = {});

}  // namespace rayscope
