#include "renderer/scene/bvh4.h"

#include <algorithm>
#include <array>

#include "renderer/scene/byte_planes.h"

namespace rayscope {

namespace {

constexpr int kChildren = 4;

struct Child {
    int reference;
    std::array<float, 3> low, high;

    float area() const {
        const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
        return x * y + y * z + z * x;
    }
    bool isNode() const { return reference >= 0; }
};

Child childOf(const BvhNode& n, int c) {
    return {n.child[c],
            {n.x[2 * c], n.y[2 * c], n.z[2 * c]},
            {n.x[2 * c + 1], n.y[2 * c + 1], n.z[2 * c + 1]}};
}

BytePlanes planesOf(const std::vector<Child>& children, int axis) {
    std::vector<PlanePair> boxes;
    for (const Child& c : children) boxes.push_back({c.low[axis], c.high[axis]});
    return bytePlanes(boxes);
}

unsigned wordOf(const std::array<unsigned char, 8>& bytes) {
    return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<unsigned>(bytes[3]) << 24;
}

class Collapse {
public:
    /// `twoLevels`: always replaces two levels by one.
    Collapse(const Bvh& bvh, bool twoLevels) : bvh_(bvh), twoLevels_(twoLevels) {
        if (!bvh.nodes.empty()) add(0);
    }
    std::vector<Bvh4Node> nodes;

private:
    std::vector<Child> childrenOf(int binary) const {
        std::vector<Child> children{childOf(bvh_.nodes[binary], 0), childOf(bvh_.nodes[binary], 1)};
        const auto open = [&](size_t i) {
            const BvhNode& node = bvh_.nodes[children[i].reference];
            children[i] = childOf(node, 0);
            children.push_back(childOf(node, 1));
        };
        if (twoLevels_) {
            for (size_t i = 0; i < 2; ++i) {
                if (children[i].isNode()) open(i);
            }
            return children;
        }
        while (children.size() < kChildren) {
            const auto larger = [](const Child& a, const Child& b) {
                return (a.isNode() ? a.area() : -1) < (b.isNode() ? b.area() : -1);
            };
            const auto largest = std::max_element(children.begin(), children.end(), larger);
            if (!largest->isNode()) break;
            open(largest - children.begin());
        }
        return children;
    }

    /// Returns the index of the new node.
    int add(int binary) {
        std::vector<Child> children = childrenOf(binary);
        std::erase_if(children,
                      [](const Child& c) { return !c.isNode() && leafCount(c.reference) == 0; });
        const int index = static_cast<int>(nodes.size());
        nodes.emplace_back();
        Bvh4Node node{};
        std::fill(std::begin(node.child), std::end(node.child), kNoChild);
        if (!children.empty()) {
            const BytePlanes x = planesOf(children, 0), y = planesOf(children, 1);
            const BytePlanes z = planesOf(children, 2);
            node.corner = {x.corner, y.corner, z.corner};
            node.exponents = x.exponent | y.exponent << 8 | z.exponent << 16;
            node.x[0] = wordOf(x.low), node.x[1] = wordOf(x.high);
            node.y[0] = wordOf(y.low), node.y[1] = wordOf(y.high);
            node.z[0] = wordOf(z.low), node.z[1] = wordOf(z.high);
        }
        for (size_t i = 0; i < children.size(); ++i) {
            const int reference = children[i].reference;
            node.child[i] = reference >= 0 ? add(reference) : reference;
        }
        nodes[index] = node;
        return index;
    }

    const Bvh& bvh_;
    bool twoLevels_;
};

int stackOf(const std::vector<Bvh4Node>& nodes, int index) {
    int children = 0, most = 0;
    for (const int reference : nodes[index].child) {
        if (reference == kNoChild) continue;
        ++children;
        if (reference >= 0) most = std::max(most, stackOf(nodes, reference));
    }
    return std::max(0, children - 1) + most;
}

}  // namespace

int stackOf(const Bvh4& bvh) {
    return bvh.nodes.empty() ? 0 : stackOf(bvh.nodes, 0);
}

Bvh4 collapsed(const Bvh& bvh) {
    Bvh4 tree{Collapse(bvh, false).nodes};
    if (stackOf(tree) > kBvh4Stack) tree.nodes = Collapse(bvh, true).nodes;
    return tree;
}

}  // namespace rayscope
