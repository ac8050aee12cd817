#pragma once

#include <cstddef>
#include <string>

#include "renderer/base/result.h"
#include "renderer/choices/state.h"

namespace rayscope {

/// Hands a PNG file to the desktop's clipboard, through wl-copy under Wayland and xclip under X11:
/// GLFW knows text alone. Waits until it has been read. An empty string, or a sentence.
std::string copyPng(const std::string& file);

/// What reads the clipboard beside the window: xclip under X11. GLFW would wait for the program
/// that holds it for as long as that hangs. Empty where there is none.
std::string clipboardReader();

/// By that program; empty where there is no text. Gives up after two seconds; no more is read than
/// shows that it is too long for a state (kMostStateText).
Result<std::string> readClipboard(const std::string& reader);

/// Of a text from the clipboard.
inline constexpr std::size_t kMostStateText = std::size_t{64} << 20;

/// What a text from the clipboard asks for: a whole state as JSON, or assignments as they stand on
/// a command line, "--set engine=wavefront block=16x8". Fails if it is neither; `present`
/// is what assignments change, as assignAll() does. At most kMostStateText bytes are read.
Result<State> stateFromText(const std::string& text, const State& present);

}  // namespace rayscope
