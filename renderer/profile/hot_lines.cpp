#include "renderer/profile/hot_lines.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "renderer/backend/function_name.h"

namespace rayscope {

namespace {

// What is no wait: a warp issues, or could, but its scheduler has chosen another.
constexpr const char *kIssuing = "issuing", *kReady = "not selected";

/// Executions of a line, and by part.
struct LineSum {
    Executed all;
    Sampled sampled;
    std::array<std::uint64_t, kParts> parts{};
    std::string function;
};
using Lines = std::map<std::pair<int, int>, LineSum>;  ///< by file and line

void add(Lines& lines, const SourceMap::Place& place, Part part, const Executed& executed,
         const std::vector<std::uint64_t>& sampled) {
    LineSum& sum = lines[{place.file, place.line}];
    sum.all += executed;
    sum.sampled += sampled;
    sum.parts[static_cast<std::size_t>(part)] += executed.warps;
    if (sum.function.empty()) sum.function = place.function;
}

std::vector<HotLine> sorted(const Lines& lines, const SourceMap& map) {
    std::vector<HotLine> result;
    for (const auto& [where, sum] : lines) {
        const auto most = std::max_element(sum.parts.begin(), sum.parts.end());
        result.push_back({map.files()[static_cast<std::size_t>(where.first)], where.second,
                          sum.function, static_cast<Part>(most - sum.parts.begin()), sum.all,
                          sum.sampled});
    }
    std::stable_sort(result.begin(), result.end(), [](const HotLine& a, const HotLine& b) {
        return a.executed.warps > b.executed.warps;
    });
    return result;
}

using Samples = std::map<std::uint32_t, const std::vector<std::uint64_t>*>;  ///< by address

Samples samplesOf(const StallSamples& stalls, const std::string& symbol) {
    Samples samples;
    const auto kernel = std::ranges::find(stalls.kernels, symbol, &KernelStalls::symbol);
    if (kernel == stalls.kernels.end()) return samples;
    for (const InstructionStalls& i : kernel->instructions) samples[i.address] = &i.samples;
    return samples;
}

}  // namespace

Sampled& Sampled::operator+=(const std::vector<std::uint64_t>& samples) {
    byReason.resize(std::max(byReason.size(), samples.size()));
    for (std::size_t i = 0; i < samples.size(); ++i) byReason[i] += samples[i];
    return *this;
}

std::uint64_t Sampled::all() const {
    return std::accumulate(byReason.begin(), byReason.end(), std::uint64_t{0});
}

std::string stallName(const std::string& reason) {
    static const std::map<std::string, const char*> kOthers{{"imc_miss", "constant cache miss"},
                                                            {"lg_throttle", "LG throttle"},
                                                            {"mio_throttle", "MIO throttle"},
                                                            {"tex_throttle", "TEX throttle"},
                                                            {"dispatch_stall", "dispatch"},
                                                            {"selected", kIssuing},
                                                            {"not_selected", kReady}};
    if (const auto other = kOthers.find(reason); other != kOthers.end()) return other->second;
    std::string name = reason;
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::vector<std::pair<std::uint64_t, std::string>> stallsOf(
    const Sampled& sampled, const std::vector<std::string>& reasons) {
    std::vector<std::pair<std::uint64_t, std::string>> stalls;
    for (std::size_t i = 0; i < sampled.byReason.size(); ++i) {
        if (sampled.byReason[i] > 0)
            stalls.emplace_back(sampled.byReason[i], stallName(reasons[i]));
    }
    std::ranges::stable_sort(stalls, std::ranges::greater{}, [](const auto& s) { return s.first; });
    return stalls;
}

std::string mainStall(const Sampled& sampled, const std::vector<std::string>& reasons) {
    for (const auto& [samples, name] : stallsOf(sampled, reasons)) {
        if (name != kIssuing && name != kReady) return name;
    }
    return {};
}

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

std::vector<KernelCounts> countsOf(const HostSamples& samples, const HostObject& object) {
    std::vector<KernelCounts> counts;
    const HostFunction* before = nullptr;
    for (const HostSamples::At& one : samples.at) {
        const HostFunction* const function = object.at(one.address);
        if (function == nullptr) continue;
        if (function != before) counts.push_back({function->symbol, {}});
        before = function;
        counts.back().instructions.push_back(
            {static_cast<std::uint32_t>(one.address), one.samples, one.samples, one.samples});
    }
    return counts;
}

HotLines hotLines(const std::vector<KernelCounts>& counts, const LineTable& table,
                  const std::vector<std::string>& sources, const StallSamples& stalls) {
    static const std::vector<std::uint64_t> kNever;
    const SourceMap map(table, sources);
    HotLines hot;
    Lines lines, asNcu;
    for (const KernelCounts& kernel : counts) {
        HotKernel& sum = hot.kernels.emplace_back(HotKernel{kernel.symbol, {}});
        const Samples samples = samplesOf(stalls, kernel.symbol);
        for (const InstructionCount& i : kernel.instructions) {
            const Executed executed{i.warps, i.lanes, i.on};
            const auto found = samples.find(i.address);
            const std::vector<std::uint64_t>& sampled =
                found == samples.end() ? kNever : *found->second;
            sum.executed += executed;
            sum.sampled += sampled;
            const int place = table.placeAt(kernel.symbol, i.address);
            if (place < 0) {
                hot.unknown += executed;
                continue;
            }
            const Part part = map.part(place);
            hot.parts[static_cast<std::size_t>(part)] += executed;
            hot.sampledParts[static_cast<std::size_t>(part)] += sampled;
            add(lines, map.place(map.working(place)), part, executed, sampled);
            if (const int first = table.firstAt(kernel.symbol, i.address); first >= 0)
                add(asNcu, map.place(first), part, executed, sampled);
        }
        hot.all += sum.executed;
        hot.sampled += sum.sampled.byReason;
    }
    hot.lines = sorted(lines, map);
    hot.asNcu = sorted(asNcu, map);
    return hot;
}

}  // namespace rayscope
