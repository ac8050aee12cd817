#pragma once

#include <functional>
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

/// `stateJson` goes into a chunk of kStateKeyword before the picture; empty: no chunk.
Result<void> writePng(const std::string& path, const Picture& picture,
                      const std::string& stateJson = {}, Existing existing = Existing::replaced);

/// The state, asked for when the picture has been compressed.
using LateState = std::function<std::string()>;

/// The same row by row.
Result<void> writePng(const std::string& path, const PictureRows& picture, const LateState& state,
                      Existing existing = Existing::replaced);

/// 32-bit floats.
Result<void> writeExr(const std::string& path, const Image& image);

/// Portable float map (Debevec): 32-bit floats, uncompressed, rows from the bottom.
Result<void> writePfm(const std::string& path, const Image& image);

/// .png through toneMap(), with the state; .exr and .pfm without either.
Result<void> writeImage(const std::string& path, const Image& image,
                        const DisplayTransform& display, const View& view,
                        const std::string& stateJson = {});

/// The same of meanOf(film). The film must lie in host memory.
Result<void> writeImage(const std::string& path, const Film& film, const DisplayTransform& display,
                        const View& view, const LateState& state);

/// Whether writeImage() knows the name's ending; to be asked before anything is rendered.
Result<void> checkImageName(const std::string& path);

/// The JSON text in the chunk of kStateKeyword, at most 64 MiB. The picture is not read and may be
/// damaged. `file` is named in the reason of a failure.
Result<std::string> pngState(std::string_view bytes, const std::string& file);

/// Largest size of a file that may hold a state, bytes.
inline constexpr std::size_t kMaxStateFile = std::size_t{256} << 20;

/// The same for a file of at most kMaxStateFile.
Result<std::string> readPngState(const std::string& path);

/// The state in the bytes of a PNG, or of JSON (at most 64 MiB) that holds nothing else.
Result<State> stateFrom(std::string bytes, const std::string& file);

/// The same for a file of at most kMaxStateFile.
Result<State> readState(const std::string& path);

using StateOrScene = std::variant<State, Scene>;

/// What a scene's name (without a dot or a slash), a scene file, a state file, a screenshot or the
/// checkpoint of a picture stands for. JSON with a "format" is a state.
Result<StateOrScene> readStateOrScene(const std::string& nameOrPath);

}  // namespace rayscope
