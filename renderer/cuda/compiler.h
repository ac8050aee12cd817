#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/backend/kernel_sources.h"
#include "renderer/cuda/kernel_names.h"

// Compiles kernels with NVRTC, which is loaded at run time. Needs no GPU.

namespace rayscope {

/// One kernel of a program and the compiler's statistics.
struct CompiledFunction {
    Stage stage = Stage::whole;
    std::string loweredName;  ///< its name in the machine code
    int registers = -1;       ///< per thread
    int spillBytes = -1;      ///< per thread: stores + loads
    int stackBytes = -1;      ///< per thread: frame of the kernel itself
    int frameBytes = 0;       ///< per thread: largest frame of a function that the kernel calls
    bool operator==(const CompiledFunction&) const = default;
};

/// A program for one architecture.
struct CompiledKernel {
    std::string code;                         ///< machine code, or the text of PTX
    std::vector<CompiledFunction> functions;  ///< as KernelProgram::kernels
    std::string log;
    double compileMs = 0;  ///< 0 if it came from the cache
};

/// Version and architectures of the installed NVRTC.
struct CompilerInfo {
    int major = 0, minor = 0;
    std::vector<int> architectures;  ///< 75, 80, ...; ascending
};

/// The installed NVRTC.
Result<CompilerInfo> compilerInfo();

/// The newest architecture whose machine code runs on a device of this compute capability (90 for
/// 9.0): the same, or an earlier minor revision. 0 if NVRTC knows none.
int architectureFor(int capability, const CompilerInfo& info);

/// What NVRTC is asked for.
struct KernelProgram {
    struct Kernel {
        Stage stage;
        std::string name;  ///< nameExpression()
    };
    std::string source;  ///< the file with the kernels
    std::vector<Kernel> kernels;
    std::vector<std::string> flags;  ///< NVRTC's options
    Code code = Code::machine;
};

/// The program of a variant, or of a simulation.
KernelProgram programOf(const Variant& variant, int architecture);
KernelProgram programOf(const ForceVariant& variant, int architecture);

/// The option of NVRTC that every program is compiled with, so that its instructions can be told by
/// line. It changes no instruction.
inline constexpr std::string_view kLineInformation = "-lineinfo";

/// NVRTC's options for the variant.
std::vector<std::string> compileFlags(const Variant& variant, int architecture);

/// Compiles a program. The reason of a failure is the compiler's log, or a sentence if NVRTC could
/// not start. May be called from any thread; takes 0.1 to 1 s.
Result<CompiledKernel> compileProgram(const KernelProgram& program,
                                      const std::vector<KernelSource>& sources);

inline Result<CompiledKernel> compile(const Variant& variant, int architecture,
                                      const std::vector<KernelSource>& sources) {
    return compileProgram(programOf(variant, architecture), sources);
}

/// The warnings in a log: the lines that are not statistics (ptxas -v). A correct kernel has none.
std::string warningsIn(const std::string& log);

}  // namespace rayscope
