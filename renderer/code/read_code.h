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
    std::vector<std::string> keys;  ///< each line as it is compared: ptxKey() or sassKey()
    InstructionMix mix;
};

/// A program in all its forms.
struct ReadCode {
    CodeWish wish;
    std::string
        problem;  ///< why there is no code, perhaps the compiler's log; the rest is then empty
    KernelCode code;
    std::vector<KernelSource> files;  ///< kernelFiles()
    std::vector<Listing> ptx, sass;   ///< as code.kernels
    std::string tool;                 ///< the disassembler that wrote the SASS
    std::string noSass;               ///< why there is no SASS

    /// SASS if there is some, else PTX.
    const std::vector<Listing>& best() const { return sass.empty() ? ptx : sass; }
    CodeForm bestForm() const { return sass.empty() ? CodeForm::ptx : CodeForm::sass; }
    const std::vector<Listing>& listings(CodeForm form) const {
        return form == CodeForm::sass ? sass : ptx;
    }
};

/// Compiles (or takes from the cache) and disassembles, which takes up to some seconds on any
/// thread. `goOn` as in run_program.h.
ReadCode readCode(const CodeWish& wish, const std::function<bool()>& goOn = {});

/// The same without files, PTX and SASS.
ReadCode readFacts(const CodeWish& wish);

/// How a kernel of B differs from that of A.
struct KernelDiff {
    const Listing *a = nullptr, *b = nullptr;  ///< nullptr: this side has no such kernel
    std::vector<DiffLine> lines;
};
KernelDiff diffKernel(const ReadCode& a, const ReadCode& b, const std::string& kernel,
                      CodeForm form);

/// The names of the kernels of both, B's first.
std::vector<std::string> kernelNames(const ReadCode* a, const ReadCode& b);

}  // namespace rayscope
