#include "renderer/backend/dwarf_scopes.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "renderer/backend/dwarf_bytes.h"
#include "renderer/backend/dwarf_forms.h"

namespace rayscope::dwarf {

namespace {

/// A program of a few thousand lines has some ten thousand entries.
constexpr std::size_t kMostEntries = std::size_t{1} << 22;
constexpr int kMostReferences = 8;

enum Tag : std::uint64_t { kSubprogram = 0x2e, kInlined = 0x1d };

enum Attribute : std::uint64_t {
    kName = 0x03,
    kStatements = 0x10,
    kLow = 0x11,
    kHigh = 0x12,
    kOrigin = 0x31,
    kSpecification = 0x47,
    kRanges = 0x55,
    kCallFile = 0x58,
    kCallLine = 0x59,
    kLinkageName = 0x6e,
    kTextBase = 0x72,
    kAddressBase = 0x73,
    kRangesBase = 0x74
};

struct AttributeForm {
    std::uint64_t attribute = 0, form = 0;
    std::int64_t constant = 0;
};
struct Abbreviation {
    std::uint64_t tag = 0;
    bool children = false;
    std::vector<AttributeForm> attributes;
};
using Abbreviations = std::map<std::uint64_t, Abbreviation>;

/// What is used of an entry.
struct Entry {
    Value name, linkageName, low, high, ranges, callFile, callLine, statements;
    std::optional<std::uint64_t> same;  ///< the entry that has the rest of it
    std::uint64_t textBase = 8, addressBase = 8, rangesBase = 12;
};

/// Contents of the sections.
struct Tables {
    explicit Tables(const std::vector<CubinSection>& sections) {
        const auto of = [&](std::string_view name) {
            return contentOf(sections, name).value_or(std::string_view());
        };
        info = of(".debug_info");
        abbreviations = of(".debug_abbrev");
        text = of(".debug_str");
        lineText = of(".debug_line_str");
        textOffsets = of(".debug_str_offsets");
        addresses = of(".debug_addr");
        ranges = of(".debug_ranges");
        rangeLists = of(".debug_rnglists");
    }
    std::string_view info, abbreviations, text, lineText, textOffsets, addresses, ranges,
        rangeLists;
};

std::string_view textOf(std::string_view table, std::uint64_t offset) {
    const auto found = textAt(table, offset);
    if (!found) throw DamagedLines();
    return *found;
}

Abbreviations abbreviationsAt(std::string_view table, std::uint64_t offset) {
    Abbreviations all;
    DwarfBytes bytes(table, offset);
    for (std::uint64_t code = bytes.number(); code != 0; code = bytes.number()) {
        Abbreviation& one = all[code];
        one.tag = bytes.number();
        one.children = bytes.take<std::uint8_t>() != 0;
        for (;;) {
            AttributeForm a{bytes.number(), bytes.number()};
            if (a.form == kConstant) a.constant = bytes.signedNumber();
            if (a.attribute == 0 && a.form == 0) break;
            one.attributes.push_back(a);
        }
    }
    return all;
}

/// Reads one unit.
class UnitReader {
public:
    UnitReader(const Tables& tables, std::uint64_t offset, DwarfBytes bytes)
        : tables_(tables), offset_(offset), bytes_(bytes) {}

    DwarfUnit read() {
        if (!readHead()) return {};
        std::vector<int> open;  // of each entry that has children: the scope that they are in
        do {
            const std::uint64_t at = bytes_.at();
            const std::uint64_t code = bytes_.number();
            if (code == 0) {
                if (!open.empty()) open.pop_back();
                continue;
            }
            const auto found = abbreviations_.find(code);
            if (found == abbreviations_.end() || ++entries_ > kMostEntries) throw DamagedLines();
            const int parent = open.empty() ? -1 : open.back();
            const int own = take(found->second, at, parent);
            if (found->second.children) open.push_back(own);
        } while (!open.empty() && !bytes_.ended());
        for (std::size_t i = 0; i < unit_.scopes.size(); ++i)
            unit_.scopes[i].function = nameOf(origins_[i]);
        return std::move(unit_);
    }

private:
    /// False where it is no unit with code.
    bool readHead() {
        constexpr int kCompile = 1, kPartial = 3;
        version_ = bytes_.take<std::uint16_t>();
        if (version_ != 4 && version_ != 5)
            throw std::runtime_error(
                fmt::format("debugging information of version {} is not read", version_));
        std::uint64_t abbreviations = 0;
        if (version_ == 5) {
            const int type = bytes_.take<std::uint8_t>();
            if (type != kCompile && type != kPartial) return false;
            bytes_.take<std::uint8_t>();  // the size of an address
            abbreviations = bytes_.take<std::uint32_t>();
        } else {
            abbreviations = bytes_.take<std::uint32_t>();
            bytes_.take<std::uint8_t>();
        }
        abbreviations_ = abbreviationsAt(tables_.abbreviations, abbreviations);
        return true;
    }

