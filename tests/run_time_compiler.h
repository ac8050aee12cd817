#pragma once

#include <string>
#include <variant>

#ifdef RAYSCOPE_CUDA
#include "renderer/cuda/compiler.h"
#endif

namespace rayscope {

/// Why no kernel can be compiled here; empty where it can.
inline std::string missingCompiler() {
#ifdef RAYSCOPE_CUDA
    const auto info = compilerInfo();
    const std::string* reason = std::get_if<std::string>(&info);
    return reason == nullptr ? std::string() : *reason;
#else
    return "built without the CUDA toolkit";
#endif
}

}  // namespace rayscope

#define SKIP_WITHOUT_NVRTC() \
    if (const std::string reason = missingCompiler(); !reason.empty()) GTEST_SKIP() << reason
