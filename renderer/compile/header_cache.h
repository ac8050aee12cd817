#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/compile/program.h"

namespace rayscope {

/// Precompiled headers of g++: what a program's file includes, parsed once for each set of flags.
/// A packet's kernel takes .7 s instead of 1.1 s with one, as intrinsics take .3 s to parse. Some
/// 40 MB each lie in the user's cache, the newest few.
/// One is made in the background once its flags have been asked for twice.
class HeaderCache {
public:
    /// The folder with the sources and the precompiled header for these flags, to be searched for
    /// headers; nothing where there is none yet or the sources are not those of the program.
    /// `command`: the compiler and all options that its code depends on.
    static std::optional<std::string> folderFor(const KernelProgram& program,
                                                const std::vector<KernelSource>& sources,
                                                const std::vector<std::string>& command);
    /// Removes a folder that was given and with which nothing compiles: its files may have been
    /// damaged.
    static void discard(const std::string& folder);
};

/// Writes files below a folder, without care for power cuts.
Result<void> writeSources(const std::string& folder, const std::vector<KernelSource>& sources);

}  // namespace rayscope
