#pragma once

#include <functional>
#include <string>
#include <variant>

namespace rayscope {

/// What a disassembler wrote.
struct Disassembly {
    std::string text;
    std::string tool;  ///< "nvdisasm"
};

/// The path of nvdisasm or else cuobjdump, from PATH, CUDA_HOME, CUDA_PATH or the toolkit's usual
/// folders; empty if neither is installed.
std::string disassembler();

/// The machine code as text, or a sentence: no disassembler is installed (and which package has
/// one), or what it said. Takes up to some seconds; `goOn` as in run_program.h.
std::variant<Disassembly, std::string> disassemble(const std::string& cubin,
                                                   const std::function<bool()>& goOn = {});

}  // namespace rayscope
