#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "renderer/backend/cubin_file.h"

namespace rayscope {

/// From an address on, until that of the next row.
struct DwarfRow {
    std::uint64_t address = 0;
    int file = -1;  ///< of DwarfRows::files; -1: a sequence of rows ends here
    int line = 0;   ///< 0: of no line, the compiler says
};

/// The line table of one unit of compilation.
struct DwarfRows {
    std::vector<std::string> files;  ///< by the unit's own numbers for them
    std::vector<DwarfRow> rows;      ///< as they stand in the table
};

/// The table at this offset of .debug_line, of versions 2 to 5 with 32-bit offsets (DWARF Debugging
/// Information Format, version 5, 6.2, "Line Number Information"). Throws std::runtime_error where
/// it is damaged or of another version.
DwarfRows readDwarfRows(const std::vector<CubinSection>& sections, std::uint64_t offset);

}  // namespace rayscope
