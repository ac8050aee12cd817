#include "renderer/backend/line_table.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "renderer/backend/cubin_file.h"
#include "renderer/backend/host_object.h"
#include "renderer/backend/line_program.h"

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

    void extended(int operation, DwarfBytes operands, LineState& s) {
        constexpr int kInlinedCall = 0x90, kFunctionName = 0x91;
        switch (operation) {
            case kEndOfSequence:
                if (target_ != nullptr)
                    table_.kernels[target_->kernel].push_back({s.address, -1, -1});
                beginSequence();
                break;
            case kSetAddress: {
                const auto found = targets_.find(operands.at());
                s.address = operands.take<std::uint64_t>();
                target_ = found == targets_.end() ? nullptr : &found->second;
                if (target_ != nullptr) s.address = target_->address;
                break;
            }
            case kInlinedCall:
                context_ = operands.number();
                function_ = functionAt(operands.number());
                break;
            case kFunctionName:
                function_ = functionAt(operands.number());
                break;
            default:
                break;
        }
    }

    void addRow(const LineState& s) {
        SourcePlace place;
        if (s.file == 0 || s.file > files_.size()) throw DamagedLines();
        place.file = files_[s.file - 1];
        place.line = static_cast<int>(std::clamp<std::int64_t>(s.line, 0, 1 << 30));
        if (context_ > 0) {
            if (context_ > rows_.size()) throw DamagedLines();
            place.function = function_;
            place.caller = rows_[context_ - 1];
        }
        const auto [entry, isNew] =
            places_.try_emplace(place, static_cast<int>(table_.places.size()));
        if (isNew) table_.places.push_back(place);
        rows_.push_back(entry->second);
        if (table_.places.size() > kMostPlaces || rows_.size() > kMostPlaces) throw DamagedLines();
        if (target_ != nullptr)
            table_.kernels[target_->kernel].push_back({s.address, entry->second, entry->second});
    }

private:
    void readUnit(DwarfBytes bytes) {
        const auto version = bytes.take<std::uint16_t>();
        if (version != 2)
            throw std::runtime_error(
                fmt::format("line tables of version {} are not read", version));
        const auto length = bytes.take<std::uint32_t>();
        const std::size_t begin = bytes.at() + length;
        DwarfBytes head = bytes.until(begin);
        const LineHeader header = readLineHeader(head, version);
        files_.clear();
        for (std::string& name : readLineFiles(head)) files_.push_back(fileNamed(std::move(name)));
        bytes.goTo(begin);
        beginSequence();
        LineProgram(header, *this).run(bytes);
    }

    void beginSequence() {
        context_ = 0;
        function_ = -1;
        target_ = nullptr;
        rows_.clear();
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
    std::vector<int> files_;     ///< of LineTable::files, by their numbers less 1
    std::uint64_t context_ = 0;  ///< the row of the call, from 1; 0: not inlined
    int function_ = -1;
    const Target* target_ = nullptr;
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
