#include "renderer/profile/hot_lines.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "renderer/profile/function_name.h"

namespace rayscope {

namespace {

/// The name of the source that a path ends with, or the path.
std::string sourceOf(const std::string& path, const std::vector<std::string>& sources) {
    for (const std::string& name : sources) {
        if (path == name || path.ends_with("/" + name)) return name;
    }
    return path;
}

/// Executions of a line, and by part.
struct LineSum {
    Executed all;
    std::array<std::uint64_t, kParts> parts{};
    std::string function;
};
using Lines = std::map<std::pair<int, int>, LineSum>;  ///< by file and line

void add(Lines& lines, const SourceMap::Place& place, Part part, const Executed& executed) {
    LineSum& sum = lines[{place.file, place.line}];
    sum.all += executed;
    sum.parts[static_cast<std::size_t>(part)] += executed.warps;
    if (sum.function.empty()) sum.function = place.function;
}

std::vector<HotLine> sorted(const Lines& lines, const SourceMap& map) {
    std::vector<HotLine> result;
    for (const auto& [where, sum] : lines) {
        const auto most = std::max_element(sum.parts.begin(), sum.parts.end());
        result.push_back({map.files()[static_cast<std::size_t>(where.first)], where.second,
                          sum.function, static_cast<Part>(most - sum.parts.begin()), sum.all});
    }
    std::stable_sort(result.begin(), result.end(), [](const HotLine& a, const HotLine& b) {
        return a.executed.warps > b.executed.warps;
    });
    return result;
}

}  // namespace

Part partOf(const std::string& file, const std::string& function) {
    Part rest = Part::caller;
    for (const PartOfCode& row : kPartsOfCode) {
        if (file != row.file) continue;
        if (function == row.function) return row.part;
        if (*row.function == '\0') rest = row.part;
    }
    return rest;
}

SourceMap::SourceMap(const LineTable& table, const std::vector<std::string>& sources)
    : table_(table) {
    for (const std::string& path : table.files) files_.push_back(sourceOf(path, sources));
    std::vector<std::string> functions;
    for (const std::string& mangled : table.functions) functions.push_back(functionName(mangled));
    for (const SourcePlace& p : table.places) {
        Place place{p.file, p.line, {}, Part::caller};
        if (p.function >= 0) place.function = functions[static_cast<std::size_t>(p.function)];
        place.part = partOf(files_[static_cast<std::size_t>(p.file)], place.function);
        places_.push_back(std::move(place));
    }
}

int SourceMap::working(int place) const {
    for (int p = place; p >= 0; p = table_.places[static_cast<std::size_t>(p)].caller) {
        if (places_[static_cast<std::size_t>(p)].part != Part::caller) return p;
    }
    return place;
}

Part SourceMap::part(int place) const {
    return partFrom(working(place));
}

Part SourceMap::stage(int place) const {
    int p = working(place);
    while (partFrom(p) == Part::random) {
        const int caller = table_.places[static_cast<std::size_t>(p)].caller;
        if (caller < 0) break;
        p = working(caller);
    }
    return partFrom(p);
}

/// `working`: what working() has found.
Part SourceMap::partFrom(int working) const {
    const Part own = places_[static_cast<std::size_t>(working)].part;
    if (own == Part::caller) return Part::loop;
    if (own != Part::search) return own;
    // a search within a shadow ray's
    for (int p = working; p >= 0; p = table_.places[static_cast<std::size_t>(p)].caller) {
        if (places_[static_cast<std::size_t>(p)].part == Part::shadow) return Part::shadow;
    }
    return own;
}

HotLines hotLines(const std::vector<KernelCounts>& counts, const LineTable& table,
                  const std::vector<std::string>& sources) {
    const SourceMap map(table, sources);
    HotLines hot;
    Lines lines, asNcu;
    for (const KernelCounts& kernel : counts) {
        HotKernel& sum = hot.kernels.emplace_back(HotKernel{kernel.symbol, {}});
        for (const InstructionCount& i : kernel.instructions) {
            const Executed executed{i.warps, i.lanes, i.on};
            sum.executed += executed;
            const int place = table.placeAt(kernel.symbol, i.address);
            if (place < 0) {
                hot.unknown += executed;
                continue;
            }
            const Part part = map.part(place);
            hot.parts[static_cast<std::size_t>(part)] += executed;
            add(lines, map.place(map.working(place)), part, executed);
            if (const int first = table.firstAt(kernel.symbol, i.address); first >= 0)
                add(asNcu, map.place(first), part, executed);
        }
        hot.all += sum.executed;
    }
    hot.lines = sorted(lines, map);
    hot.asNcu = sorted(asNcu, map);
    return hot;
}

}  // namespace rayscope
