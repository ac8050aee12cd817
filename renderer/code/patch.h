#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/compile/kernel_sources.h"
#include "renderer/base/result.h"

// How edited kernel sources differ from those that the program was built with.

namespace rayscope {

/// How the files differ from those of the same names, as `diff -u` writes it and `patch -p1` reads
/// it; empty where they do not.
std::string patchOf(const std::vector<KernelSource>& before,
                    const std::vector<KernelSource>& after);

/// Where the lines are that a patch changes: exactly where it says, or also elsewhere in the file,
/// if they are there once.
enum class PatchLines { exact, moved };

/// The files with what the patch changes, which `diff -u` or `diff -ru` has written. The reason of
/// a failure names the line that does not fit.
Result<std::vector<KernelSource>> patched(std::vector<KernelSource> files, std::string_view patch,
                                          PatchLines where = PatchLines::exact);

/// The files that a patch changes.
std::vector<std::string> filesOfPatch(std::string_view patch);

}  // namespace rayscope
