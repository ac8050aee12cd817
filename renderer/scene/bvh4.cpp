#include "renderer/scene/bvh4.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rayscope {

namespace {

constexpr int kChildren = 4;

/// Part of a step by which planes are rounded outwards at least (planeScale in core/bvh4.h).
constexpr double kMargin = 1. / 64;
/// Steps that a node is wide at most, which leaves one at each end.
constexpr double kSteps = 250;
constexpr int kExponentBias = 127, kLeastExponent = -100;

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

/// The planes of a node's children along one axis, in bytes.
struct Planes {
    float corner;
    unsigned exponent;
    unsigned low = 0, high = 0;
};

Planes planesOf(const std::vector<Child>& children, int axis) {
    float least = std::numeric_limits<float>::max(), most = -least;
    for (const Child& c : children) {
        least = std::min(least, c.low[axis]);
        most = std::max(most, c.high[axis]);
    }
    // so that the corner's rounding is a part of a step
    const double finest = std::max(std::abs(double{least}), std::abs(double{most})) * 0x1p-22;
    const double wanted = std::max((double{most} - least) / kSteps, finest);
    const int power = wanted > 0
                          ? std::max(kLeastExponent, static_cast<int>(std::ceil(std::log2(wanted))))
                          : kLeastExponent;
    const double step = std::ldexp(1., power);
    Planes p;
    p.corner = std::nextafter(static_cast<float>(least - step), -std::numeric_limits<float>::max());
    p.exponent = static_cast<unsigned>(power + kExponentBias);
    for (size_t i = 0; i < children.size(); ++i) {
        const double low = std::floor((double{children[i].low[axis]} - p.corner) / step - kMargin);
        const double high = std::ceil((double{children[i].high[axis]} - p.corner) / step + kMargin);
        p.low |= static_cast<unsigned>(std::clamp(low, 0., 255.)) << (8 * i);
        p.high |= static_cast<unsigned>(std::clamp(high, 0., 255.)) << (8 * i);
    }
    return p;
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
            const Planes x = planesOf(children, 0), y = planesOf(children, 1);
            const Planes z = planesOf(children, 2);
            node.corner = {x.corner, y.corner, z.corner};
            node.exponents = x.exponent | y.exponent << 8 | z.exponent << 16;
            node.x[0] = x.low, node.x[1] = x.high;
            node.y[0] = y.low, node.y[1] = y.high;
            node.z[0] = z.low, node.z[1] = z.high;
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
