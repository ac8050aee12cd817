#include "renderer/scene/bvh.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <future>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <limits>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/stop.h"
#include "renderer/core/linear_bvh.h"

namespace rayscope {

namespace {

/// Comparisons between two looks at the interrupt, and shapes of a subtree before which there is
/// one: under a millisecond.
constexpr std::size_t kLookEvery = 1 << 14;
constexpr int kWorthALook = 4096;

/// In a loop over so many things.
void lookAt(int number) {
    if (number % static_cast<int>(kLookEvery) == 0) stopPoint();
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Bins per axis; more do not lower the cost of any scene's tree here.
constexpr int kBins = 32;
/// Cost of visiting a node, in tests of a shape.
constexpr float kNodeCost = 2;
/// A thread of its own is worth so many boxes.
constexpr int kWorthAThread = 1 << 13;
/// Shapes are cut where the sides of the best split without cuts overlap by more than this share of
/// the whole tree's surface (Stich et al. 2009 have the same).
constexpr float kWorthACut = 1e-5f;
using Point = std::array<float, 3>;

/// A box in the precision of the nodes.
struct Bounds {
    Point low{kInfinity, kInfinity, kInfinity};
    Point high{-kInfinity, -kInfinity, -kInfinity};

    void add(const Bounds& b) {
        for (int a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], b.low[a]);
            high[a] = std::max(high[a], b.high[a]);
        }
    }
    bool empty() const { return low[0] > high[0] || low[1] > high[1] || low[2] > high[2]; }
    float extent(int axis) const { return std::max(0.f, high[axis] - low[axis]); }
    /// Half the surface area.
    float area() const {
        const float x = extent(0), y = extent(1), z = extent(2);
        return x * y + y * z + z * x;
    }
};

Bounds united(Bounds a, const Bounds& b) {
    a.add(b);
    return a;
}

Bounds common(Bounds a, const Bounds& b) {
    for (int i = 0; i < 3; ++i) {
        a.low[i] = std::max(a.low[i], b.low[i]);
        a.high[i] = std::min(a.high[i], b.high[i]);
    }
    return a;
}

Bounds boundsOf(const Box& box) {
    Bounds b;
    for (int a = 0; a < 3; ++a) {
        b.low[a] = nextBelow(static_cast<float>(box.low[a]));
        b.high[a] = -nextBelow(-static_cast<float>(box.high[a]));
    }
    return b;
}

/// A shape, or a part of it in a box of its own.
struct Item {
    Bounds box;
    Point center;
    int id;
};

Item itemOf(const Box& box, int id) {
    Item item{boundsOf(box), {}, id};
    for (int a = 0; a < 3; ++a) item.center[a] = static_cast<float>((box.low[a] + box.high[a]) / 2);
    return item;
}

Item partOf(const Item& item, const Bounds& box) {
    Item part{box, {}, item.id};
    for (int a = 0; a < 3; ++a) part.center[a] = (box.low[a] + box.high[a]) / 2;
    return part;
}

/// Indices of the boxes, smallest first; equal ones keep their order.
std::vector<int> bySize(std::span<const Box> boxes) {
    std::vector<int> order(boxes.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<float> sizes;
    sizes.reserve(boxes.size());
    for (const Box& box : boxes) sizes.push_back(sizeOf(box));
    std::size_t compared = 0;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        if (++compared % kLookEvery == 0) stopPoint();
        return sizes[a] < sizes[b];
    });
    return order;
}

/// A reference in a tree that is behind so many nodes and entries of a list.
int moved(int reference, int nodes, int listed) {
    if (reference >= 0) return reference + nodes;
    return leafReference(leafFirst(reference) + listed, leafCount(reference));
}

/// Where a range is split, and the heuristic's cost times the area of the range's box.
struct Split {
    int axis = -1;
    int bin = 0;  ///< the last one on the left
    float cost = kInfinity;
};

/// A plane where shapes are cut.
struct CutPlane {
    int axis = -1;
    float at = 0;
    float cost = kInfinity;  ///< as in Split
};

