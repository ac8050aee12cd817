#pragma once

#include <filesystem>
#include <string>

#include "renderer/base/result.h"

// Files and folders that are the user's alone: what lies there is run, or believed.

namespace rayscope {

/// Why this file or folder is not used: it is neither the user's nor the system's, or others can
/// write it. Empty where it is safe, or not there.
std::string whyUnsafe(const std::filesystem::path& path);

/// As readFile(); fails for a file that whyUnsafe() speaks of, too.
Result<std::string> readOwnFile(const std::string& path, std::size_t limit);

/// Makes the folder and those above it that are missing, for the user alone (mode 0700). Fails if
/// it cannot be made, or whyUnsafe().
Result<void> makeOwnFolder(const std::filesystem::path& folder);

}  // namespace rayscope
