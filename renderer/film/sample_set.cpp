#include "renderer/film/sample_set.h"

#include <algorithm>

namespace rayscope {

bool SampleSet::add(SampleRange range) {
    if (range.count <= 0) return true;
    auto after = std::find_if(ranges_.begin(), ranges_.end(),
                              [&](const SampleRange& other) { return other.first >= range.first; });
    if (after != ranges_.end() && after->first < range.end()) return false;
    if (after != ranges_.begin()) {
        const SampleRange& before = *(after - 1);
        if (before.end() > range.first) return false;
        if (before.end() == range.first) {
            range = {before.first, before.count + range.count};
            after = ranges_.erase(after - 1);
        }
    }
    if (after != ranges_.end() && after->first == range.end()) {
        range.count += after->count;
        after = ranges_.erase(after);
    }
    ranges_.insert(after, range);
    return true;
}

int SampleSet::count() const {
    int sum = 0;
    for (const SampleRange& range : ranges_) sum += range.count;
    return sum;
}

std::vector<SampleRange> SampleSet::missing(int end) const {
    std::vector<SampleRange> gaps;
    int begin = 0;
    for (const SampleRange& range : ranges_) {
        const int stop = std::min(range.first, end);
        if (begin < stop) gaps.push_back({begin, stop - begin});
        begin = range.end();
    }
    if (begin < end) gaps.push_back({begin, end - begin});
    return gaps;
}

}  // namespace rayscope
