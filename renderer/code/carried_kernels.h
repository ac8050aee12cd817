#pragma once

#include <string>
#include <string_view>

#include "renderer/base/result.h"
#include "renderer/choices/state.h"

// Edited kernel sources that a state carries: State::patches.

namespace rayscope {

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
