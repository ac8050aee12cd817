#include "renderer/code/modelled_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "renderer/backend/cubin_file.h"
#include "renderer/code/machine_blocks.h"

namespace rayscope {

namespace {

using Blocks = std::map<int, int>;  ///< how many instructions, by the number of their block
using Instructions = std::vector<MachineInstruction>;

/// The lines of a kernel in PTX, by their places in its machine code.
class Lines {
public:
    Lines(const CountingTwin& twin, std::string_view kernel, const LineTable& table,
          const std::vector<std::string>& sources)
        : table_(table),
          sizes_(static_cast<std::size_t>(twin.blocks)),
          known_(table.places.size()) {
        for (const std::string& path : table.files) files_.push_back(sourceOf(path, sources));
        for (const std::string_view name : {kernel, std::string_view()}) {
            const auto found = twin.kernels.find(name);
            if (found == twin.kernels.end()) continue;
            lines_.push_back(&found->second);
            for (const auto& [line, blocks] : found->second.blocks) {
                for (const auto& [block, n] : blocks) sizes_[static_cast<std::size_t>(block)] += n;
            }
        }
    }

    /// The blocks of a line; nullptr where PTX does not have it.
    const Blocks* blocksOf(int place) {
        if (place < 0) return nullptr;
        auto& known = known_[static_cast<std::size_t>(place)];
        if (!known) known = find(lineOf(place));
        return *known;
    }
    /// Whether PTX calls a function there.
    bool calls(int place) const {
        const InlinedLine line = lineOf(place);
        return std::ranges::any_of(lines_,
                                   [&](const PtxLines* l) { return l->calls.contains(line); });
    }
    /// How many instructions with a line a block has.
    int sizeOf(int block) const { return sizes_[static_cast<std::size_t>(block)]; }

private:
    InlinedLine lineOf(int place) const {
        InlinedLine line;
        for (int p = place; p >= 0; p = table_.places[static_cast<std::size_t>(p)].caller) {
            const SourcePlace& one = table_.places[static_cast<std::size_t>(p)];
            line.emplace_back(files_[static_cast<std::size_t>(one.file)], one.line);
        }
        return line;
    }

    const Blocks* find(const InlinedLine& line) const {
        for (const PtxLines* lines : lines_) {
            const auto found = lines->blocks.find(line);
            if (found != lines->blocks.end()) return &found->second;
        }
        return nullptr;
    }

    const LineTable& table_;
    std::vector<std::string> files_;  ///< as table_.files
    std::vector<const PtxLines*> lines_;
    std::vector<int> sizes_;
    std::vector<std::optional<const Blocks*>> known_;  ///< by place
};

/// What a block of machine code of these lines has executed. Blocks of PTX weigh by the fourth
/// power of their similarity: the instructions of the same lines that both have, over those that
/// either has (Jaccard 1901). So the most similar one decides, and copies of it share.
InstructionCount countOf(const std::vector<const Blocks*>& instructions, const Lines& lines,
                         const std::vector<std::uint64_t>& counted) {
    std::map<const Blocks*, int> own;
    for (const Blocks* line : instructions) ++own[line];
    std::map<int, int> common;
    for (const auto& [line, n] : own) {
        for (const auto& [block, m] : *line) common[block] += std::min(n, m);
    }
    double warps = 0, lanes = 0, all = 0;
    for (const auto& [block, n] : common) {
        const auto at = 2 * static_cast<std::size_t>(block);
        const int both = static_cast<int>(instructions.size()) + lines.sizeOf(block);
        const double weight = std::pow(static_cast<double>(n) / (both - n), 4);
        warps += weight * static_cast<double>(counted[at]);
        lanes += weight * static_cast<double>(counted[at + 1]);
        all += weight;
    }
    if (!(all > 0)) return {};
    const auto whole = [&](double sum) {
        return static_cast<std::uint64_t>(std::llround(sum / all));
    };
    const std::uint64_t wholeWarps = whole(warps);
    const std::uint64_t wholeLanes = std::min(whole(lanes), 32 * wholeWarps);
    return {0, wholeWarps, wholeLanes, wholeLanes};
}

/// Which instructions lead to functions that PTX does not call, or are of these.
std::vector<bool> slowPaths(const Instructions& all, const LineTable& table,
                            const std::string& kernel, const Lines& lines) {
    std::vector<bool> slow(all.size());
    std::set<int> leading;
    for (const MachineInstruction& call : all) {
        if (call.calls == 0 || lines.calls(table.placeAt(kernel, call.address))) continue;
        leading.insert(call.block);
        auto one = std::ranges::find(all, call.calls, &MachineInstruction::address);
        for (bool ends = false; one != all.end() && !ends; ++one) {
            slow[static_cast<std::size_t>(one - all.begin())] = true;
            ends = one->returns;
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (leading.contains(all[i].block)) slow[i] = true;
    }
    return slow;
}

KernelCounts countsOf(const std::string& kernel, const Instructions& all, const LineTable& table,
                      Lines& lines, const std::vector<std::uint64_t>& counted) {
    KernelCounts counts{kernel, {}};
    const std::vector<bool> slow = slowPaths(all, table, kernel, lines);
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        std::vector<const Blocks*> known;
        for (end = begin; end < all.size() && all[end].block == all[begin].block; ++end) {
            const Blocks* const line = lines.blocksOf(table.placeAt(kernel, all[end].address));
            if (line != nullptr && !slow[end]) known.push_back(line);
        }
        InstructionCount count = countOf(known, lines, counted);
        for (std::size_t i = begin; i < end && count.warps > 0; ++i) {
            count.address = all[i].address;
            counts.instructions.push_back(count);
        }
    }
    return counts;
}

}  // namespace

Result<std::vector<KernelCounts>> modelledCounts(const CountingTwin& twin,
                                                 const std::vector<std::uint64_t>& counted,
                                                 const std::vector<KernelTwins::Symbols>& kernels,
                                                 std::string_view cubin, const LineTable& table,
                                                 const std::vector<std::string>& sources) {
    const auto sections = cubinSections(cubin);
    if (!sections) return Failure{"the compiled kernel is no machine code for a GPU"};
    if (counted.size() != 2 * static_cast<std::size_t>(twin.blocks))
        return Failure{fmt::format("{} blocks have {} counters", twin.blocks, counted.size())};
    std::vector<KernelCounts> counts;
    for (const KernelTwins::Symbols& symbols : kernels) {
        const auto section =
            std::ranges::find(*sections, ".text." + symbols.kernel, &CubinSection::name);
        if (section == sections->end())
            return Failure{fmt::format("the machine code lacks the kernel {}", symbols.kernel)};
        Lines lines(twin, symbols.twin, table, sources);
        counts.push_back(
            countsOf(symbols.kernel, machineInstructions(section->content), table, lines, counted));
    }
    return counts;
}

}  // namespace rayscope
