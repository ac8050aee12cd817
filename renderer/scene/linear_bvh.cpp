#include "renderer/scene/linear_bvh.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/stop.h"

namespace rayscope {

namespace {

NodeBox unionOf(const NodeBox& a, const NodeBox& b) {
    return {
        {std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
        std::min(a.radius, b.radius),
        {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)},
        0};
}

constexpr float kBeyond = std::numeric_limits<float>::max();
constexpr NodeBox kEmptyBox{
    {kBeyond, kBeyond, kBeyond}, kBeyond, {-kBeyond, -kBeyond, -kBeyond}, 0};

float reachOf(const NodeBox& box) {
    return std::max({-box.low.x, -box.low.y, -box.low.z, box.high.x, box.high.y, box.high.z});
}

/// Nodes between two looks at the interrupt: some milliseconds.
constexpr int kLookEveryNode = 1 << 16;

/// Sorts keys and the list with them by eight bits at a time; equal ones keep their order.
template <class Key>
void sortByKey(std::vector<Key>& keys, std::span<int> list) {
    std::vector<Key> keysTo(keys.size());
    std::vector<int> copy(list.size());
    std::span<int> from = list, to = copy;
    for (int shift = 0; shift < kMortonBits<Key>; shift += 8) {
        stopPoint();
        std::array<int, 257> begin{};
        const auto digit = [&](Key key) { return static_cast<int>(key >> shift & 255); };
        for (const Key key : keys) ++begin[digit(key) + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        for (size_t i = 0; i < keys.size(); ++i) {
            const int place = begin[digit(keys[i])]++;
            keysTo[place] = keys[i];
            to[place] = from[i];
        }
        keys.swap(keysTo);
        std::swap(from, to);
    }
}

/// Sorts the list, and returns the keys that it is sorted by.
template <class Key>
std::vector<Key> sortedKeys(std::span<const NodeBox> boxes, std::span<int> list) {
    NodeBox all = kEmptyBox;
    for (const int i : list) {
        const Vec3<float> center = centerOf(boxes[i]);
        all = unionOf(all, {center, 0, center, 0});
    }
    const MortonCube cube = mortonCube(all.low, all.high);
    std::vector<Key> keys;
    for (const int i : list) keys.push_back(mortonCode<Key>(centerOf(boxes[i]), cube));
    sortByKey(keys, list);
    return keys;
}

template <class Key>
std::vector<RadixNode> radixTree(const std::vector<Key>& keys) {
    const int count = static_cast<int>(keys.size());
    std::vector<RadixNode> nodes(count - 1);
    for (int i = 0; i + 1 < count; ++i) {
        if (i % kLookEveryNode == 0) stopPoint();
        nodes[i] = radixNode(keys.data(), count, i);
    }
    for (int i = 0; i + 1 < count; ++i) {
        for (int side = 0; side < 2; ++side) {
            if (keysOf(nodes[i], side) > 1) nodes[nodes[i].split + side].parent = 2 * i + side;
        }
    }
    return nodes;
}

template <class Key>
void addNodes(const std::vector<Key>& keys, int leaf, Bvh& bvh) {
    const int count = static_cast<int>(keys.size()), first = bvh.header.outside;
    constexpr BvhNode kLeftOut{{}, {}, {}, {leafReference(0, 0), leafReference(0, 0)}, {}};
    if (count <= leaf) {
        bvh.nodes.assign(1, kLeftOut);
        bvh.nodes[0].child[0] = leafReference(first, count);
        return;
    }
    const std::vector<RadixNode> radix = radixTree(keys);
    bvh.nodes.assign(radix.size(), kLeftOut);
    for (size_t i = 0; i < radix.size(); ++i) {
        if (i % kLookEveryNode == 0) stopPoint();
        const RadixNode node = balancedNode(radix.data(), static_cast<int>(i), leaf);
        if (keysOf(node) <= leaf) continue;
        for (int side = 0; side < 2; ++side)
            bvh.nodes[i].child[side] = childOf(node, side, first, leaf);
    }
}

void setBox(BvhNode& node, int child, const NodeBox& box) {
    const int low = 2 * child, high = 2 * child + 1;
    node.x[low] = box.low.x, node.x[high] = box.high.x;
    node.y[low] = box.low.y, node.y[high] = box.high.y;
    node.z[low] = box.low.z, node.z[high] = box.high.z;
}

bool isEmptyLeaf(int reference) {
    return reference < 0 && leafCount(reference) == 0;
}

/// Fits the boxes of a node's children, and returns their union. An empty leaf has its sibling's.
NodeBox fit(Bvh& bvh, int index, std::span<const NodeBox> boxes) {
    BvhNode& node = bvh.nodes[index];
    const auto boxOf = [&](int reference) {
        if (reference >= 0) return fit(bvh, reference, boxes);
        NodeBox box = kEmptyBox;
        for (int k = 0; k < leafCount(reference); ++k)
            box = unionOf(box, boxes[bvh.list[leafFirst(reference) + k]]);
        return box;
    };
    const NodeBox a = boxOf(node.child[0]), b = boxOf(node.child[1]);
    setBox(node, 0, isEmptyLeaf(node.child[0]) ? b : a);
    setBox(node, 1, isEmptyLeaf(node.child[1]) ? a : b);
    return unionOf(a, b);
}

}  // namespace

std::vector<NodeBox> nodeBoxes(std::span<const Box> boxes) {
    std::vector<NodeBox> result;
    for (const Box& b : boxes) {
        const Vec3<double> low{b.low.x, b.low.y, b.low.z}, high{b.high.x, b.high.y, b.high.z};
        result.push_back(nodeBox(low, high, thicknessOf(b)));
    }
    return result;
}

Bvh buildLinearBvh(std::span<const NodeBox> boxes, std::span<const int> outside, MortonBits bits,
                   int leaf) {
    const Clock::time_point start = Clock::now();
    Bvh bvh;
    bvh.header.outside = static_cast<int>(outside.size());
    bvh.list.assign(outside.begin(), outside.end());
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
        if (!std::binary_search(outside.begin(), outside.end(), i)) bvh.list.push_back(i);
    }
    const std::span<int> inTree = std::span(bvh.list).subspan(outside.size());
    if (inTree.empty()) return bvh;
    if (bits == MortonBits::bits30)
        addNodes(sortedKeys<unsigned>(boxes, inTree), leaf, bvh);
    else
        addNodes(sortedKeys<unsigned long long>(boxes, inTree), leaf, bvh);
    bvh.header.nodes = static_cast<int>(bvh.nodes.size());
    refit(bvh, boxes);
    bvh.buildMs = millisecondsSince(start);
    return bvh;
}

Bvh buildLinearBvh(std::span<const Box> boxes, MortonBits bits) {
    const Clock::time_point start = Clock::now();
    Bvh bvh = buildLinearBvh(nodeBoxes(boxes), outsideTree(boxes), bits);
    bvh.buildMs = millisecondsSince(start);
    return bvh;
}

Bvh withoutGaps(Bvh bvh) {
    if (bvh.nodes.empty()) return bvh;
    std::vector<BvhNode> nodes{bvh.nodes[0]};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (int side = 0; side < 2; ++side) {
            const int child = nodes[i].child[side];
            if (child < 0) continue;
            nodes[i].child[side] = static_cast<int>(nodes.size());
            nodes.push_back(bvh.nodes[child]);
        }
    }
    bvh.nodes = std::move(nodes);
    bvh.header.nodes = static_cast<int>(bvh.nodes.size());
    return bvh;
}

void refit(Bvh& bvh, std::span<const NodeBox> boxes) {
    if (bvh.nodes.empty()) return;
    const NodeBox all = fit(bvh, 0, boxes);
    bvh.header.reach = reachOf(all);
    bvh.header.smallest = all.radius;
}

}  // namespace rayscope
