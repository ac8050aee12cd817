#pragma once

#include <functional>
#include <string>

#include "renderer/base/result.h"
#include "renderer/compile/program.h"

namespace rayscope {

/// Asked about ten times a second by what waits for another process; false ends that.
using GoOn = std::function<bool()>;

/// Makes machine code at run time: NVRTC, g++ or clang++. Any thread may call it.
class Compiler {
public:
    virtual ~Compiler() = default;

    /// "NVRTC 13.0", "g++ 12.2.0": a part of every key, shown in reports. Of one that is not
    /// installed: that with which the build made its kernels. Fails with a sentence that says what
    /// to install where there is neither.
    virtual Result<std::string> version() const = 0;

    /// Compiles the program, which takes 0.1 to some seconds. `sources` are sourcesOf() it. The
    /// reason of a failure is the compiler's log, or a sentence if it cannot start.
    virtual Result<CompiledKernel> compile(const KernelProgram& program,
                                           const std::vector<KernelSource>& sources,
                                           const GoOn& goOn) const = 0;
};

}  // namespace rayscope
