#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/backend/host_object.h"
#include "renderer/backend/instruction_counts.h"
#include "renderer/backend/line_table.h"
#include "renderer/core/parts.h"

// From how often each instruction was executed to the lines of the sources and the parts of a
// path's work that they belong to.

namespace rayscope {

/// Instructions that were executed, each as often as it was.
struct Executed {
    std::uint64_t warps = 0;  ///< by warps
    std::uint64_t lanes = 0;  ///< by their active lanes,
    std::uint64_t on = 0;     ///< and by those whose predicate was true

    Executed& operator+=(const Executed& other) {
        warps += other.warps;
        lanes += other.lanes;
        on += other.on;
        return *this;
    }
    /// Lanes that such an instruction had at work, of 32.
    double perWarp() const {
        return warps > 0 ? static_cast<double>(lanes) / static_cast<double>(warps) : 0;
    }
    /// Lane slots without an active lane.
    std::uint64_t idle() const { return 32 * warps - lanes; }
};

/// How often warps were seen there, by what they waited for (StallSamples::reasons).
struct Sampled {
    std::vector<std::uint64_t> byReason;

    Sampled& operator+=(const std::vector<std::uint64_t>& samples);
    std::uint64_t all() const;
};

/// A line that was executed.
struct HotLine {
    std::string file;  ///< "renderer/core/path.h"
    int line = 0;
    std::string function;    ///< "followLoop"; empty: the kernel itself
    Part part = Part::loop;  ///< of most of its instructions
    Executed executed;
    Sampled sampled = {};
};

struct HotKernel {
    std::string symbol;
    Executed executed;
    Sampled sampled = {};
};

struct HotLines {
    Executed all;
    std::vector<HotKernel> kernels;  ///< as they were counted
    /// Most instructions first. What helpers do, such as a dot product, is done by the line that
    /// calls them (Part::caller).
    std::vector<HotLine> lines;
    /// The same by LineTable::firstAt(), as Nsight Compute shows lines.
    std::vector<HotLine> asNcu;
    std::array<Executed, kParts> parts{};
    Executed unknown;  ///< without a line; no part has them
    Sampled sampled;   ///< of all kernels
    std::array<Sampled, kParts> sampledParts{};
};

/// The part of a function's code; Part::caller too where nothing is known.
Part partOf(const std::string& file, const std::string& function);

/// A line table in the words of the sources.
class SourceMap {
public:
    /// `sources`: names of files, "renderer/core/path.h", which the table knows by longer paths.
    SourceMap(const LineTable& table, const std::vector<std::string>& sources);

    struct Place {
        int file = -1;  ///< of files()
        int line = 0;
        std::string function;
        Part part = Part::caller;  ///< of this code alone
    };
    const std::vector<std::string>& files() const { return files_; }
    const Place& place(int place) const { return places_.at(static_cast<std::size_t>(place)); }
    /// From an instruction's place outwards, the first whose part is known; else the place itself.
    int working(int place) const;
    /// The part that an instruction there belongs to.
    Part part(int place) const;
    /// The same, but random numbers belong to the part that draws them.
    Part stage(int place) const;

private:
    Part partFrom(int working) const;

    const LineTable& table_;
    std::vector<std::string> files_;
    std::vector<Place> places_;  ///< as table_.places
};

/// `stalls`: of the same kernels, or of none.
HotLines hotLines(const std::vector<KernelCounts>& counts, const LineTable& table,
                  const std::vector<std::string>& sources, const StallSamples& stalls = {});

/// Samples of a CPU's threads in the place of counts, so that a share of them is one of time: each
/// is an instruction of one lane. By function, at addresses in the object; those in none are not
/// there.
std::vector<KernelCounts> countsOf(const HostSamples& samples, const HostObject& object);

/// A reason in words: "long scoreboard" for "long_scoreboard".
std::string stallName(const std::string& reason);
/// Samples and what was waited for, in words, most first.
std::vector<std::pair<std::uint64_t, std::string>> stallsOf(
    const Sampled& sampled, const std::vector<std::string>& reasons);
/// What the warps that were seen waited for most, in words; empty: for nothing.
std::string mainStall(const Sampled& sampled, const std::vector<std::string>& reasons);

}  // namespace rayscope
