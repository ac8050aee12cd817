#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text from outside, made fit to be shown.

namespace rayscope {

/// The text, cut to `limit` bytes and followed by "..." if it is longer; never cut within a UTF-8
/// character.
std::string shortened(const std::string& text, std::size_t limit);

/// The text with nothing in it that a terminal would obey or that reorders what is read: control
/// characters except those in `kept`, controls of bidirectional text, and bytes that are not UTF-8
/// (controls to some terminals) become U+FFFD.
std::string printable(std::string_view text, std::string_view kept = {});

/// "45 s", "2 min 10 s", "1 h 5 min".
std::string durationText(double seconds);

/// Left-aligned to a width in characters, not bytes.
std::string padded(const std::string& text, size_t width);

}  // namespace rayscope
