#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/compile/compiler.h"
#include "renderer/cuda/kernel_names.h"

// Compiles kernels with NVRTC, which is loaded at run time. Needs no GPU.

namespace rayscope {

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

/// The program of a variant, or of a simulation.
KernelProgram programOf(const Variant& variant, int architecture);
KernelProgram programOf(const ForceVariant& variant, int architecture);

/// The option of NVRTC that every program is compiled with, so that its instructions can be told by
/// line. It changes no instruction.
inline constexpr std::string_view kLineInformation = "-lineinfo";

/// NVRTC's options for the variant.
std::vector<std::string> compileFlags(const Variant& variant, int architecture);

/// Compiles in a process of its own what was edited, if that has been asked for (isolation.h).
const Compiler& nvrtcCompiler();

/// Compiles a program in this process. As Compiler::compile().
Result<CompiledKernel> compileProgram(const KernelProgram& program,
                                      const std::vector<KernelSource>& sources);

inline Result<CompiledKernel> compile(const Variant& variant, int architecture,
                                      const std::vector<KernelSource>& sources) {
    return compileProgram(programOf(variant, architecture), sources);
}

/// The warnings in a log: the lines that are not statistics (ptxas -v). A correct kernel has none.
std::string warningsIn(const std::string& log);

}  // namespace rayscope
