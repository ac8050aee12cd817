#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "renderer/base/result.h"

namespace rayscope {

/// The bytes of a regular file. One larger than `limit` bytes is refused before anything is read.
/// `refused`, if given, gets the open file's descriptor and says why it is not read. The reason of
/// a failure names the file.
Result<std::string> readFile(const std::string& path, std::size_t limit,
                             const std::function<std::string(int descriptor)>& refused = {});

/// Its first bytes, at most so many; none if it is no regular file, or cannot be read.
std::string readStart(const std::string& path, std::size_t most);

/// What happens to a regular file that is already there; if it is kept, writing fails.
enum class Existing { replaced, kept };

/// Who may read and write a new file: those whom umask lets, or the user alone.
enum class Privacy { usual, own };

/// Calls `write` with a temporary file in the folder of `path`, and renames that to `path` once it
/// is on disk. After a failure `path` is as it was and the temporary file is gone. A file that is
/// replaced keeps its mode, its owner and its other names (hard links, for which its bytes are
/// replaced at the end). Links are followed; devices, pipes and /dev/stdout are written directly:
/// base/reader.h. `write` reports its own failures, this function those of the stream. The reason
/// of a failure names the path.
Result<void> writeFile(const std::string& path,
                       const std::function<Result<void>(std::FILE* file)>& write,
                       Existing existing = Existing::replaced, Privacy privacy = Privacy::usual);

/// What writeFile() would fail with from the start, for instance a folder that is missing; to be
/// asked before the work whose result is to be written. Leaves everything as it was.
Result<void> canBeWritten(const std::string& path);

/// Writes a text in the same way.
Result<void> writeTextFile(const std::string& path, std::string_view text,
                           Existing existing = Existing::replaced, Privacy privacy = Privacy::usual);

}  // namespace rayscope
