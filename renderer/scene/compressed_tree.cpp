#include "renderer/scene/compressed_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "renderer/scene/byte_planes.h"

namespace rayscope {

namespace {

/// Costs of visiting a node and of testing a shape, as far as they matter: their ratio.
constexpr float kVisitCost = 1, kShapeCost = .4f;
constexpr int kMostRoots = kCompressedChildren - 1;

FloatBox united(const FloatBox& a, const FloatBox& b) {
    FloatBox u;
    for (int i = 0; i < 3; ++i) {
        u.low[i] = std::min(a.low[i], b.low[i]);
        u.high[i] = std::max(a.high[i], b.high[i]);
    }
    return u;
}

FloatBox common(const FloatBox& a, const FloatBox& b) {
    FloatBox c;
    for (int i = 0; i < 3; ++i) {
        c.low[i] = std::max(a.low[i], b.low[i]);
        c.high[i] = std::min(a.high[i], b.high[i]);
    }
    return c;
}

float areaOf(const FloatBox& box) {
    const float x = box.high[0] - box.low[0], y = box.high[1] - box.low[1],
                z = box.high[2] - box.low[2];
    return x * y + y * z + z * x;
}

float centerOf(const FloatBox& box, int axis) {
    return (box.low[axis] + box.high[axis]) / 2;
}

/// A node or leaf of the binary tree, as a child of a node of eight.
struct Member {
    int reference;
    FloatBox box;

    bool isNode() const { return reference >= 0; }
};

Member memberOf(const BvhNode& n, int c) {
    return {
        n.child[c],
        {{n.x[2 * c], n.y[2 * c], n.z[2 * c]}, {n.x[2 * c + 1], n.y[2 * c + 1], n.z[2 * c + 1]}}};
}

BvhNode parentOf(const Member& first, const Member& second) {
    BvhNode n{};
    int c = 0;
    for (const Member& m : {first, second}) {
        n.x[2 * c] = m.box.low[0], n.x[2 * c + 1] = m.box.high[0];
        n.y[2 * c] = m.box.low[1], n.y[2 * c + 1] = m.box.high[1];
        n.z[2 * c] = m.box.low[2], n.z[2 * c + 1] = m.box.high[2];
        n.child[c++] = m.reference;
    }
    return n;
}

/// The binary tree with leaves of up to kMostLeafShapes. Nodes still come before those below.
Bvh withSmallLeaves(Bvh bvh, const std::function<FloatBox(int)>& boxOf) {
    const auto leaf = [&](int first, int count, const FloatBox& all) {
        FloatBox box = boxOf(bvh.list[first]);
        for (int k = 1; k < count; ++k) box = united(box, boxOf(bvh.list[first + k]));
        return Member{leafReference(first, count), common(box, all)};
    };
    const std::size_t nodes = bvh.nodes.size();
    for (std::size_t i = 0; i < nodes; ++i) {
        for (int c = 0; c < 2; ++c) {
            const auto [reference, box] = memberOf(bvh.nodes[i], c);
            if (reference >= 0 || leafCount(reference) <= kMostLeafShapes) continue;
            int widest = 0;
            for (int a = 1; a < 3; ++a) {
                if (box.high[a] - box.low[a] > box.high[widest] - box.low[widest]) widest = a;
            }
            const int first = leafFirst(reference), count = leafCount(reference);
            std::sort(bvh.list.begin() + first, bvh.list.begin() + first + count,
                      [&](int a, int b) {
                          return std::pair(centerOf(boxOf(a), widest), a) <
                                 std::pair(centerOf(boxOf(b), widest), b);
                      });
            const int half = count / 2;
            bvh.nodes[i].child[c] = static_cast<int>(bvh.nodes.size());
            bvh.nodes.push_back(
                parentOf(leaf(first, half, box), leaf(first + half, count - half, box)));
        }
    }
    return bvh;
}

/// What a subtree of the binary tree costs at least as up to so many roots of trees of eight, and
/// how.
struct Plan {
    std::array<float, kMostRoots> cost;  ///< of one root, of two, ...
    /// How many of two roots, of three, ... the first child has; 0: one root less is as good. The
    /// last: of the children of a single root.
    std::array<unsigned char, kMostRoots> first;
};

class Compressing {
public:
    Compressing(const Bvh& bvh, const std::function<FloatBox(int)>& boxOf)
        : bvh_(withSmallLeaves(bvh, boxOf)), plans_(bvh_.nodes.size()) {
        tree.list.reserve(bvh_.list.size());
        tree.list.assign(bvh_.list.begin(), bvh_.list.begin() + bvh_.header.outside);
        if (bvh_.nodes.empty()) return;
        for (std::size_t i = plans_.size(); i-- > 0;) plans_[i] = planOf(bvh_.nodes[i]);
        tree.nodes.resize(1);
        add(0, 0);
    }
    CompressedTree tree;

private:
    float costOf(const Member& m, int roots) const {
        if (m.isNode()) return plans_[m.reference].cost[roots - 1];
        return areaOf(m.box) * static_cast<float>(leafCount(m.reference)) * kShapeCost;
    }

