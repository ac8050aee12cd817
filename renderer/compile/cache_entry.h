#pragma once

#include <optional>
#include <string>

#include "renderer/compile/program.h"

// A compiled kernel as the bytes of a file. Needs no CUDA.

namespace rayscope {

/// Cubins are some 150 KB; a larger file is not ours.
inline constexpr std::size_t kMaxEntryBytes = std::size_t{64} << 20;

/// `key` is everything that the machine code depends on.
std::string encodeEntry(const std::string& key, const CompiledKernel& kernel);

/// Nothing if the bytes are damaged, belong to another key, or have values that no compiler
/// produces.
std::optional<CompiledKernel> decodeEntry(std::string_view file, const std::string& key);

}  // namespace rayscope
