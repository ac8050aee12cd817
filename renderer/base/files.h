#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace rayscope {

struct FileBytes {
    std::string bytes;
};

/// The whole regular file, or one sentence that names it and says why not. Files larger than
/// `limit` bytes are refused before anything is read.
std::variant<FileBytes, std::string> readFile(const std::string& path, std::size_t limit);

/// What happens to a regular file that is already there; if it is kept, writing fails.
enum class Existing { replaced, kept };

/// Calls `write` with a temporary file beside `path` and renames it to `path` when everything is on
/// the disk; on failure the file that was there before is untouched and the temporary one is gone.
/// One that is kept is a failure. Links are followed; devices, pipes and /dev/stdout are written
/// directly. `write` returns an empty string or the reason of a
/// failure; errors of the stream itself are noticed here. Returns an empty string, or one sentence
/// that names the path and the reason.
std::string writeFile(const std::string& path,
                      const std::function<std::string(std::FILE* file)>& write,
                      Existing existing = Existing::replaced);

/// The same of a text.
std::string writeTextFile(const std::string& path, std::string_view text,
                          Existing existing = Existing::replaced);

}  // namespace rayscope
