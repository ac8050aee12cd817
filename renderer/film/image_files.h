#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "renderer/base/files.h"
#include "renderer/film/image.h"

// Writers leave an existing file untouched if they fail (renderer/base/files.h). The reason of a
// failure names the file.

namespace rayscope {

/// The keyword of the chunk (iTXt) in which a PNG carries the state as JSON.
inline constexpr const char* kStateKeyword = "rayscope:state";

/// `stateJson` goes into the chunk of kStateKeyword, in front of the picture; empty: no chunk.
std::string writePng(const std::string& path, const Picture& picture,
                     const std::string& stateJson = {}, Existing existing = Existing::replaced);

/// 32-bit floats.
std::string writeExr(const std::string& path, const Image& image);

/// Portable float map (Debevec): 32-bit floats, uncompressed, rows from the bottom.
std::string writePfm(const std::string& path, const Image& image);

/// .png through toneMap(), with the state; .exr and .pfm as they are.
std::string writeImage(const std::string& path, const Image& image, const DisplayTransform& display,
                       const View& view, const std::string& stateJson = {});

/// The reason why no image can be written by this name (its ending), or an empty string: to be
/// asked before anything is rendered.
std::string unwritable(const std::string& path);

struct StateText {
    std::string json;
};

/// The JSON text of kStateKeyword, of at most 64 MiB, or one sentence that names the file. The
/// picture may be damaged: it is not looked at.
std::variant<StateText, std::string> pngState(std::string_view bytes, const std::string& file);

/// Of files that may hold a state.
inline constexpr std::size_t kMaxStateFile = std::size_t{256} << 20;

/// The same of a file of at most kMaxStateFile.
std::variant<StateText, std::string> readPngState(const std::string& path);

/// The state of a PNG, or of JSON of at most 64 MiB that holds nothing else.
std::variant<State, std::string> stateFrom(std::string bytes, const std::string& file);

/// The same of a file of at most kMaxStateFile.
std::variant<State, std::string> readState(const std::string& path);

using StateOrScene = std::variant<State, Scene, std::string>;

/// What a name of a scene (without a dot or a slash), a scene file, a state file or a screenshot
/// holds. JSON that says its format is a state. One sentence where it is none of them.
StateOrScene readStateOrScene(const std::string& nameOrPath);

}  // namespace rayscope
