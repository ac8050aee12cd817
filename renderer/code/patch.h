#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/backend/kernel_sources.h"
#include "renderer/base/result.h"

// How edited kernel sources differ from those that the program was built with.

namespace rayscope {

/// How the files differ from those of the same names, as `diff -u` writes it and `patch -p1` reads
/// it; empty where they do not.
std::string patchOf(const std::vector<KernelSource>& before,
                    const std::vector<KernelSource>& after);

/// The files with what the patch changes. All its lines must be where it says that they are. The
/// reason of a failure says where one is not.
Result<std::vector<KernelSource>> patched(std::vector<KernelSource> files, std::string_view patch);

/// The files that a patch changes.
std::vector<std::string> filesOfPatch(std::string_view patch);

}  // namespace rayscope
