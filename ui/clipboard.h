#pragma once

#include <string>

namespace rayscope {

/// Hands a PNG file to the desktop's clipboard, through wl-copy under Wayland and xclip under X11:
/// GLFW knows text alone. Waits until it has been read. An empty string, or a sentence.
std::string copyPng(const std::string& file);

}  // namespace rayscope
