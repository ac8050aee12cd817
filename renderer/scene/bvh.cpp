#include "renderer/scene/bvh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace rayscope {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Bins an axis: more do not lower the cost of the trees of any scene here.
constexpr int kBins = 32;
/// What it costs to visit a node, in tests of a sphere.
constexpr float kNodeCost = 2;
/// Most spheres left outside the tree, each of which costs every ray a test.
constexpr int kMaxOutside = 16;

using Point = std::array<float, 3>;

struct Box {
    Point low{kInfinity, kInfinity, kInfinity};
    Point high{-kInfinity, -kInfinity, -kInfinity};

    void add(const Box& b) {
        for (int a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], b.low[a]);
            high[a] = std::max(high[a], b.high[a]);
        }
    }
    float extent(int axis) const { return std::max(0.f, high[axis] - low[axis]); }
    /// Half the surface.
    float area() const {
        const float x = extent(0), y = extent(1), z = extent(2);
        return x * y + y * z + z * x;
    }
    float diagonal() const { return std::hypot(extent(0), extent(1), extent(2)); }
};

struct Item {
    Box box;
    Point center;
    int id;
};

Item itemOf(const Sphere& s, int id) {
    const double center[3] = {s.center.x, s.center.y, s.center.z};
    Item item;
    item.id = id;
    for (int a = 0; a < 3; ++a) {
        item.center[a] = static_cast<float>(center[a]);
        item.box.low[a] = std::nextafter(static_cast<float>(center[a] - s.radius), -kInfinity);
        item.box.high[a] = std::nextafter(static_cast<float>(center[a] + s.radius), kInfinity);
    }
    return item;
}

/// Sorts by radius; returns how many stay in the tree, those before the first that is larger than
/// all the smaller ones together.
int partOutside(std::vector<Item>& items, const std::vector<Sphere>& spheres) {
    const auto radius = [&](const Item& i) { return spheres[i.id].radius; };
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return radius(a) < radius(b); });
    const int count = static_cast<int>(items.size());
    Box smaller;
    for (int i = 0; i < count; ++i) {
        const bool reachesAround = i > 0 && radius(items[i]) > smaller.diagonal() / 2;
        if (reachesAround && count - i <= kMaxOutside) return i;
        smaller.add(items[i].box);
    }
    return count;
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
        return std::min(kBins - 1, static_cast<int>((item.center[axis] - low) * scale));
    }
};

struct Bin {
    Box box;
    int count = 0;
};

class Builder {
public:
    explicit Builder(std::vector<Item>& items, Bvh& bvh) : items_(items), bvh_(bvh) {}

    void build() {
        const int count = static_cast<int>(items_.size());
        if (count > kMaxLeafSpheres) {
            subtree(0, count, 0);
            return;
        }
        const Child all = leaf(0, count);
        const Child none{leafReference(0, 0), all.box};
        bvh_.nodes.push_back(nodeOf(all, none));
    }

private:
    struct Child {
        int reference;
        Box box;
    };

    static BvhNode nodeOf(const Child& a, const Child& b) {
        return {{a.box.low[0], a.box.high[0], b.box.low[0], b.box.high[0]},
                {a.box.low[1], a.box.high[1], b.box.low[1], b.box.high[1]},
                {a.box.low[2], a.box.high[2], b.box.low[2], b.box.high[2]},
                {a.reference, b.reference},
                {}};
    }

    Box boxOf(int begin, int end) const {
        Box box;
        for (int i = begin; i < end; ++i) box.add(items_[i].box);
        return box;
    }

    Child leaf(int begin, int end) {
        const int first = static_cast<int>(bvh_.list.size());
        for (int i = begin; i < end; ++i) bvh_.list.push_back(items_[i].id);
        return {leafReference(first, end - begin), boxOf(begin, end)};
    }

    Child subtree(int begin, int end, int level) {
        const Box box = boxOf(begin, end);
        const int middle = divide(begin, end, level, box);
        if (middle == begin) return leaf(begin, end);
        const int node = static_cast<int>(bvh_.nodes.size());
        bvh_.nodes.emplace_back();
        const Child a = subtree(begin, middle, level + 1);
        const Child b = subtree(middle, end, level + 1);
        bvh_.nodes[node] = nodeOf(a, b);
        return {node, box};
    }

