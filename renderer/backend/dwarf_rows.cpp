#include "renderer/backend/dwarf_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/backend/dwarf_bytes.h"

namespace rayscope::dwarf {

namespace {

/// Those of the largest kernels have some ten thousand.
constexpr std::size_t kMostRows = std::size_t{1} << 22, kMostFiles = std::size_t{1} << 16;

/// What an entry of the tables of folders and files has: DW_LNCT_* and DW_FORM_*.
struct EntryFormat {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> fields;
};
struct FileEntry {
    std::string_view path;
    std::uint64_t folder = 0;
};

/// The parts of a header that its program needs.
struct RowHeader {
    unsigned instruction = 1;  ///< the least advance of the address
    int lineBase = 0, lineRange = 1;
    std::vector<std::uint8_t> operands;  ///< of the standard operations, from the first on
    std::vector<std::string> files;
};

std::string joined(std::string_view folder, std::string_view name) {
    const bool whole = folder.empty() || folder == "." || name.starts_with('/');
    return whole ? std::string(name) : fmt::format("{}/{}", folder, name);
}

class RowReader {
public:
    explicit RowReader(const std::vector<CubinSection>& sections)
        : text_(contentOf(sections, ".debug_str").value_or("")),
          lineText_(contentOf(sections, ".debug_line_str").value_or("")) {}

    DwarfRows read(DwarfBytes bytes) {
        const auto length = bytes.take<std::uint32_t>();
        DwarfBytes unit = bytes.until(bytes.at() + length);
        const auto version = unit.take<std::uint16_t>();
        if (version < 2 || version > 5)
            throw std::runtime_error(
                fmt::format("line tables of version {} are not read", version));
        if (version >= 5) unit.take<std::uint16_t>();  // the sizes of an address and of a segment
        const auto headerLength = unit.take<std::uint32_t>();
        const std::size_t begin = unit.at() + headerLength;
        RowHeader header = readHeader(unit.until(begin), version);
        unit.goTo(begin);
        run(unit, header);
        result_.files = std::move(header.files);
        return std::move(result_);
    }

private:
    RowHeader readHeader(DwarfBytes bytes, int version) {
        RowHeader h;
        h.instruction = bytes.take<std::uint8_t>();
        if (version >= 4) bytes.take<std::uint8_t>();  // operations of an instruction
        bytes.take<std::uint8_t>();                    // whether rows are statements
        h.lineBase = bytes.take<std::int8_t>();
        h.lineRange = bytes.take<std::uint8_t>();
        if (h.lineRange == 0) throw DamagedLines();
        const int operations = bytes.take<std::uint8_t>() - 1;
        for (int i = 0; i < operations; ++i) h.operands.push_back(bytes.take<std::uint8_t>());
        version >= 5 ? readEntries(bytes, h) : readNames(bytes, h);
        return h;
    }

    /// Of versions 2 to 4; files are numbered from 1.
    static void readNames(DwarfBytes& bytes, RowHeader& h) {
        std::vector<std::string_view> folders{""};
        for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text())
            folders.push_back(name);
        h.files.emplace_back();
        for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text()) {
            const std::uint64_t folder = bytes.number();
            bytes.number();  // its time
            bytes.number();  // its size
            if (folder >= folders.size()) throw DamagedLines();
            h.files.push_back(joined(folders[folder], name));
        }
    }

    /// Of version 5; files are numbered from 0.
    void readEntries(DwarfBytes& bytes, RowHeader& h) {
        const std::vector<FileEntry> folders = entries(bytes);
        for (const FileEntry& file : entries(bytes)) {
            if (file.folder >= folders.size()) throw DamagedLines();
            h.files.push_back(joined(folders[file.folder].path, file.path));
        }
    }

    std::vector<FileEntry> entries(DwarfBytes& bytes) {
        constexpr std::uint64_t kPath = 1, kFolder = 2;
        EntryFormat format;
        for (int i = bytes.take<std::uint8_t>(); i > 0; --i) {
            const std::uint64_t content = bytes.number();
            format.fields.emplace_back(content, bytes.number());
        }
        const std::uint64_t count = bytes.number();
        if (count > kMostFiles) throw DamagedLines();
        std::vector<FileEntry> all(count);
        for (FileEntry& entry : all) {
            for (const auto& [content, form] : format.fields) {
                std::string_view path;
                const std::uint64_t value = field(bytes, form, path);
                if (content == kPath) entry.path = path;
                if (content == kFolder) entry.folder = value;
            }
        }
        return all;
    }