    Plan planOf(const BvhNode& node) const {
        const Member a = memberOf(node, 0), b = memberOf(node, 1);
        Plan plan{};
        float shared = 0;  // of a roots and b
        for (int roots = 2; roots <= kCompressedChildren; ++roots) {
            const int least = std::max(1, roots - kMostRoots);
            for (int k = least; k <= std::min(roots - 1, kMostRoots); ++k) {
                const float cost = costOf(a, k) + costOf(b, roots - k);
                if (k > least && !(cost < shared)) continue;
                shared = cost;
                plan.first[roots - 2] = static_cast<unsigned char>(k);
            }
            if (roots <= kMostRoots) plan.cost[roots - 1] = shared;
        }
        plan.cost[0] = areaOf(united(a.box, b.box)) * kVisitCost + shared;
        for (int roots = 2; roots <= kMostRoots; ++roots) {
            if (plan.cost[roots - 1] < plan.cost[roots - 2]) continue;
            plan.cost[roots - 1] = plan.cost[roots - 2];
            plan.first[roots - 2] = 0;
        }
        return plan;
    }

    /// Adds the roots of a subtree that has up to so many.
    void collect(const Member& m, int roots, std::vector<Member>& members) const {
        if (!m.isNode()) {
            if (leafCount(m.reference) > 0) members.push_back(m);
            return;
        }
        const Plan& plan = plans_[m.reference];
        while (roots > 1 && plan.first[roots - 2] == 0) --roots;
        if (roots == 1)
            members.push_back(m);
        else
            open(m.reference, roots, members);
    }
    void open(int binary, int roots, std::vector<Member>& members) const {
        const int first = plans_[binary].first[roots - 2];
        collect(memberOf(bvh_.nodes[binary], 0), first, members);
        collect(memberOf(bvh_.nodes[binary], 1), roots - first, members);
    }

    using Slots = std::array<int, kCompressedChildren>;  ///< members; -1: none

    /// Those far out in a direction get the slot of that octant first.
    static Slots slotsOf(const std::vector<Member>& members) {
        FloatBox all = members[0].box;
        for (const Member& m : members) all = united(all, m.box);
        Slots slots;
        slots.fill(-1);
        std::vector<bool> placed(members.size());
        for (std::size_t n = 0; n < members.size(); ++n) {
            float best = -std::numeric_limits<float>::infinity();
            int slot = -1;
            std::size_t member = 0;
            for (std::size_t m = 0; m < members.size(); ++m) {
                if (placed[m]) continue;
                for (int s = 0; s < kCompressedChildren; ++s) {
                    if (slots[s] >= 0) continue;
                    float out = 0;
                    for (int a = 0; a < 3; ++a) {
                        const float from = centerOf(members[m].box, a) - centerOf(all, a);
                        out += s >> a & 1 ? from : -from;
                    }
                    if (slot >= 0 && !(out > best)) continue;
                    best = out, slot = s, member = m;
                }
            }
            slots[slot] = static_cast<int>(member);
            placed[member] = true;
        }
        return slots;
    }

    static void setBoxes(const std::vector<Member>& members, const Slots& slots,
                         CompressedNode& node) {
        float* const corner[3] = {&node.corner.x, &node.corner.y, &node.corner.z};
        unsigned(*const planes[3])[2] = {node.x, node.y, node.z};
        for (int a = 0; a < 3; ++a) {
            std::vector<PlanePair> pairs;
            for (const Member& m : members) pairs.push_back({m.box.low[a], m.box.high[a]});
            const BytePlanes bytes = bytePlanes(pairs);
            *corner[a] = bytes.corner;
            node.exponents |= bytes.exponent << 8 * a;
            for (int s = 0; s < kCompressedChildren; ++s) {
                if (slots[s] < 0) continue;
                planes[a][0][s / 4] |= unsigned{bytes.low[slots[s]]} << s % 4 * 8;
                planes[a][1][s / 4] |= unsigned{bytes.high[slots[s]]} << s % 4 * 8;
            }
        }
    }

    /// Makes a node of one of the binary tree, and what is below.
    void add(int index, int binary) {
        std::vector<Member> members;
        open(binary, kCompressedChildren, members);
        CompressedNode node{};
        node.firstNode = static_cast<int>(tree.nodes.size());
        node.firstShape = static_cast<int>(tree.list.size());
        std::vector<int> below;
        if (!members.empty()) {
            const Slots slots = slotsOf(members);
            setBoxes(members, slots, node);
            for (int s = 0; s < kCompressedChildren; ++s) {
                if (slots[s] < 0) continue;
                const Member& m = members[slots[s]];
                node.kinds[s / 4] |= kindOf(m, s, node.firstShape) << s % 4 * 8;
                if (!m.isNode()) continue;
                node.exponents |= 1u << (24 + s);
                below.push_back(m.reference);
            }
        }
        tree.nodes[index] = node;
        tree.nodes.resize(tree.nodes.size() + below.size());
        for (std::size_t i = 0; i < below.size(); ++i)
            add(node.firstNode + static_cast<int>(i), below[i]);
    }

    /// Of a child in a slot; appends the shapes of a leaf.
    unsigned kindOf(const Member& m, int slot, int firstShape) {
        if (m.isNode()) return slotOf(slot);
        const int place = static_cast<int>(tree.list.size()) - firstShape;
        const int first = leafFirst(m.reference), count = leafCount(m.reference);
        for (int k = first; k < first + count; ++k) tree.list.push_back(bvh_.list[k]);
        return shapesOf(place, count);
    }

    Bvh bvh_;
    std::vector<Plan> plans_;
};

}  // namespace

CompressedTree compressed(const Bvh& bvh, const std::function<FloatBox(int)>& boxOf) {
    return std::move(Compressing(bvh, boxOf).tree);
}

}  // namespace rayscope