    /// Orders the items so that those before the returned one go left; `begin`: they are one leaf.
    int divide(int begin, int end, int level, const Box& box) {
        const int count = end - begin;
        Box centers;
        for (int i = begin; i < end; ++i) centers.add({items_[i].center, items_[i].center});
        Split best;
        for (int axis = 0; axis < 3; ++axis) {
            const Split split = bestSplit(begin, end, level, binning(centers, axis));
            if (split.cost < best.cost) best = split;
        }
        const float area = box.area();
        const bool pays = kNodeCost * area + best.cost < static_cast<float>(count) * area;
        if (count <= kMaxLeafSpheres && (level == kBvhLevels || !pays)) return begin;
        if (best.axis < 0) return halve(begin, end, centers);
        const Binning bins = binning(centers, best.axis);
        const auto middle =
            std::partition(items_.begin() + begin, items_.begin() + end,
                           [&](const Item& item) { return bins.of(item) <= best.bin; });
        return static_cast<int>(middle - items_.begin());
    }

    /// Where no bins do: for equal centres, or where one side would be too full.
    int halve(int begin, int end, const Box& centers) {
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

    static Binning binning(const Box& centers, int axis) {
        return {axis, centers.low[axis], kBins / centers.extent(axis)};
    }

    /// How many spheres a subtree at this level may hold, so that the levels left suffice.
    static double capacity(int level) { return std::ldexp(kMaxLeafSpheres, kBvhLevels - level); }

    Split bestSplit(int begin, int end, int level, Binning binning) const {
        Split best;
        if (!std::isfinite(binning.scale)) return best;
        std::array<Bin, kBins> bins;
        for (int i = begin; i < end; ++i) {
            Bin& bin = bins[binning.of(items_[i])];
            bin.box.add(items_[i].box);
            ++bin.count;
        }
        std::array<float, kBins> right;  // of the bins after this one
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
            if (std::min(sum.count, rightCount[b]) < kMinLeafSpheres) continue;
            if (std::max(sum.count, rightCount[b]) > capacity(level + 1)) continue;
            const float cost = sum.box.area() * static_cast<float>(sum.count) + right[b];
            if (cost < best.cost) best = {binning.axis, b, cost};
        }
        return best;
    }

    std::vector<Item>& items_;
    Bvh& bvh_;
};

/// What the walk's slack is made from, of the spheres in the tree.
void measure(const std::vector<Item>& items, const Scene& scene, BvhHeader& header) {
    header.reach = 0;
    header.smallest = kInfinity;
    for (const Item& i : items) {
        header.smallest = std::min(header.smallest, static_cast<float>(scene.spheres[i.id].radius));
        for (int a = 0; a < 3; ++a)
            header.reach = std::max({header.reach, -i.box.low[a], i.box.high[a]});
    }
}

}  // namespace

Bvh buildBvh(const Scene& scene) {
    std::vector<Item> items;
    for (const Sphere& s : scene.spheres)
        items.push_back(itemOf(s, static_cast<int>(items.size())));
    const int inside = partOutside(items, scene.spheres);
    Bvh bvh;
    bvh.header.outside = static_cast<int>(items.size()) - inside;
    for (size_t i = inside; i < items.size(); ++i) bvh.list.push_back(items[i].id);
    std::sort(bvh.list.begin(), bvh.list.end());
    items.resize(inside);
    if (items.empty()) return bvh;
    measure(items, scene, bvh.header);
    Builder(items, bvh).build();
    bvh.header.nodes = static_cast<int>(bvh.nodes.size());
    return bvh;
}

void takeOutside(Bvh& bvh, int sphere) {
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

void EditedBvh::change() {
    built_ = false;
    moved_.clear();
}

bool EditedBvh::move(int sphere) {
    if (std::find(moved_.begin(), moved_.end(), sphere) != moved_.end()) return false;
    moved_.push_back(sphere);
    if (built_) takeOutside(bvh_, sphere);
    return true;
}

void EditedBvh::give(Bvh built) {
    bvh_ = std::move(built);
    for (const int sphere : moved_) takeOutside(bvh_, sphere);
    built_ = true;
}

const Bvh& EditedBvh::of(const Scene& scene) {
    if (!built_) give(buildBvh(scene));
    return bvh_;
}

}  // namespace rayscope
