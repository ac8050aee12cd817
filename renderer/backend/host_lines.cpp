#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "renderer/backend/dwarf_bytes.h"
#include "renderer/backend/dwarf_rows.h"
#include "renderer/backend/dwarf_scopes.h"
#include "renderer/backend/host_object.h"

namespace rayscope {

namespace {

/// As in line_table.cpp.
constexpr std::size_t kMostHostPlaces = std::size_t{1} << 22;

/// A value for each address, which changes at some of them.
template <class T>
class Spans {
public:
    explicit Spans(T everywhere) { begins_[0] = everywhere; }
    /// From `begin` to before `end`; what was set before shows no more.
    void set(std::uint64_t begin, std::uint64_t end, T value) {
        const T after = at(end);
        const auto from = begins_.lower_bound(begin), to = begins_.upper_bound(end);
        begins_.erase(from, to);
        begins_[begin] = value;
        begins_[end] = after;
    }
    T at(std::uint64_t address) const { return std::prev(begins_.upper_bound(address))->second; }
    const std::map<std::uint64_t, T>& begins() const { return begins_; }

private:
    std::map<std::uint64_t, T> begins_;
};

/// One unit's lines and scopes, merged.
class UnitLines {
public:
    UnitLines(LineTable& table, const DwarfRows& rows, const DwarfUnit& unit)
        : table_(table), unit_(unit), lines_(-1), scopes_(-1) {
        for (const std::string& file : rows.files) files_.push_back(indexOf(table_.files, file));
        rows_ = rows.rows;
        setLines();
        for (std::size_t i = 0; i < unit_.scopes.size(); ++i) {
            functions_.push_back(indexOf(table_.functions, unit_.scopes[i].function));
            for (const auto& [begin, end] : unit_.scopes[i].ranges)
                scopes_.set(begin, end, static_cast<int>(i));
        }
        for (const auto& [address, line] : lines_.begins()) changes_.push_back(address);
        for (const auto& [address, scope] : scopes_.begins()) changes_.push_back(address);
        std::ranges::sort(changes_);
        const auto again = std::ranges::unique(changes_);
        changes_.erase(again.begin(), again.end());
    }

    /// Adds the rows of a function.
    void addTo(std::vector<LineTable::Row>& rows, const HostFunction& function) {
        const std::uint64_t end = function.address + function.size;
        auto next = std::ranges::upper_bound(changes_, function.address);
        for (std::uint64_t at = function.address; at < end; at = *next++) {
            const int place = placeAt(at);
            if (rows.empty() || rows.back().place != place) rows.push_back({at, place, place});
            if (next == changes_.end()) break;
        }
    }

    bool knows(const HostFunction& function) const {
        return lines_.at(function.address) >= 0 || scopes_.at(function.address) >= 0;
    }

private:
    static int indexOf(std::vector<std::string>& all, const std::string& name) {
        const auto found = std::ranges::find(all, name);
        if (found != all.end()) return static_cast<int>(found - all.begin());
        all.push_back(name);
        return static_cast<int>(all.size()) - 1;
    }

    /// A row holds until the next of its sequence. A sequence at 0 was left out by the linker.
    void setLines() {
        bool begun = false, lost = false;
        for (std::size_t i = 0; i + 1 < rows_.size(); ++i) {
            if (!begun) lost = rows_[i].address == 0;
            begun = rows_[i].file >= 0;
            if (begun && !lost && rows_[i].address < rows_[i + 1].address)
                lines_.set(rows_[i].address, rows_[i + 1].address, static_cast<int>(i));
        }
    }

    int fileOf(int number) const {
        if (number < 0 || static_cast<std::size_t>(number) >= files_.size()) throw DamagedLines();
        return files_[static_cast<std::size_t>(number)];
    }

    int add(const SourcePlace& place) {
        const auto [entry, isNew] =
            places_.try_emplace(place, static_cast<int>(table_.places.size()));
        if (isNew) table_.places.push_back(place);
        if (table_.places.size() > kMostHostPlaces) throw DamagedLines();
        return entry->second;
    }

    /// The place of the call that a scope was inlined by; -1: it was not.
    int callOf(int scope) {
        if (scope < 0) return -1;
        const DwarfScope& s = unit_.scopes[static_cast<std::size_t>(scope)];
        if (s.callLine <= 0 || s.parent < 0) return -1;
        return add({fileOf(s.callFile), s.callLine, functionOf(s.parent), callOf(s.parent)});
    }
    int functionOf(int scope) const {
        return scope < 0 ? -1 : functions_[static_cast<std::size_t>(scope)];
    }

    int placeAt(std::uint64_t address) {
        const int row = lines_.at(address), scope = scopes_.at(address);
        // code that belongs to several lines is its caller's
        if (row < 0 || rows_[static_cast<std::size_t>(row)].line == 0) return callOf(scope);
        const DwarfRow& line = rows_[static_cast<std::size_t>(row)];
        return add({fileOf(line.file), line.line, functionOf(scope), callOf(scope)});
    }

    LineTable& table_;
    const DwarfUnit& unit_;
    std::vector<DwarfRow> rows_;
    Spans<int> lines_;   ///< numbers of rows_
    Spans<int> scopes_;  ///< numbers of unit_.scopes; inner ones hide outer ones
    std::vector<std::uint64_t> changes_;
    std::vector<int> files_, functions_;  ///< of table_, by the unit's numbers
    std::map<SourcePlace, int> places_;
};

}  // namespace

Result<LineTable> readHostLines(std::string_view bytes) {
    const auto object = readHostObject(bytes);
    if (!object) return object.failure();
    const auto lines = contentOf(object->sections, ".debug_line");
    if (!lines || lines->empty()) return Failure{"the compiled kernel has no line table"};
    LineTable table;
    try {
        for (const DwarfUnit& unit : readDwarfScopes(object->sections)) {
            if (unit.scopes.empty()) continue;
            UnitLines own(table, readDwarfRows(object->sections, unit.rows), unit);
            for (const HostFunction& function : object->functions) {
                if (own.knows(function)) own.addTo(table.kernels[function.symbol], function);
            }
        }
    } catch (const std::runtime_error& error) {
        return Failure{error.what()};
    }
    return table;
}

}  // namespace rayscope