    /// An entry's attributes; the scope that its children are in.
    int take(const Abbreviation& abbreviation, std::uint64_t at, int parent) {
        Entry entry;
        for (const AttributeForm& a : abbreviation.attributes)
            set(entry, a.attribute, readValue(bytes_, a.form, a.constant));
        if (entries_ == 1) {  // the unit's own
            unitEntry_ = entry;
            unit_.rows = entry.statements.number;
            low_ = entry.low.form != 0 ? addressOf(entry.low) : 0;
            return -1;
        }
        if (abbreviation.tag == kSubprogram) functions_[at] = entry;
        if (abbreviation.tag != kSubprogram && abbreviation.tag != kInlined) return parent;
        DwarfScope scope;
        scope.ranges = rangesOf(entry);
        if (scope.ranges.empty()) return parent;
        if (abbreviation.tag == kInlined) {
            scope.parent = parent;
            scope.callFile = static_cast<int>(entry.callFile.number);
            scope.callLine = static_cast<int>(entry.callLine.number);
            origins_.push_back(entry.same.value_or(at));
        } else {
            origins_.push_back(at);
        }
        unit_.scopes.push_back(std::move(scope));
        return static_cast<int>(unit_.scopes.size()) - 1;
    }

    void set(Entry& entry, std::uint64_t attribute, const Value& value) const {
        switch (attribute) {
            case kName:
                entry.name = value;
                break;
            case kLinkageName:
                entry.linkageName = value;
                break;
            case kLow:
                entry.low = value;
                break;
            case kHigh:
                entry.high = value;
                break;
            case kRanges:
                entry.ranges = value;
                break;
            case kCallFile:
                entry.callFile = value;
                break;
            case kCallLine:
                entry.callLine = value;
                break;
            case kStatements:
                entry.statements = value;
                break;
            case kOrigin:
            case kSpecification:
                entry.same = value.number + (value.form == kReferenceInAll ? 0 : offset_);
                break;
            case kTextBase:
                entry.textBase = value.number;
                break;
            case kAddressBase:
                entry.addressBase = value.number;
                break;
            case kRangesBase:
                entry.rangesBase = value.number;
                break;
            default:
                break;
        }
    }

    std::string_view textOf(const Value& value) const {
        if (value.form == kText) return value.text;
        if (value.form == kTextAt) return dwarf::textOf(tables_.text, value.number);
        if (value.form == kLineTextAt) return dwarf::textOf(tables_.lineText, value.number);
        if (!isIndex(value.form, kTextIndex, kTextIndex1)) return {};
        const auto offset =
            readAt<std::uint32_t>(tables_.textOffsets, unitEntry_.textBase + 4 * value.number);
        if (!offset) throw DamagedLines();
        return dwarf::textOf(tables_.text, *offset);
    }

    std::uint64_t addressOf(const Value& value) const {
        if (!isIndex(value.form, kAddressIndex, kAddressIndex1)) return value.number;
        return addressNumber(value.number);
    }
    std::uint64_t addressNumber(std::uint64_t index) const {
        const auto found =
            readAt<std::uint64_t>(tables_.addresses, unitEntry_.addressBase + 8 * index);
        if (!found) throw DamagedLines();
        return *found;
    }

    using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

    Ranges rangesOf(const Entry& entry) const {
        if (entry.ranges.form != 0)
            return version_ == 5 ? rangeList(entry.ranges) : oldRanges(entry.ranges.number);
        if (entry.low.form == 0 || entry.high.form == 0) return {};
        const std::uint64_t low = addressOf(entry.low);
        const bool whole =
            entry.high.form == kAddress || isIndex(entry.high.form, kAddressIndex, kAddressIndex1);
        const std::uint64_t high = whole ? addressOf(entry.high) : low + entry.high.number;
        if (low == 0 || high <= low) return {};  // it was left out when the program was linked
        return {{low, high}};
    }

