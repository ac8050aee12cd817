#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/result.h"

namespace rayscope {

/// A line of the sources and, where its function was inlined, the call that it came by.
struct SourcePlace {
    int file = -1;      ///< of LineTable::files
    int line = 0;       ///< from 1
    int function = -1;  ///< of LineTable::functions, the inlined one; -1: the kernel's own code
    int caller = -1;    ///< of LineTable::places, where it is called; -1: it is not inlined
    auto operator<=>(const SourcePlace&) const = default;
};

/// From which lines the instructions of a program were made: NVRTC's option -lineinfo.
struct LineTable {
    /// From an address in a kernel on, until the next one.
    struct Row {
        std::uint64_t address;
        int place;  ///< -1: nobody knows
        /// The place of the first row with this address. Where a call has been inlined that may be
        /// the call, while the last one is the line itself.
        int first;
    };
    std::vector<std::string> files;      ///< paths as the compiler was told them
    std::vector<std::string> functions;  ///< their mangled names
    std::vector<SourcePlace> places;
    std::map<std::string, std::vector<Row>, std::less<>> kernels;  ///< by symbol

    /// The place of the instruction at this address of the kernel; -1: nobody knows.
    int placeAt(std::string_view kernel, std::uint64_t address) const;
    /// The same by Row::first, as Nsight Compute 2025.3 shows lines.
    int firstAt(std::string_view kernel, std::uint64_t address) const;

private:
    const Row* rowAt(std::string_view kernel, std::uint64_t address) const;
};

/// The line table of a cubin, which may be any bytes: DWARF 2 (DWARF Debugging Information Format,
/// 6.2, "Line Number Information") with NVIDIA's two operations for inlined calls. Fails if it has
/// none or it is damaged.
Result<LineTable> readLineTable(std::string_view cubin);

/// The name of the source that a path ends with, or the path: NVRTC puts the folder before it that
/// it was started in.
std::string sourceOf(const std::string& path, const std::vector<std::string>& sources);

}  // namespace rayscope
