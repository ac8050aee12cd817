#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/backend/kernel_sources.h"
#include "renderer/base/result.h"
#include "renderer/choices/state.h"
#include "renderer/code/line_diff.h"

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

/// Writes the kernel sources that the program was built with, as the patch changes them, below a
/// folder. Fails where a file that it changes is there already.
Result<void> writePatched(const std::string& folder, std::string_view patch);

/// Takes out of a state what is not compiled unseen: sources for which there is no folder, or one
/// with other files than State::patches says. What is built in takes their place.
struct SetAside {
    Patches patches;
    std::string name;      ///< of a source that was taken out, with or without a patch; else empty
    std::string ofA, ofB;  ///< the sources that the settings had
};
SetAside setAside(State& state);

/// The state with the patches of the edited sources that its settings name, as far as a state holds
/// them: State::patches.
State withPatches(State state);

}  // namespace rayscope