    /// Of .debug_ranges.
    Ranges oldRanges(std::uint64_t offset) const {
        Ranges ranges;
        DwarfBytes bytes(tables_.ranges, offset);
        std::uint64_t base = low_;
        for (;;) {
            const auto begin = bytes.take<std::uint64_t>(), end = bytes.take<std::uint64_t>();
            if (begin == 0 && end == 0) return ranges;
            if (begin == ~std::uint64_t{0})
                base = end;
            else
                add(ranges, base + begin, base + end);
        }
    }

    /// Of .debug_rnglists.
    Ranges rangeList(const Value& value) const {
        enum { end, baseIndex, startIndex, startLength, pair, base, startEnd, start };
        std::uint64_t offset = value.number;
        if (value.form == kRangesIndex) {
            const std::uint64_t table = unitEntry_.rangesBase;
            const auto own = readAt<std::uint32_t>(tables_.rangeLists, table + 4 * offset);
            if (!own) throw DamagedLines();
            offset = table + *own;
        }
        Ranges ranges;
        DwarfBytes bytes(tables_.rangeLists, offset);
        std::uint64_t from = low_;
        const auto add = [&](std::uint64_t a, std::uint64_t b) { this->add(ranges, a, b); };
        for (;;) {
            switch (bytes.take<std::uint8_t>()) {
                case end:
                    return ranges;
                case baseIndex:
                    from = addressNumber(bytes.number());
                    break;
                case startIndex: {
                    const std::uint64_t a = addressNumber(bytes.number());
                    add(a, addressNumber(bytes.number()));
                    break;
                }
                case startLength: {
                    const std::uint64_t a = addressNumber(bytes.number());
                    add(a, a + bytes.number());
                    break;
                }
                case pair: {
                    const std::uint64_t a = from + bytes.number();
                    add(a, from + bytes.number());
                    break;
                }
                case base:
                    from = bytes.take<std::uint64_t>();
                    break;
                case startEnd: {
                    const auto a = bytes.take<std::uint64_t>();
                    add(a, bytes.take<std::uint64_t>());
                    break;
                }
                case start: {
                    const auto a = bytes.take<std::uint64_t>();
                    add(a, a + bytes.number());
                    break;
                }
                default:
                    throw DamagedLines();
            }
        }
    }

    static void add(Ranges& ranges, std::uint64_t begin, std::uint64_t end) {
        if (begin < end && begin != 0) ranges.emplace_back(begin, end);
    }

    std::string nameOf(std::uint64_t at) const {
        std::string_view name;
        std::optional<std::uint64_t> next = at;
        for (int i = 0; next && i < kMostReferences; ++i) {
            const auto found = functions_.find(*next);
            if (found == functions_.end()) break;
            const Entry& entry = found->second;
            if (entry.linkageName.form != 0) return std::string(textOf(entry.linkageName));
            if (name.empty()) name = textOf(entry.name);
            next = entry.same;
        }
        if (!name.starts_with("operator")) name = name.substr(0, name.find('<'));
        return std::string(name);
    }

    const Tables& tables_;
    const std::uint64_t offset_;
    DwarfBytes bytes_;
    int version_ = 0;
    std::size_t entries_ = 0;
    std::uint64_t low_ = 0;  ///< of the unit
    Abbreviations abbreviations_;
    Entry unitEntry_;
    std::map<std::uint64_t, Entry> functions_;  ///< by the places of their entries
    std::vector<std::uint64_t> origins_;        ///< as unit_.scopes: entries that have the name
    DwarfUnit unit_;
};

}  // namespace

}  // namespace rayscope::dwarf

namespace rayscope {

std::vector<DwarfUnit> readDwarfScopes(const std::vector<CubinSection>& sections) {
    const dwarf::Tables tables(sections);
    std::vector<DwarfUnit> units;
    DwarfBytes bytes(tables.info);
    while (!bytes.ended()) {
        const std::uint64_t offset = bytes.at();
        const auto length = bytes.take<std::uint32_t>();
        const std::size_t end = bytes.at() + length;
        DwarfUnit unit = dwarf::UnitReader(tables, offset, bytes.until(end)).read();
        units.push_back(std::move(unit));
        bytes.goTo(end);
    }
    return units;
}

}  // namespace rayscope
