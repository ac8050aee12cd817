#pragma once

#include <string>
#include <variant>
#include <vector>

#include "renderer/cuda/kernel_sources.h"
#include "renderer/variant.h"

// Kernels are compiled while the program runs, by NVRTC, which is loaded at run time. Needs no GPU.

namespace rayscope {

/// A kernel for one architecture and what its compiler said of it.
struct CompiledKernel {
    std::string cubin;
    std::string loweredName;  ///< what the cubin calls it
    std::string log;
    int registers = -1;    ///< a thread
    int spillBytes = -1;   ///< a thread: stores + loads
    int stackBytes = -1;   ///< a thread: frame of the kernel itself
    int frameBytes = 0;    ///< a thread: largest frame of a function that the kernel calls
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

/// What NVRTC calls the kernel, "rayscope::megakernel<rayscope::Variant{...}>": the variant's only
/// spelling.
std::string nameExpression(const Variant& variant);

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