/// Bins of the items' centres along an axis.
struct Binning {
    int axis;
    float low, scale;

    int of(const Item& item) const {
        const float bin = (item.center[axis] - low) * scale;
        return bin > 0 ? static_cast<int>(std::min(bin, kBins - 1.f)) : 0;  // a NaN, too
    }
};

struct Bin {
    Bounds box;
    int count = 0;
};
using Bins = std::array<Bin, kBins>;

/// Bins of space, whose boxes are those of what is in them of the shapes.
struct SpaceBin {
    Bounds box;
    int begin = 0, end = 0;  ///< shapes of which it is the first, or the last
};
struct SpaceBins {
    int axis;
    float low, width;
    std::array<SpaceBin, kBins> bins{};

    float plane(int behind) const { return low + static_cast<float>(behind + 1) * width; }
    int of(float coordinate) const {
        const float bin = (coordinate - low) / width;
        return bin > 0 ? static_cast<int>(std::min(bin, kBins - 1.f)) : 0;
    }
};

/// Some of the items, and free places behind them for parts of shapes that are cut.
struct Range {
    int begin, end, room;

    int count() const { return end - begin; }
};
struct Sides {
    Range left, right;
};

/// The same tree with any number of threads: each builds a part of its own, and parts are joined in
/// the order of one.
class Builder {
public:
    /// `cut`: empty: shapes stay whole. Otherwise as many parts as there are places behind `count`
    /// items are made at most.
    Builder(std::vector<Item>& items, int count, Bvh& bvh, int threads, LeafSizes leaves,
            const Cut& cut)
        : items_(items),
          count_(count),
          bvh_(bvh),
          leaves_(leaves),
          cut_(cut),
          spare_(threads - 1) {}

    void build() {
        const Range all{0, count_, static_cast<int>(items_.size())};
        area_ = boxOf(all).area();
        if (count_ > leaves_.most) {
            subtree(bvh_, all, 0);
            return;
        }
        const Child only = leaf(bvh_, all);
        const Child none{leafReference(0, 0), only.box};
        bvh_.nodes.push_back(nodeOf(only, none));
    }

private:
    struct Child {
        int reference;
        Bounds box;
    };
    /// Nodes and list, from 0 on; another thread builds it.
    struct Part {
        Bvh bvh;
        std::future<Child> root;
    };

    static BvhNode nodeOf(const Child& a, const Child& b) {
        return {{a.box.low[0], a.box.high[0], b.box.low[0], b.box.high[0]},
                {a.box.low[1], a.box.high[1], b.box.low[1], b.box.high[1]},
                {a.box.low[2], a.box.high[2], b.box.low[2], b.box.high[2]},
                {a.reference, b.reference},
                {}};
    }

    Bounds boxOf(const Range& range) const {
        Bounds box;
        for (int i = range.begin; i < range.end; ++i) box.add(items_[i].box);
        return box;
    }

    Child leaf(Bvh& bvh, const Range& range) {
        const int first = static_cast<int>(bvh.list.size());
        for (int i = range.begin; i < range.end; ++i) bvh.list.push_back(items_[i].id);
        return {leafReference(first, range.count()), boxOf(range)};
    }

    Child subtree(Bvh& bvh, const Range& range, int level) {
        if (range.count() > kWorthALook) stopPoint();
        const Bounds box = boxOf(range);
        const Sides sides = divide(range, level, box);
        if (sides.left.count() == 0) return leaf(bvh, range);
        const int node = static_cast<int>(bvh.nodes.size());
        bvh.nodes.emplace_back();
        Part right;
        if (sides.right.count() >= kWorthAThread && sides.left.count() >= kWorthAThread)
            right.root = apart(right.bvh, sides.right, level + 1);
        const Child a = subtree(bvh, sides.left, level + 1);
        const Child b =
            right.root.valid() ? joined(bvh, right) : subtree(bvh, sides.right, level + 1);
        bvh.nodes[node] = nodeOf(a, b);
        return {node, box};
    }

