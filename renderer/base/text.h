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

/// A to Z become a to z; bytes of other letters stay.
std::string smallLetters(std::string text);

/// A URI's characters that are written as %20 (RFC 3986). A percent sign that no two hexadecimal
/// digits follow stays.
std::string percentDecoded(std::string_view uri);

/// The last line of what a program has written, without the ends of lines behind it.
std::string lastLine(std::string_view text);

/// "45 s", "2 min 10 s", "1 h 5 min".
std::string durationText(double seconds);

/// Left-aligned to a width in characters, not bytes.
std::string padded(const std::string& text, size_t width);

}  // namespace rayscope
