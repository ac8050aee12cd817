#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/backend/cubin_file.h"

namespace rayscope {

/// The code of a function, or of one that was inlined into another.
struct DwarfScope {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  ///< of addresses, without the end
    std::string function;  ///< its mangled name, else its name without the arguments of templates
    int parent = -1;       ///< the scope that it was inlined into, which stands before; -1: none
    // Where it is inlined:
    int callFile = -1;  ///< by the unit's own number
    int callLine = 0;
};

/// One unit of compilation.
struct DwarfUnit {
    std::uint64_t rows = 0;  ///< of its lines, in .debug_line
    std::vector<DwarfScope> scopes;
};

/// All units of .debug_info, of versions 4 and 5 with 32-bit offsets, as g++ -g1 and clang++ -g1
/// write them (DWARF Debugging Information Format, version 5, 3.3.8, "Inlinable and Inlined
/// Subroutines"). Throws std::runtime_error where they are damaged or of another version.
std::vector<DwarfUnit> readDwarfScopes(const std::vector<CubinSection>& sections);

}  // namespace rayscope
