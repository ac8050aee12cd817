#pragma once

#include <string>
#include <vector>

namespace rayscope {

enum class DiffKind { same, removed, added };

/// A line of A (removed), of B (added) or of both.
struct DiffLine {
    DiffKind kind = DiffKind::same;
    int a = -1, b = -1;  ///< index of the line in A and in B; -1: not there
    bool operator==(const DiffLine&) const = default;
};

/// How to get from A to B, line by line, in order; in each change removed lines come first. The
/// diff is the shortest one if the two differ in no more than a few thousand lines, else perhaps
/// not (Myers 1986, "An O(ND) Difference Algorithm and Its Variations", in linear space).
std::vector<DiffLine> diffLines(const std::vector<std::string>& a,
                                const std::vector<std::string>& b);

/// A part of a diff.
struct DiffHunk {
    size_t begin = 0, end = 0;  ///< lines of the diff
};

/// The changes, each with up to `context` unchanged lines before and after it.
std::vector<DiffHunk> hunksOf(const std::vector<DiffLine>& diff, size_t context);

}  // namespace rayscope
