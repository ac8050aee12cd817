#pragma once

#include <string>
#include <vector>

namespace rayscope {

enum class DiffKind { same, removed, added };

/// A line of A (removed), of B (added) or of both.
struct DiffLine {
    DiffKind kind = DiffKind::same;
    int a = -1, b = -1;  ///< which line of either side; -1 where it is not there
    bool operator==(const DiffLine&) const = default;
};

/// How B comes from A, line by line, in order; of each change first what is removed. The fewest
/// lines are removed and added where the two differ in a few thousand lines; beyond that not always
/// (Myers, "An O(ND) difference algorithm and its variations", 1986, in linear space).
std::vector<DiffLine> diffLines(const std::vector<std::string>& a,
                                const std::vector<std::string>& b);

/// Parts of a diff with so many unchanged lines around each change.
struct DiffHunk {
    size_t begin = 0, end = 0;  ///< lines of the diff
};
std::vector<DiffHunk> hunksOf(const std::vector<DiffLine>& diff, size_t context);

}  // namespace rayscope
