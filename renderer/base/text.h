#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Texts that come from outside and are shown.

namespace rayscope {

/// The beginning of a text that may be long, never cut within a UTF-8 character.
std::string shortened(const std::string& text, std::size_t limit);

/// The text as a terminal shows it and does not obey it: control characters but those in `kept`,
/// and bytes that are not UTF-8, which some terminals take for controls, become U+FFFD.
std::string printable(std::string_view text, std::string_view kept = {});

/// Left-aligned to a width in characters, not bytes.
std::string padded(const std::string& text, size_t width);

}  // namespace rayscope
