#pragma once

#include <string>
#include <variant>

#include "renderer/choices/state.h"

namespace rayscope {

/// A file that is there, not the name of a scene (without a dot or a slash).
bool namesFile(const std::string& nameOrPath);

/// What a scene name, a scene file, a state file or a screenshot opens: `state` with what the file
/// says in place of what was there. One sentence where it cannot be opened.
std::variant<State, std::string> opened(const std::string& nameOrPath, const State& state,
                                        std::string* takenBack);

}  // namespace rayscope