    /// Another thread's subtree; nothing where all threads are busy, or there are no more.
    std::future<Child> apart(Bvh& bvh, const Range& range, int level) {
        const auto work = [this, &bvh, range, level] {
            const Child root = subtree(bvh, range, level);
            ++spare_;
            return root;
        };
        if (spare_.fetch_sub(1) > 0) {
            try {
                return std::async(std::launch::async, work);
            } catch (const std::system_error&) {
            }
        }
        ++spare_;
        return {};
    }

    /// Waits for a part and appends it.
    static Child joined(Bvh& bvh, Part& part) {
        Child root = part.root.get();
        const int listed = static_cast<int>(bvh.list.size());
        root.reference = moved(root.reference, appendTree(bvh, part.bvh), listed);
        return root;
    }

    /// Partitions the items; the left side is empty if they are to be one leaf.
    Sides divide(const Range& range, int level, const Bounds& box) {
        const auto [begin, end, room] = range;
        Bounds centers;
        for (int i = begin; i < end; ++i) {
            lookAt(i);
            centers.add({items_[i].center, items_[i].center});
        }
        const std::array<Binning, 3> binnings{binning(centers, 0), binning(centers, 1),
                                              binning(centers, 2)};
        std::array<Bins, 3> bins;
        for (int i = begin; i < end; ++i) {
            lookAt(i);
            for (const Binning& binning : binnings) {
                Bin& bin = bins[binning.axis][binning.of(items_[i])];
                bin.box.add(items_[i].box);
                ++bin.count;
            }
        }
        Split best;
        for (const Binning& binning : binnings) {
            const Split split = bestSplit(bins[binning.axis], level, binning);
            if (split.cost < best.cost) best = split;
        }
        CutPlane cut;
        if (cut_ && end < room && (best.axis < 0 || overlap(bins[best.axis], best.bin)))
            cut = bestCut(range, level, box);
        const float area = box.area();
        const float cost = kNodeCost * area + std::min(best.cost, cut.cost);
        const bool pays = cost < static_cast<float>(end - begin) * area;
        if (end - begin <= leaves_.most && (level == kBvhLevels || !pays))
            return {{begin, begin, begin}, range};
        if (cut.cost < best.cost) return cutAt(range, cut);
        if (best.axis < 0) return shared(range, halve(begin, end, centers));
        const auto middle = std::partition(
            items_.begin() + begin, items_.begin() + end,
            [&](const Item& item) { return binnings[best.axis].of(item) <= best.bin; });
        return shared(range, static_cast<int>(middle - items_.begin()));
    }

    /// Both sides of an item, with a share of the free places that goes with their items.
    Sides shared(const Range& range, int middle) {
        const long long free = range.room - range.end;
        const int left = static_cast<int>(free * (middle - range.begin) / range.count());
        if (left > 0)
            std::move_backward(items_.begin() + middle, items_.begin() + range.end,
                               items_.begin() + range.end + left);
        return {{range.begin, middle, middle + left},
                {middle + left, range.end + left, range.room}};
    }

    /// Whether the boxes of what is in the bins up to one and of the rest have much in common.
    bool overlap(const Bins& bins, int last) const {
        Bounds left, right;
        for (int b = 0; b < kBins; ++b) (b <= last ? left : right).add(bins[b].box);
        const Bounds both = common(left, right);
        return !both.empty() && both.area() > kWorthACut * area_;
    }

    std::pair<Bounds, Bounds> cutParts(const Item& item, int axis, float at) const {
        const Halves halves = cut_(item.id, axis, at);
        Bounds below = common(item.box, boundsOf(halves.below));
        Bounds above = common(item.box, boundsOf(halves.above));
        below.high[axis] = std::min(below.high[axis], at);
        above.low[axis] = std::max(above.low[axis], at);
        return {below, above};
    }

