#pragma once

#include <functional>
#include <string>
#include <vector>

#include "renderer/backend/kernel_code.h"
#include "renderer/code/host_mix.h"
#include "renderer/code/instruction_mix.h"
#include "renderer/code/line_diff.h"

namespace rayscope {

/// The forms in which a program is read. sass: machine code, of a CPU as well, where it is called
/// assembly; a CPU has no PTX.
enum class CodeForm { source, ptx, sass };

/// "PTX", "SASS"; "assembly" of a CPU (`host`)
const char* nameOf(CodeForm form, bool host);

/// One kernel in PTX or machine code.
struct Listing {
    std::vector<std::string> lines;
    /// Each line as it is compared: ptxKey(), sassKey() or hostKey().
    std::vector<std::string> keys;
    InstructionMix mix;  ///< of a GPU,
    HostMix hostMix{};   ///< of a CPU; the other has nothing
    int instructions() const { return mix.total() + hostMix.total(); }
};

/// A kind of instructions in words, "FP32" or "FP arithmetic, 256 bits", and how many there are.
struct MixRow {
    std::string name;
    int count = 0;
};
/// All kinds, also those of which there are none, in an order of their own. Of a CPU's (`host`)
/// also how many of them read or write memory, and the stack.
std::vector<MixRow> mixRows(const Listing& listing, bool host);

/// "sm_90", "x86-64"
std::string targetOf(const KernelCode& code);

/// A program in all its forms.
struct ReadCode {
    CodeWish wish;
    std::string
        problem;  ///< why there is no code, perhaps the compiler's log; the rest is then empty
    KernelCode code;
    std::vector<KernelSource> files;  ///< kernelFiles()
    std::vector<Listing> ptx, sass;   ///< as code.kernels
    std::string tool;                 ///< the disassembler that wrote the machine code
    std::string noSass;               ///< why there is none

    bool host() const { return code.host(); }
    /// Machine code if there is some, else PTX.
    const std::vector<Listing>& best() const { return listings(bestForm()); }
    CodeForm bestForm() const { return sass.empty() && !host() ? CodeForm::ptx : CodeForm::sass; }
    const std::vector<Listing>& listings(CodeForm form) const {
        return form == CodeForm::sass ? sass : ptx;
    }
};

/// Compiles (or takes from the cache) and disassembles, which takes up to some seconds on any
/// thread. `goOn` as in run_program.h.
ReadCode readCode(const CodeWish& wish, const std::function<bool()>& goOn = {});

/// Machine code that is there already, disassembled: without a wish, files and PTX.
ReadCode readMachineCode(KernelCode code, const std::function<bool()>& goOn = {});

/// The same as readCode() without files, PTX and SASS.
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
