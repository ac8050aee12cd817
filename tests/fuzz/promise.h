#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What the targets of this folder have in common. Each is a function that libFuzzer calls with
// bytes of its own making, and replay.cpp with the files of a corpus.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rayscope {

/// Ends the program where a promise is broken; the input that broke it is then kept.
void promise(bool kept, const char* what);

/// A refusal: one line that a terminal can show.
void promiseSentence(const std::string& text);

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

}  // namespace rayscope
