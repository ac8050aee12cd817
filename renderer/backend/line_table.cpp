#include "renderer/backend/line_table.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "renderer/backend/cubin_file.h"
#include "renderer/backend/dwarf_bytes.h"
#include "renderer/backend/host_object.h"

namespace rayscope {

namespace {

/// A table may say that it has more; those of the largest kernels have some ten thousand.
constexpr std::size_t kMostPlaces = std::size_t{1} << 22;

/// What an address in the table refers to, once the program is loaded.
struct Target {
    std::string kernel;
    std::uint64_t address = 0;
};

/// By the place of the address in the table.
std::map<std::uint64_t, Target> targetsOf(const std::vector<CubinSection>& sections) {
    constexpr std::string_view kText = ".text.";
    std::map<std::uint64_t, Target> targets;
    const auto relocations = contentOf(sections, ".rela.debug_line");
    const auto symbols = contentOf(sections, ".symtab");
    if (!relocations || !symbols) return targets;
    for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= relocations->size();
         at += sizeof(Elf64_Rela)) {
        const auto rela = *readAt<Elf64_Rela>(*relocations, at);
        const auto symbol =
            readAt<Elf64_Sym>(*symbols, ELF64_R_SYM(rela.r_info) * sizeof(Elf64_Sym));
        if (!symbol || symbol->st_shndx >= sections.size()) continue;
        const std::string_view name = sections[symbol->st_shndx].name;
        if (!name.starts_with(kText)) continue;
        targets[rela.r_offset] = {std::string(name.substr(kText.size())),
                                  symbol->st_value + static_cast<std::uint64_t>(rela.r_addend)};
    }
    return targets;
}

/// The header of a table, as far as its program needs it.
struct Header {
    unsigned instruction = 1;  ///< the least advance of the address
    int lineBase = 0, lineRange = 1;
    std::vector<std::uint8_t> operands;  ///< of the standard operations, from the first on
    std::vector<int> files;              ///< of LineTable::files, by their numbers less 1
};

class Reader {
public:
    Reader(std::string_view lines, std::string_view names, std::map<std::uint64_t, Target> targets)
        : lines_(lines), names_(names), targets_(std::move(targets)) {}

    LineTable read() {
        DwarfBytes bytes(lines_);
        while (!bytes.ended()) {
            const auto length = bytes.take<std::uint32_t>();
            const std::size_t end = bytes.at() + length;
            readUnit(bytes.until(end));
            bytes.goTo(end);
        }
        for (auto& [name, rows] : table_.kernels) arrange(rows);
        return std::move(table_);
    }

private:
    struct State {
        std::uint64_t address = 0;
        std::uint64_t file = 1;
        std::int64_t line = 1;
        std::uint64_t context = 0;  ///< the row of the call, from 1; 0: not inlined
        int function = -1;
        const Target* target = nullptr;
    };

    void readUnit(DwarfBytes bytes) {
        const auto version = bytes.take<std::uint16_t>();
        if (version != 2)
            throw std::runtime_error(
                fmt::format("line tables of version {} are not read", version));
        const auto length = bytes.take<std::uint32_t>();
        const std::size_t begin = bytes.at() + length;
        const Header header = readHeader(bytes.until(begin));
        bytes.goTo(begin);
        run(bytes, header);
    }

    Header readHeader(DwarfBytes bytes) {
        Header h;
        h.instruction = bytes.take<std::uint8_t>();
        bytes.take<std::uint8_t>();  // whether rows are statements
        h.lineBase = bytes.take<std::int8_t>();
        h.lineRange = bytes.take<std::uint8_t>();
        if (h.lineRange == 0) throw DamagedLines();
        const int operations = bytes.take<std::uint8_t>() - 1;
        for (int i = 0; i < operations; ++i) h.operands.push_back(bytes.take<std::uint8_t>());
        std::vector<std::string_view> folders{""};
        for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text())
            folders.push_back(name);
        for (std::string_view name = bytes.text(); !name.empty(); name = bytes.text()) {
            const std::uint64_t folder = bytes.number();
            bytes.number();  // its time
            bytes.number();  // its size
            if (folder >= folders.size()) throw DamagedLines();
            const bool plain = folders[folder].empty() || name.starts_with('/');
            h.files.push_back(
                fileNamed(plain ? std::string(name) : fmt::format("{}/{}", folders[folder], name)));
        }
        return h;
    }

    int fileNamed(std::string name) {
        const auto found = std::find(table_.files.begin(), table_.files.end(), name);
        if (found != table_.files.end()) return static_cast<int>(found - table_.files.begin());
        table_.files.push_back(std::move(name));
        return static_cast<int>(table_.files.size()) - 1;
    }

    int functionAt(std::uint64_t offset) {
        const auto [entry, isNew] =
            functions_.try_emplace(offset, static_cast<int>(table_.functions.size()));
        if (isNew) {
            const auto name = textAt(names_, offset);
            if (!name) throw DamagedLines();
            table_.functions.emplace_back(*name);
        }
        return entry->second;
    }

    void run(DwarfBytes bytes, const Header& header) {
        State s;
        rows_.clear();
        const int first = static_cast<int>(header.operands.size()) + 1;
        while (!bytes.ended()) {
            const auto operation = bytes.take<std::uint8_t>();
            if (operation >= first) {
                const int k = operation - first;
                s.address += std::uint64_t{header.instruction} * (k / header.lineRange);
                s.line += header.lineBase + k % header.lineRange;
                addRow(s, header);
            } else if (operation == 0) {
                extended(bytes, s);
            } else {
                standard(bytes, operation, s, header);
            }
        }
    }

