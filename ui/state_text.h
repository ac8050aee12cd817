#pragma once

#include <string>
#include <variant>

#include "renderer/state.h"

namespace rayscope {

/// What a text from the clipboard asks for: a whole state as JSON, or assignments as they stand on
/// a command line, "--set engine=wavefront block=16x8". One sentence where it is neither; `present`
/// is what assignments change. At most 64 MiB are read.
std::variant<State, std::string> stateFromText(const std::string& text, const State& present);

}  // namespace rayscope
