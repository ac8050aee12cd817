#include "renderer/backend/dwarf_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/backend/line_program.h"

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
        const LineHeader header = readHeader(unit.until(begin), version);
        unit.goTo(begin);
        LineProgram(header, *this).run(unit);
        return std::move(result_);
    }

    void addRow(const LineState& s) {
        if (s.file >= result_.files.size()) throw DamagedLines();
        add({s.address, static_cast<int>(s.file),
             static_cast<int>(std::clamp<std::int64_t>(s.line, 0, 1 << 30))});
    }

    void extended(int operation, DwarfBytes operands, LineState& s) {
        if (operation == kSetAddress) s.address = operands.take<std::uint64_t>();
        if (operation == kEndOfSequence) add({s.address, -1, 0});
    }

private:
    LineHeader readHeader(DwarfBytes bytes, int version) {
        LineHeader header = readLineHeader(bytes, version);
        if (version >= 5) {
            readEntries(bytes);
        } else {
            result_.files = readLineFiles(bytes);
            result_.files.emplace(result_.files.begin());  // they are numbered from 1
        }
        return header;
    }

    /// Of version 5; files are numbered from 0.
    void readEntries(DwarfBytes& bytes) {
        const std::vector<FileEntry> folders = entries(bytes);
        for (const FileEntry& file : entries(bytes)) {
            if (file.folder >= folders.size()) throw DamagedLines();
            result_.files.push_back(pathIn(folders[file.folder].path, file.path));
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
