#include "renderer/code/line_diff.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace rayscope {

namespace {

/// Edits after which a search settles for the path that has come furthest: about 30 ms.
constexpr int kMostEdits = 2000;
/// No path reaches a diagonal.
constexpr int kNowhere = -1;

struct Range {
    int begin = 0, end = 0;
    int size() const { return end - begin; }
};

struct Point {
    int x = 0, y = 0;
};

/// Compares lines as numbers, which are equal for equal lines.
class Differ {
public:
    Differ(std::vector<int> a, std::vector<int> b) : a_(std::move(a)), b_(std::move(b)) {}

    std::vector<DiffLine> run() {
        compare({0, static_cast<int>(a_.size())}, {0, static_cast<int>(b_.size())});
        return std::move(result_);
    }

private:
    /// The furthest x that a number of edits reaches on each diagonal x - y.
    struct Frontier {
        std::vector<int> furthest;
        int middle = 0;
        int& on(int diagonal) { return furthest[static_cast<size_t>(middle + diagonal)]; }
    };

    void compare(Range a, Range b);
    Point split(Range a, Range b);
    int advance(Frontier& frontier, int edits, int diagonal, Range a, Range b, bool backwards);
    Point furthestOf(Frontier& frontier, int edits, Range a, Range b) const;
    void same(int a, int b) { result_.push_back({DiffKind::same, a, b}); }

    std::vector<int> a_, b_;
    std::vector<DiffLine> result_;
};

void Differ::compare(Range a, Range b) {
    while (a.size() > 0 && b.size() > 0 && a_[a.begin] == b_[b.begin]) same(a.begin++, b.begin++);
    int alike = 0;
    while (a.size() > 0 && b.size() > 0 && a_[a.end - 1] == b_[b.end - 1])
        --a.end, --b.end, ++alike;
    if (a.size() == 0 || b.size() == 0) {
        for (int i = a.begin; i < a.end; ++i) result_.push_back({DiffKind::removed, i, -1});
        for (int i = b.begin; i < b.end; ++i) result_.push_back({DiffKind::added, -1, i});
    } else {
        const Point at = split(a, b);
        compare({a.begin, at.x}, {b.begin, at.y});
        compare({at.x, a.end}, {at.y, b.end});
    }
    for (int i = 0; i < alike; ++i) same(a.end + i, b.end + i);
}

/// Extends a path by one more edit to a diagonal and by all equal lines that follow. Returns the
/// new x, counted from the end where the search begins.
int Differ::advance(Frontier& frontier, int edits, int diagonal, Range a, Range b, bool backwards) {
    int& x = frontier.on(diagonal);
    const int down = frontier.on(diagonal + 1);
    const int right =
        frontier.on(diagonal - 1) == kNowhere ? kNowhere : frontier.on(diagonal - 1) + 1;
    x = edits == 0 ? 0 : kNowhere;
    if (down != kNowhere && down - diagonal <= b.size()) x = down;
    if (right <= a.size()) x = std::max(x, right);
    if (x == kNowhere) return x;
    const auto alike = [&](int y) {
        return backwards ? a_[a.end - 1 - x] == b_[b.end - 1 - y]
                         : a_[a.begin + x] == b_[b.begin + y];
    };
    while (x < a.size() && x - diagonal < b.size() && alike(x - diagonal)) ++x;
    return x;
}

/// Where the forward search has come furthest.
Point Differ::furthestOf(Frontier& frontier, int edits, Range a, Range b) const {
    Point best;
    for (int k = -edits; k <= edits; k += 2) {
        const int x = frontier.on(k), y = x - k;
        if (x != kNowhere && x + y > best.x + best.y) best = {x, y};
    }
    return {a.begin + best.x, b.begin + best.y};
}

/// A point on a shortest path from the beginning of both to their ends, and neither of the two:
/// where the searches from both ends meet. The first lines must differ, and the last ones too.
Point Differ::split(Range a, Range b) {
    const int delta = a.size() - b.size();
    const int bound = std::min((a.size() + b.size() + 1) / 2, kMostEdits);
    Frontier forward{std::vector<int>(static_cast<size_t>(2 * bound + 3), kNowhere), bound + 1};
    Frontier backward = forward;
    // Diagonal k is delta - k from the other end. The parity of delta is that of the number of
    // edits.
    const auto meets = [&](int x, int k, Frontier& others, int edits) {
        if (x == kNowhere || std::abs(delta - k) > edits) return false;
        const int other = others.on(delta - k);
        return other != kNowhere && x + other >= a.size();
    };
    for (int edits = 0; edits <= bound; ++edits) {
        for (int k = -edits; k <= edits; k += 2) {
            const int x = advance(forward, edits, k, a, b, false);
            if (delta % 2 != 0 && meets(x, k, backward, edits - 1))
                return {a.begin + x, b.begin + x - k};
        }
        for (int k = -edits; k <= edits; k += 2) {
            const int x = advance(backward, edits, k, a, b, true);
            if (delta % 2 == 0 && meets(x, k, forward, edits)) return {a.end - x, b.end - (x - k)};
        }
    }
    return furthestOf(forward, bound, a, b);
}

/// Puts the removed lines of each change before the added ones.
void removedFirst(std::vector<DiffLine>& diff) {
    const auto changed = [](const DiffLine& line) { return line.kind != DiffKind::same; };
    const auto removed = [](const DiffLine& line) { return line.kind == DiffKind::removed; };
    for (auto at = diff.begin(); at != diff.end();) {
        const auto begin = std::find_if(at, diff.end(), changed);
        at = std::find_if_not(begin, diff.end(), changed);
        std::stable_partition(begin, at, removed);
    }
}

}  // namespace

std::vector<DiffLine> diffLines(const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
    std::unordered_map<std::string, int> numbers;
    const auto numbered = [&](const std::vector<std::string>& lines) {
        std::vector<int> result;
        for (const std::string& line : lines)
            result.push_back(numbers.emplace(line, static_cast<int>(numbers.size())).first->second);
        return result;
    };
    std::vector<int> numbersOfA = numbered(a);
    std::vector<DiffLine> diff = Differ(std::move(numbersOfA), numbered(b)).run();
    removedFirst(diff);
    return diff;
}

std::vector<DiffHunk> hunksOf(const std::vector<DiffLine>& diff, size_t context) {
    std::vector<DiffHunk> hunks;
    for (size_t i = 0; i < diff.size(); ++i) {
        if (diff[i].kind == DiffKind::same) continue;
        const size_t begin = i > context ? i - context : 0;
        const size_t end = std::min(i + context + 1, diff.size());
        if (!hunks.empty() && begin <= hunks.back().end)
            hunks.back().end = end;
        else
            hunks.push_back({begin, end});
    }
    return hunks;
}

}  // namespace rayscope
