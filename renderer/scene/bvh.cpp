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
#include "renderer/core/linear_bvh.h"

namespace rayscope {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Bins per axis; more do not lower the cost of any scene's tree here.
constexpr int kBins = 32;
/// Cost of visiting a node, in tests of a shape.
constexpr float kNodeCost = 2;
/// A thread of its own is worth so many boxes.
constexpr int kWorthAThread = 1 << 13;
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
    float extent(int axis) const { return std::max(0.f, high[axis] - low[axis]); }
    /// Half the surface area.
    float area() const {
        const float x = extent(0), y = extent(1), z = extent(2);
        return x * y + y * z + z * x;
    }
};

struct Item {
    Bounds box;
    Point center;
    int id;
};

Item itemOf(const Box& box, int id) {
    Item item;
    item.id = id;
    for (int a = 0; a < 3; ++a) {
        item.center[a] = static_cast<float>((box.low[a] + box.high[a]) / 2);
        item.box.low[a] = nextBelow(static_cast<float>(box.low[a]));
        item.box.high[a] = -nextBelow(-static_cast<float>(box.high[a]));
    }
    return item;
}

/// Indices of the boxes, smallest first; equal ones keep their order.
std::vector<int> bySize(std::span<const Box> boxes) {
    std::vector<int> order(boxes.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<float> sizes;
    sizes.reserve(boxes.size());
    for (const Box& box : boxes) sizes.push_back(sizeOf(box));
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sizes[a] < sizes[b]; });
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

/// The same tree with any number of threads: each builds a part of its own, and parts are joined in
/// the order of one.
class Builder {
public:
    Builder(std::vector<Item>& items, Bvh& bvh, int threads, LeafSizes leaves)
        : items_(items), bvh_(bvh), leaves_(leaves), spare_(threads - 1) {}

    void build() {
        const int count = static_cast<int>(items_.size());
        if (count > leaves_.most) {
            subtree(bvh_, 0, count, 0);
            return;
        }
        const Child all = leaf(bvh_, 0, count);
        const Child none{leafReference(0, 0), all.box};
        bvh_.nodes.push_back(nodeOf(all, none));
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

    Bounds boxOf(int begin, int end) const {
        Bounds box;
        for (int i = begin; i < end; ++i) box.add(items_[i].box);
        return box;
    }

    Child leaf(Bvh& bvh, int begin, int end) {
        const int first = static_cast<int>(bvh.list.size());
        for (int i = begin; i < end; ++i) bvh.list.push_back(items_[i].id);
        return {leafReference(first, end - begin), boxOf(begin, end)};
    }

    Child subtree(Bvh& bvh, int begin, int end, int level) {
        const Bounds box = boxOf(begin, end);
        const int middle = divide(begin, end, level, box);
        if (middle == begin) return leaf(bvh, begin, end);
        const int node = static_cast<int>(bvh.nodes.size());
        bvh.nodes.emplace_back();
        Part right;
        if (end - middle >= kWorthAThread && middle - begin >= kWorthAThread)
            right.root = apart(right.bvh, middle, end, level + 1);
        const Child a = subtree(bvh, begin, middle, level + 1);
        const Child b =
            right.root.valid() ? joined(bvh, right) : subtree(bvh, middle, end, level + 1);
        bvh.nodes[node] = nodeOf(a, b);
        return {node, box};
    }

    /// Another thread's subtree; nothing where all threads are busy, or there are no more.
    std::future<Child> apart(Bvh& bvh, int begin, int end, int level) {
        const auto work = [this, &bvh, begin, end, level] {
            const Child root = subtree(bvh, begin, end, level);
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

    /// Partitions the items and returns the first one of the right side, or `begin` if they are to
    /// be one leaf.
    int divide(int begin, int end, int level, const Bounds& box) {
        const int count = end - begin;
        Bounds centers;
        for (int i = begin; i < end; ++i) centers.add({items_[i].center, items_[i].center});
        const std::array<Binning, 3> binnings{binning(centers, 0), binning(centers, 1),
                                              binning(centers, 2)};
        std::array<std::array<Bin, kBins>, 3> bins;
        for (int i = begin; i < end; ++i) {
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
        const float area = box.area();
        const bool pays = kNodeCost * area + best.cost < static_cast<float>(count) * area;
        if (count <= leaves_.most && (level == kBvhLevels || !pays)) return begin;
        if (best.axis < 0) return halve(begin, end, centers);
        const auto middle = std::partition(
            items_.begin() + begin, items_.begin() + end,
            [&](const Item& item) { return binnings[best.axis].of(item) <= best.bin; });
        return static_cast<int>(middle - items_.begin());
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

    Split bestSplit(const std::array<Bin, kBins>& bins, int level, Binning binning) const {
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
    Bvh& bvh_;
    LeafSizes leaves_;
    std::atomic<int> spare_;  ///< threads
};

/// Sets what slackAt() (core/bvh.h) depends on.
void measure(const std::vector<Item>& items, std::span<const Box> boxes, BvhHeader& header) {
    header.reach = 0;
    header.smallest = kInfinity;
    for (const Item& i : items) {
        header.smallest = std::min(header.smallest, thicknessOf(boxes[i.id]));
        for (int a = 0; a < 3; ++a)
            header.reach = std::max({header.reach, -i.box.low[a], i.box.high[a]});
    }
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
    const Clock::time_point start = Clock::now();
    const std::vector<int> order = bySize(boxes);
    std::vector<Box> sorted;
    sorted.reserve(boxes.size());
    for (const int i : order) sorted.push_back(boxes[i]);
    const auto outside = order.begin() + inTree(sorted);
    Bvh bvh;
    bvh.list.assign(outside, order.end());
    std::sort(bvh.list.begin(), bvh.list.end());
    bvh.header.outside = static_cast<int>(bvh.list.size());
    std::vector<Item> items;
    items.reserve(boxes.size());
    for (auto i = order.begin(); i != outside; ++i) items.push_back(itemOf(boxes[*i], *i));
    if (items.empty()) return bvh;
    measure(items, boxes, bvh.header);
    if (threads == 0) threads = static_cast<int>(std::thread::hardware_concurrency());
    Builder(items, bvh, threads, leaves).build();
    bvh.header.nodes = static_cast<int>(bvh.nodes.size());
    bvh.buildMs = millisecondsSince(start);
    return bvh;
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
