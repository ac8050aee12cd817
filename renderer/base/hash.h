#pragma once

#include <cstdint>
#include <string_view>

namespace rayscope {

/// FNV-1a (Fowler, Noll and Vo), 64 bit.
inline std::uint64_t fnv1a(std::string_view text, std::uint64_t start = 14695981039346656037ull) {
    std::uint64_t h = start;
    for (unsigned char c : text) h = (h ^ c) * 1099511628211ull;
    return h;
}

}  // namespace rayscope
