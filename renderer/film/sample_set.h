#pragma once

#include <cstdint>
#include <vector>

namespace rayscope {

/// Samples of every pixel, by number: [first, first + count).
struct SampleRange {
    int first = 0, count = 0;
    int end() const { return first + count; }
    bool operator==(const SampleRange&) const = default;
};

/// Samples that a film holds, in ranges that neither overlap nor touch, the lowest first.
class SampleSet {
public:
    SampleSet() = default;
    explicit SampleSet(SampleRange range) { add(range); }

    /// False, and nothing is added, if some of them are there already.
    bool add(SampleRange range);
    int count() const;
    /// What is missing below `end`.
    std::vector<SampleRange> missing(int end) const;
    /// The sample after the last.
    int next() const { return ranges_.empty() ? 0 : ranges_.back().end(); }
    bool operator==(const SampleSet&) const = default;

private:
    std::vector<SampleRange> ranges_;
};

}  // namespace rayscope