    void standard(DwarfBytes& bytes, int operation, State& s, const Header& header) {
        enum { copy = 1, advanceAddress, advanceLine, setFile };
        constexpr int kAddConstant = 8, kFixedAdvance = 9;
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
            case kAddConstant: {
                const int k = 255 - static_cast<int>(header.operands.size()) - 1;
                s.address += std::uint64_t{header.instruction} * (k / header.lineRange);
                return;
            }
            case kFixedAdvance:
                s.address += bytes.take<std::uint16_t>();
                return;
            default:
                for (int i = 0; i < header.operands[operation - 1]; ++i) bytes.number();
        }
    }

    void extended(DwarfBytes& bytes, State& s) {
        constexpr int kEnd = 1, kSetAddress = 2, kInlinedCall = 0x90, kFunctionName = 0x91;
        const std::uint64_t length = bytes.number();
        const std::size_t end = bytes.at() + length;
        DwarfBytes own = bytes.until(end);
        bytes.goTo(end);
        if (length == 0) return;
        switch (own.take<std::uint8_t>()) {
            case kEnd:
                if (s.target != nullptr)
                    table_.kernels[s.target->kernel].push_back({s.address, -1, -1});
                s = {};
                rows_.clear();
                break;
            case kSetAddress: {
                const auto found = targets_.find(own.at());
                s.address = own.take<std::uint64_t>();
                s.target = found == targets_.end() ? nullptr : &found->second;
                if (s.target != nullptr) s.address = s.target->address;
                break;
            }
            case kInlinedCall:
                s.context = own.number();
                s.function = functionAt(own.number());
                break;
            case kFunctionName:
                s.function = functionAt(own.number());
                break;
            default:
                break;
        }
    }

    void addRow(const State& s, const Header& header) {
        SourcePlace place;
        if (s.file == 0 || s.file > header.files.size()) throw DamagedLines();
        place.file = header.files[s.file - 1];
        place.line = static_cast<int>(std::clamp<std::int64_t>(s.line, 0, 1 << 30));
        if (s.context > 0) {
            if (s.context > rows_.size()) throw DamagedLines();
            place.function = s.function;
            place.caller = rows_[s.context - 1];
        }
        const auto [entry, isNew] =
            places_.try_emplace(place, static_cast<int>(table_.places.size()));
        if (isNew) table_.places.push_back(place);
        rows_.push_back(entry->second);
        if (table_.places.size() > kMostPlaces || rows_.size() > kMostPlaces) throw DamagedLines();
        if (s.target != nullptr)
            table_.kernels[s.target->kernel].push_back({s.address, entry->second, entry->second});
    }

    /// By address. Of an inlined instruction the calls come first, and the line itself last.
    static void arrange(std::vector<LineTable::Row>& rows) {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.address < b.address; });
        std::vector<LineTable::Row> last;
        for (const LineTable::Row& row : rows) {
            if (!last.empty() && last.back().address == row.address && row.place >= 0)
                last.back().place = row.place;
            else if (last.empty() || last.back().address != row.address)
                last.push_back(row);
        }
        rows = std::move(last);
    }

    std::string_view lines_, names_;
    std::map<std::uint64_t, Target> targets_;
    LineTable table_;
    std::vector<int> rows_;  ///< their places, of the sequence: calls refer to them
    std::map<SourcePlace, int> places_;
    std::map<std::uint64_t, int> functions_;
};

}  // namespace

const LineTable::Row* LineTable::rowAt(std::string_view kernel, std::uint64_t address) const {
    const auto found = kernels.find(kernel);
    if (found == kernels.end()) return nullptr;
    const auto after =
        std::upper_bound(found->second.begin(), found->second.end(), address,
                         [](std::uint64_t a, const Row& row) { return a < row.address; });
    return after == found->second.begin() ? nullptr : &*std::prev(after);
}

int LineTable::placeAt(std::string_view kernel, std::uint64_t address) const {
    const Row* const row = rowAt(kernel, address);
    return row != nullptr ? row->place : -1;
}

int LineTable::firstAt(std::string_view kernel, std::uint64_t address) const {
    const Row* const row = rowAt(kernel, address);
    return row != nullptr ? row->first : -1;
}

std::string sourceOf(const std::string& path, const std::vector<std::string>& sources) {
    for (const std::string& name : sources) {
        if (path == name || path.ends_with("/" + name)) return name;
    }
    return path;
}

Result<LineTable> readLineTable(std::string_view cubin) {
    if (isHostObject(cubin)) return readHostLines(cubin);
    const auto sections = cubinSections(cubin);
    if (!sections)
        return Failure{"the compiled kernel is no machine code for a GPU, or it is damaged"};
    const auto lines = contentOf(*sections, ".debug_line");
    if (!lines || lines->empty()) return Failure{"the compiled kernel has no line table"};
    const auto names = contentOf(*sections, ".debug_str");
    try {
        return Reader(*lines, names.value_or(std::string_view()), targetsOf(*sections)).read();
    } catch (const std::runtime_error& error) {
        return Failure{error.what()};
    }
}

}  // namespace rayscope
