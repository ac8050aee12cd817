#pragma once

#include <functional>
#include <string>
#include <vector>

#include "renderer/backend/kernel_code.h"
#include "renderer/code/instruction_mix.h"
#include "renderer/code/line_diff.h"

namespace rayscope {

/// The forms in which a program is read.
enum class CodeForm { source, ptx, sass };

/// One kernel in PTX or SASS.
struct Listing {
    std::vector<std::string> lines;
    std::vector<std::string> keys;  ///< what counts of each line where two are compared
    InstructionMix mix;
};

/// All that is to be read of one program.
struct ReadCode {
    CodeWish wish;
    std::string problem;  ///< the compiler's log, or why there is no code; the rest is empty then
    KernelCode code;
    std::vector<KernelSource> files;  ///< kernelFiles()
    std::vector<Listing> ptx, sass;   ///< as code.kernels
    std::string tool;                 ///< that wrote the SASS
    std::string noSass;               ///< why there is none

    /// SASS where there is some, else PTX.
    const std::vector<Listing>& best() const { return sass.empty() ? ptx : sass; }
    CodeForm bestForm() const { return sass.empty() ? CodeForm::ptx : CodeForm::sass; }
    const std::vector<Listing>& listings(CodeForm form) const {
        return form == CodeForm::sass ? sass : ptx;
    }
};

/// Compiles, or takes from the cache, and disassembles: up to some seconds on any thread. `goOn` as
/// in run_program.h.
ReadCode readCode(const CodeWish& wish, const std::function<bool()>& goOn = {});

/// The same without files, PTX and SASS.
ReadCode readFacts(const CodeWish& wish);

/// How the kernel of this name differs in B from A; where one side has none, everything does.
struct KernelDiff {
    const Listing *a = nullptr, *b = nullptr;
    std::vector<DiffLine> lines;
};
KernelDiff diffKernel(const ReadCode& a, const ReadCode& b, const std::string& kernel,
                      CodeForm form);

/// The names of the kernels of both, B's first.
std::vector<std::string> kernelNames(const ReadCode* a, const ReadCode& b);

}  // namespace rayscope