    SpaceBins spaceBins(const Range& range, int axis, const Bounds& box) const {
        SpaceBins all{axis, box.low[axis], box.extent(axis) / kBins};
        if (!(all.width > 0) || !std::isfinite(all.width)) return all;
        for (int i = range.begin; i < range.end; ++i) {
            lookAt(i);
            Item rest = items_[i];
            const int first = all.of(rest.box.low[axis]), last = all.of(rest.box.high[axis]);
            for (int b = first; b < last; ++b) {
                const auto [below, above] = cutParts(rest, axis, all.plane(b));
                if (!below.empty()) all.bins[b].box.add(below);
                rest.box = above;
            }
            if (!rest.box.empty()) all.bins[last].box.add(rest.box);
            ++all.bins[first].begin;
            ++all.bins[last].end;
        }
        return all;
    }

    /// The plane between bins of space at which cuts cost least, and fit into the free places.
    CutPlane bestCut(const Range& range, int level, const Bounds& box) const {
        CutPlane best;
        for (int axis = 0; axis < 3; ++axis) {
            const SpaceBins space = spaceBins(range, axis, box);
            std::array<Bin, kBins> right;  // behind this one
            Bin sum;
            for (int b = kBins - 1; b >= 0; --b) {
                right[b] = sum;
                sum.box.add(space.bins[b].box);
                sum.count += space.bins[b].end;
            }
            sum = {};
            for (int b = 0; b < kBins - 1; ++b) {
                sum.box.add(space.bins[b].box);
                sum.count += space.bins[b].begin;
                const int fewer = std::min(sum.count, right[b].count);
                const int more = std::max(sum.count, right[b].count);
                if (fewer < leaves_.fewest || more > capacity(level + 1)) continue;
                if (range.begin + sum.count + right[b].count > range.room) continue;
                const float cost = sum.box.area() * static_cast<float>(sum.count) +
                                   right[b].box.area() * static_cast<float>(right[b].count);
                if (cost < best.cost) best = {axis, space.plane(b), cost};
            }
        }
        return best;
    }

    /// Cuts at a plane, where a shape stays whole if that costs less.
    Sides cutAt(const Range& range, const CutPlane& plane) {
        struct Side {
            std::vector<Item> items{};
            Bounds box{};
            int count = 0;  ///< with what may come

            void add(const Item& item, const Bounds& part) {
                items.push_back(partOf(item, part));
                box.add(part);
            }
            float costWith(const Bounds& part, int fewer) const {
                return united(box, part).area() * static_cast<float>(count - fewer);
            }
        };
        Side left, right;
        std::vector<Item> across;
        for (int i = range.begin; i < range.end; ++i) {
            lookAt(i);
            const Item& item = items_[i];
            const bool below = item.box.high[plane.axis] <= plane.at;
            if (below || item.box.low[plane.axis] >= plane.at)
                (below ? left : right).add(item, item.box);
            else
                across.push_back(item);
        }
        for (Side* const side : {&left, &right})
            side->count = static_cast<int>(side->items.size() + across.size());
        for (const Item& item : across) {
            const auto [below, above] = cutParts(item, plane.axis, plane.at);
            const Bounds none;
            const float both = left.costWith(below, 0) + right.costWith(above, 0);
            const float onlyLeft = left.costWith(item.box, 0) + right.costWith(none, 1);
            const float onlyRight = left.costWith(none, 1) + right.costWith(item.box, 0);
            const bool mayLeaveRight = right.count > leaves_.fewest;
            const bool mayLeaveLeft = left.count > leaves_.fewest;
            if (mayLeaveRight && (above.empty() || (onlyLeft < both && onlyLeft <= onlyRight))) {
                left.add(item, above.empty() ? below : item.box);
                --right.count;
            } else if (mayLeaveLeft && (below.empty() || onlyRight < both)) {
                right.add(item, below.empty() ? above : item.box);
                --left.count;
            } else {
                left.add(item, below);
                right.add(item, above);
            }
        }
        const auto middle =
            std::copy(left.items.begin(), left.items.end(), items_.begin() + range.begin);
        const auto end = std::copy(right.items.begin(), right.items.end(), middle);
        const auto placeOf = [&](auto i) { return static_cast<int>(i - items_.begin()); };
        return shared({range.begin, placeOf(end), range.room}, placeOf(middle));
    }

