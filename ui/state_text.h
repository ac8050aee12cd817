#pragma once

#include <cstddef>
#include <string>

#include "renderer/base/result.h"
#include "renderer/choices/state.h"

namespace rayscope {

/// Of a text from the clipboard.
inline constexpr std::size_t kMostStateText = std::size_t{64} << 20;

/// What a text from the clipboard asks for: a whole state as JSON, or assignments as they stand on
/// a command line, "--set engine=wavefront block=16x8". Fails if it is neither; `present`
/// is what assignments change. At most kMostStateText bytes are read.
Result<State> stateFromText(const std::string& text, const State& present);

}  // namespace rayscope
