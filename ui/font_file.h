#pragma once

#include <string>
#include <string_view>

namespace rayscope {

/// A TrueType or OpenType font (or the first of a collection) whose tables are there and lie in the
/// file. ImGui's reader believes every offset, and ends the program where there is no font.
/// Source: the OpenType specification, "Font file".
bool isFont(std::string_view bytes);

/// The same of a file of at most 64 MiB.
bool isFontFile(const std::string& path);

}  // namespace rayscope