    /// The fallback where bins do not help: all centres are equal, or one side would be too full.
    int halve(int begin, int end, const Bounds& centers) {
        int widest = 0;
        for (int a = 1; a < 3; ++a) {
            if (centers.extent(a) > centers.extent(widest)) widest = a;
        }
        const int middle = begin + (end - begin) / 2;
        std::nth_element(
            items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
            [&](const Item& a, const Item& b) { return a.center[widest] < b.center[widest]; });
        return middle;
    }

    static Binning binning(const Bounds& centers, int axis) {
        return {axis, centers.low[axis], kBins / centers.extent(axis)};
    }

    /// How many boxes a subtree at this level may hold so that the remaining levels suffice.
    double capacity(int level) const { return std::ldexp(leaves_.most, kBvhLevels - level); }

    Split bestSplit(const Bins& bins, int level, Binning binning) const {
        Split best;
        if (!std::isfinite(binning.scale)) return best;
        std::array<float, kBins> right;  // cost of the bins after this one
        std::array<int, kBins> rightCount;
        Bin sum;
        for (int b = kBins - 1; b >= 0; --b) {
            right[b] = sum.box.area() * static_cast<float>(sum.count);
            rightCount[b] = sum.count;
            sum.box.add(bins[b].box);
            sum.count += bins[b].count;
        }
        sum = {};
        for (int b = 0; b < kBins - 1; ++b) {
            sum.box.add(bins[b].box);
            sum.count += bins[b].count;
            if (std::min(sum.count, rightCount[b]) < leaves_.fewest) continue;
            if (std::max(sum.count, rightCount[b]) > capacity(level + 1)) continue;
            const float cost = sum.box.area() * static_cast<float>(sum.count) + right[b];
            if (cost < best.cost) best = {binning.axis, b, cost};
        }
        return best;
    }

    std::vector<Item>& items_;
    int count_;
    Bvh& bvh_;
    LeafSizes leaves_;
    const Cut& cut_;
    float area_ = 0;          ///< of the whole tree
    std::atomic<int> spare_;  ///< threads
};

/// What the heuristic expects a ray to cost, but for the surface of the whole.
double costOf(const Bvh& bvh) {
    double cost = 0;
    for (const BvhNode& n : bvh.nodes) {
        for (int c = 0; c < 2; ++c) {
            const int low = 2 * c, high = low + 1;
            const Bounds box{{n.x[low], n.y[low], n.z[low]}, {n.x[high], n.y[high], n.z[high]}};
            const float all = n.child[c] >= 0 ? kNodeCost : leafCount(n.child[c]);
            cost += static_cast<double>(box.area() * all);
        }
    }
    return cost;
}

/// Sets what slackAt() (core/bvh.h) depends on.
void measure(const std::vector<Item>& items, std::span<const Box> boxes, BvhHeader& header) {
    header.reach = 0;
    header.smallest = kInfinity;
    for (const Item& i : items) {
        lookAt(i.id);
        header.smallest = std::min(header.smallest, thicknessOf(boxes[i.id]));
        for (int a = 0; a < 3; ++a)
            header.reach = std::max({header.reach, -i.box.low[a], i.box.high[a]});
    }
}

