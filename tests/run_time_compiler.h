#pragma once

#include <string>

#ifdef RAYSCOPE_CUDA
#include "renderer/compile/cache.h"
#include "renderer/cuda/compiler.h"
#endif

namespace rayscope {

/// Why no kernel can be compiled here; empty where it can.
inline std::string missingCompiler() {
#ifdef RAYSCOPE_CUDA
    const auto info = compilerInfo();
    return info ? std::string() : info.reason();
#else
    return "built without the CUDA toolkit";
#endif
}

#ifdef RAYSCOPE_CUDA
/// As compile(); what it has given for the same sources, flags and NVRTC lies in the build's
/// folder.
inline Result<CompiledKernel> compileOnce(const Variant& variant, int architecture,
                                          const std::vector<KernelSource>& sources) {
    static const KernelCache cache{RAYSCOPE_COMPILED_KERNELS};
    return compileCached(cache, programOf(variant, architecture), sources);
}
#endif

}  // namespace rayscope

#define SKIP_WITHOUT_NVRTC() \
    if (const std::string reason = missingCompiler(); !reason.empty()) GTEST_SKIP() << reason
