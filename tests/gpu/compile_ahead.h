#pragma once

#include <vector>

#include "renderer/choices/settings.h"
#include "renderer/lab/compile_ahead.h"

namespace rayscope {

/// Compiles the kernels of all these settings on all cores.
inline void compileAhead(const std::vector<Settings>& all, const SharedScene& scene,
                         int architecture) {
    std::vector<CodeWish> wishes;
    for (const Settings& settings : all) wishes.push_back({settings, scene, architecture});
    CompileAhead job(wishes);
    playToEnd(job);
}

}  // namespace rayscope