    std::uint64_t field(DwarfBytes& bytes, std::uint64_t form, std::string_view& path) {
        enum { data2 = 5, data4, data8, text, block, data1 = 0x0b, strp = 0x0e, udata };
        constexpr std::uint64_t kData16 = 0x1e, kLineStrp = 0x1f;
        switch (form) {
            case text:
                path = bytes.text();
                return 0;
            case strp:
                path = at(text_, bytes.take<std::uint32_t>());
                return 0;
            case kLineStrp:
                path = at(lineText_, bytes.take<std::uint32_t>());
                return 0;
            case udata:
                return bytes.number();
            case data1:
                return bytes.take<std::uint8_t>();
            case data2:
                return bytes.take<std::uint16_t>();
            case data4:
                return bytes.take<std::uint32_t>();
            case data8:
                return bytes.take<std::uint64_t>();
            case kData16:
                bytes.bytes(16);
                return 0;
            case block:
                bytes.bytes(bytes.number());
                return 0;
            default:
                throw DamagedLines();
        }
    }

    static std::string_view at(std::string_view table, std::uint64_t offset) {
        const auto found = textAt(table, offset);
        if (!found) throw DamagedLines();
        return *found;
    }

    struct State {
        std::uint64_t address = 0;
        std::uint64_t file = 1;
        std::int64_t line = 1;
    };

    void run(DwarfBytes& bytes, const RowHeader& header) {
        State s;
        const int first = static_cast<int>(header.operands.size()) + 1;
        while (!bytes.ended()) {
            const int operation = bytes.take<std::uint8_t>();
            if (operation >= first) {
                advance(s, operation - first, header);
                s.line += header.lineBase + (operation - first) % header.lineRange;
                addRow(s, header);
            } else if (operation == 0) {
                extended(bytes, s);
            } else {
                standard(bytes, operation, s, header);
            }
        }
    }

    static void advance(State& s, int operation, const RowHeader& header) {
        s.address += std::uint64_t{header.instruction} * (operation / header.lineRange);
    }

    void standard(DwarfBytes& bytes, int operation, State& s, const RowHeader& header) {
        enum { copy = 1, advanceAddress, advanceLine, setFile, addConstant = 8, fixedAdvance };
        switch (operation) {
            case copy:
                return addRow(s, header);
            case advanceAddress:
                s.address += header.instruction * bytes.number();
                return;
            case advanceLine:
                s.line += bytes.signedNumber();
                return;
            case setFile:
                s.file = bytes.number();
                return;
            case addConstant:
                return advance(s, 255 - static_cast<int>(header.operands.size()) - 1, header);
            case fixedAdvance:
                s.address += bytes.take<std::uint16_t>();
                return;
            default:
                for (int i = 0; i < header.operands[operation - 1]; ++i) bytes.number();
        }
    }

    void extended(DwarfBytes& bytes, State& s) {
        constexpr int kEnd = 1, kSetAddress = 2;
        const std::uint64_t length = bytes.number();
        if (length == 0) return;
        DwarfBytes own(bytes.bytes(length));
        const int operation = own.take<std::uint8_t>();
        if (operation == kSetAddress) s.address = own.take<std::uint64_t>();
        if (operation != kEnd) return;
        add({s.address, -1, 0});
        s = {};
    }

    void addRow(const State& s, const RowHeader& header) {
        if (s.file >= header.files.size()) throw DamagedLines();
        add({s.address, static_cast<int>(s.file),
             static_cast<int>(std::clamp<std::int64_t>(s.line, 0, 1 << 30))});
    }

    void add(const DwarfRow& row) {
        if (result_.rows.size() == kMostRows) throw DamagedLines();
        result_.rows.push_back(row);
    }

    std::string_view text_, lineText_;
    DwarfRows result_;
};

}  // namespace

}  // namespace rayscope::dwarf

namespace rayscope {

DwarfRows readDwarfRows(const std::vector<CubinSection>& sections, std::uint64_t offset) {
    const auto lines = contentOf(sections, ".debug_line");
    if (!lines || offset >= lines->size()) throw DamagedLines();
    return dwarf::RowReader(sections).read(DwarfBytes(*lines, offset));
}

}  // namespace rayscope