/// `cut`: empty: shapes stay whole.
Bvh build(std::span<const Box> boxes, TreePolicy inTree, int threads, LeafSizes leaves,
          const Cut& cut) {
    const Clock::time_point start = Clock::now();
    const std::vector<int> order = bySize(boxes);
    std::vector<Box> sorted;
    sorted.reserve(boxes.size());
    for (const int i : order) {
        lookAt(i);
        sorted.push_back(boxes[i]);
    }
    const auto outside = order.begin() + inTree(sorted);
    Bvh bvh;
    bvh.list.assign(outside, order.end());
    std::sort(bvh.list.begin(), bvh.list.end());
    bvh.header.outside = static_cast<int>(bvh.list.size());
    std::vector<Item> items;
    items.reserve(cut ? withParts(boxes.size()) : boxes.size());
    for (auto i = order.begin(); i != outside; ++i) {
        lookAt(*i);
        items.push_back(itemOf(boxes[*i], *i));
    }
    if (items.empty()) return bvh;
    measure(items, boxes, bvh.header);
    const std::size_t count = items.size();
    if (cut) items.resize(withParts(count));
    if (threads == 0) threads = static_cast<int>(std::thread::hardware_concurrency());
    Builder(items, static_cast<int>(count), bvh, threads, leaves, cut).build();
    bvh.header.nodes = static_cast<int>(bvh.nodes.size());
    bvh.buildMs = millisecondsSince(start);
    return bvh;
}

}  // namespace

float sizeOf(const Box& box) {
    const glm::dvec3 sides = box.high - box.low;
    return static_cast<float>(std::max({sides.x, sides.y, sides.z}) / 2);
}

float thicknessOf(const Box& box) {
    const glm::dvec3 sides = box.high - box.low;
    return static_cast<float>(std::min({sides.x, sides.y, sides.z}) / 2);
}

int beforeFirstEnclosing(std::span<const Box> sorted) {
    const int count = static_cast<int>(sorted.size());
    if (count == 0) return 0;
    Box smaller = sorted[0];
    for (int i = 1; i < count; ++i) {
        const bool encloses = sizeOf(sorted[i]) > glm::distance(smaller.low, smaller.high) / 2;
        if (encloses && count - i <= kMaxOutside) return i;
        smaller.low = glm::min(smaller.low, sorted[i].low);
        smaller.high = glm::max(smaller.high, sorted[i].high);
    }
    return count;
}

int appendTree(Bvh& to, const Bvh& tree) {
    const int root = static_cast<int>(to.nodes.size()), listed = static_cast<int>(to.list.size());
    const auto first = to.nodes.insert(to.nodes.end(), tree.nodes.begin(), tree.nodes.end());
    std::for_each(first, to.nodes.end(), [&](BvhNode& node) {
        for (int& reference : node.child) reference = moved(reference, root, listed);
    });
    to.list.insert(to.list.end(), tree.list.begin(), tree.list.end());
    return root;
}

Bvh buildBvh(std::span<const Box> boxes, TreePolicy inTree, int threads, LeafSizes leaves) {
    return build(boxes, inTree, threads, leaves, {});
}

Bvh buildSplitBvh(std::span<const Box> boxes, const Cut& cut, int threads) {
    const Clock::time_point start = Clock::now();
    Bvh split = build(boxes, beforeFirstEnclosing, threads, {}, cut);
    Bvh whole = build(boxes, beforeFirstEnclosing, threads, {}, {});
    Bvh& cheaper = costOf(split) < costOf(whole) ? split : whole;
    cheaper.buildMs = millisecondsSince(start);
    return std::move(cheaper);
}

void moveOutside(Bvh& bvh, int sphere) {
    const auto begin = bvh.list.begin(), leaves = begin + bvh.header.outside;
    const auto place = std::find(leaves, bvh.list.end(), sphere);
    if (place == bvh.list.end()) return;
    const int taken = static_cast<int>(place - begin);
    std::rotate(std::upper_bound(begin, leaves, sphere), place, place + 1);
    ++bvh.header.outside;
    for (BvhNode& node : bvh.nodes) {
        for (int& reference : node.child) {
            if (reference >= 0 || leafFirst(reference) > taken) continue;
            const int first = leafFirst(reference), count = leafCount(reference);
            reference = leafReference(first + 1, taken < first + count ? count - 1 : count);
        }
    }
}

}  // namespace rayscope
