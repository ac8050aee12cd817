#pragma once

#include <string>
#include <variant>
#include <vector>

#include "renderer/backend/kernel_sources.h"
#include "renderer/cuda/kernel_names.h"

// Kernels are compiled while the program runs, by NVRTC, which is loaded at run time. Needs no GPU.

namespace rayscope {

/// One kernel of a program and what its compiler said of it.
struct CompiledFunction {
    Stage stage = Stage::whole;
    std::string loweredName;  ///< what the machine code calls it
    int registers = -1;       ///< a thread
    int spillBytes = -1;      ///< a thread: stores + loads
    int stackBytes = -1;      ///< a thread: frame of the kernel itself
    int frameBytes = 0;       ///< a thread: largest frame of a function that the kernel calls
    bool operator==(const CompiledFunction&) const = default;
};

/// The program of a variant for one architecture.
struct CompiledKernel {
    std::string code;                         ///< machine code, or the text of PTX
    std::vector<CompiledFunction> functions;  ///< as stagesOf() lists them
    std::string log;
    double compileMs = 0;  ///< 0 where it came from the cache
};

/// Version and architectures of the installed NVRTC.
struct CompilerInfo {
    int major = 0, minor = 0;
    std::vector<int> architectures;  ///< 75, 80, ...; ascending
};

/// The installed NVRTC, or one sentence that says why there is none.
std::variant<CompilerInfo, std::string> compilerInfo();

/// The newest architecture whose machine code runs on a device of this compute capability (90 for
/// 9.0), or 0 where NVRTC knows none: machine code runs on later minor revisions.
int architectureFor(int capability, const CompilerInfo& info);

/// NVRTC's options for the variant.
std::vector<std::string> compileFlags(const Variant& variant, int architecture);

/// The compiled kernel, or the compiler's log where it does not compile (or, in one sentence, why
/// NVRTC could not start). May be called from any thread; takes 0.1 to 1 s.
std::variant<CompiledKernel, std::string> compile(const Variant& variant, int architecture,
                                                  const std::vector<KernelSource>& sources);

/// The lines of a log that are not the statistics which the kernel is compiled with (ptxas -v):
/// warnings. A correct kernel has none.
std::string warningsIn(const std::string& log);

}  // namespace rayscope
