#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "renderer/backend/dwarf_bytes.h"

// The program of a line table, whose operations make its rows (DWARF Debugging Information Format,
// version 5, 6.2, "Line Number Information").

namespace rayscope {

/// The parts of a table's header that its program needs.
struct LineHeader {
    unsigned instruction = 1;  ///< the least advance of the address
    int lineBase = 0, lineRange = 1;
    std::vector<std::uint8_t> operands;  ///< of the standard operations, from the first on
};

struct LineState {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::int64_t line = 1;
};

/// What the operations of number 0 do that both kinds of table have: DW_LNE_*.
inline constexpr int kEndOfSequence = 1, kSetAddress = 2;

/// Of versions 2 to 5, up to the tables of folders and files. Throws DamagedLines.
inline LineHeader readLineHeader(DwarfBytes& bytes, int version) {
    LineHeader h;
    h.instruction = bytes.take<std::uint8_t>();
    if (version >= 4) bytes.take<std::uint8_t>();  // operations of an instruction
    bytes.take<std::uint8_t>();                    // whether rows are statements
    h.lineBase = bytes.take<std::int8_t>();
    h.lineRange = bytes.take<std::uint8_t>();
    if (h.lineRange == 0) throw DamagedLines();
    const int operations = bytes.take<std::uint8_t>() - 1;
    for (int i = 0; i < operations; ++i) h.operands.push_back(bytes.take<std::uint8_t>());
    return h;
}

inline std::string pathIn(std::string_view folder, std::string_view name) {
    const bool whole = folder.empty() || folder == "." || name.starts_with('/');
    return whole ? std::string(name) : fmt::format("{}/{}", folder, name);
}

/// The paths of files of versions 2 to 4, which are numbered from 1. Throws DamagedLines.
inline std::vector<std::string> readLineFiles(DwarfBytes& bytes) {
    std::vector<std::string_view> folders{""};
    for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text())
        folders.push_back(name);
    std::vector<std::string> files;
    for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text()) {
        const std::uint64_t folder = bytes.number();
        bytes.number();  // its time
        bytes.number();  // its size
        if (folder >= folders.size()) throw DamagedLines();
        files.push_back(pathIn(folders[folder], name));
    }
    return files;
}

/// Runs a program to its end. `sink` has addRow(const LineState&), and extended(int operation,
/// DwarfBytes operands, LineState&) for operations of number 0. Throws DamagedLines.
template <class Sink>
class LineProgram {
public:
    LineProgram(const LineHeader& header, Sink& sink) : header_(header), sink_(sink) {}

    void run(DwarfBytes& bytes) {
        const int first = static_cast<int>(header_.operands.size()) + 1;
        while (!bytes.ended()) {
            const int operation = bytes.take<std::uint8_t>();
            if (operation >= first) {
                advance(operation - first);
                state_.line += header_.lineBase + (operation - first) % header_.lineRange;
                sink_.addRow(state_);
            } else if (operation == 0) {
                extended(bytes);
            } else {
                standard(bytes, operation);
            }
        }
    }

private:
    void advance(int operation) {
        state_.address += std::uint64_t{header_.instruction} * (operation / header_.lineRange);
    }

    void standard(DwarfBytes& bytes, int operation) {
        enum { copy = 1, advanceAddress, advanceLine, setFile, addConstant = 8, fixedAdvance };
        switch (operation) {
            case copy:
                return sink_.addRow(state_);
            case advanceAddress:
                state_.address += header_.instruction * bytes.number();
                return;
            case advanceLine:
                state_.line += bytes.signedNumber();
                return;
            case setFile:
                state_.file = bytes.number();
                return;
            case addConstant:
                return advance(255 - static_cast<int>(header_.operands.size()) - 1);
            case fixedAdvance:
                state_.address += bytes.take<std::uint16_t>();
                return;
            default:
                for (int i = 0; i < header_.operands[operation - 1]; ++i) bytes.number();
        }
    }

    void extended(DwarfBytes& bytes) {
        const std::uint64_t length = bytes.number();
        const std::size_t end = bytes.at() + length;
        DwarfBytes own = bytes.until(end);
        bytes.goTo(end);
        if (length == 0) return;
        const int operation = own.take<std::uint8_t>();
        sink_.extended(operation, own, state_);
        if (operation == kEndOfSequence) state_ = {};
    }

    const LineHeader& header_;
    Sink& sink_;
    LineState state_;
};

}  // namespace rayscope
