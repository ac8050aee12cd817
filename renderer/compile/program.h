#pragma once

#include <string>
#include <vector>

#include "renderer/compile/kernel_sources.h"
#include "renderer/core/stage.h"
#include "renderer/core/variant.h"

// What is compiled at run time, and what becomes of it.

namespace rayscope {

class Compiler;

/// What a compiler is asked for.
struct KernelProgram {
    struct Kernel {
        Stage stage;
        std::string name;  ///< a C++ expression: "rayscope::megakernel<rayscope::Variant{...}>"
        bool operator==(const Kernel&) const = default;
    };
    const Compiler* compiler = nullptr;
    std::string source;  ///< the file with the kernels
    std::vector<Kernel> kernels;
    std::vector<std::string> flags;
    Code code = Code::machine;
    bool operator==(const KernelProgram&) const = default;
};

/// One kernel of a program and the compiler's statistics; -1: unknown.
struct CompiledFunction {
    Stage stage = Stage::whole;
    std::string loweredName;  ///< its name in the machine code
    int registers = -1;       ///< per thread
    int spillBytes = -1;      ///< per thread: stores + loads
    int stackBytes = -1;      ///< per thread: frame of the kernel itself
    int frameBytes = 0;       ///< per thread: largest frame of a function that the kernel calls
    bool operator==(const CompiledFunction&) const = default;
};

struct CompiledKernel {
    std::string code;  ///< machine code: a cubin or a shared object; or the text of PTX
    std::vector<CompiledFunction> functions;  ///< as KernelProgram::kernels
    std::string log;
    double compileMs = 0;  ///< 0 if it came from the cache
};

/// The number of this name's function in a program, or -1.
int indexOf(const CompiledKernel& compiled, Stage stage);

/// "extend"
const char* nameOf(Stage stage);

/// "rayscope::Variant{.tile = ...}": a variant in C++, with only the members that differ from the
/// defaults, so that it has one spelling.
std::string variantExpression(const Variant& variant);

/// The file that the program is compiled from and those that it includes, in the order of
/// inclusion. Empty if its file is not among the sources.
std::vector<KernelSource> sourcesOf(const KernelProgram& program,
                                    const std::vector<KernelSource>& all);

}  // namespace rayscope
