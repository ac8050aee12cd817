#include "renderer/scene/wide_tree.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "renderer/base/stop.h"

namespace rayscope {

namespace {

constexpr float kEverywhere = std::numeric_limits<float>::infinity();

struct WideBox {
    std::array<float, 3> low{-kEverywhere, -kEverywhere, -kEverywhere};
    std::array<float, 3> high{kEverywhere, kEverywhere, kEverywhere};
};

/// A subtree of the binary tree.
struct Subtree {
    int reference;
    int shapes;
    WideBox box;

    float area() const {
        const float x = box.high[0] - box.low[0], y = box.high[1] - box.low[1],
                    z = box.high[2] - box.low[2];
        return x * y + y * z + z * x;
    }
    bool isBlock() const { return shapes <= kBlock; }
    bool isPlace() const { return reference < 0 && !isBlock(); }
};

/// A place counts as so many shapes that no block takes it.
constexpr int kPlaceShapes = kBlock + 1;

/// A child that is in the tree already.
struct Placed {
    int reference;
    WideBox box;
};

template <class Real, int N>
class Widening {
public:
    Widening(const Bvh& bvh, const std::vector<ListedShape<Real>>& shapes)
        : bvh_(bvh), shapes_(shapes), counts_(bvh.nodes.size()) {
        std::vector<Placed> top;
        for (int k = 0; k < bvh.header.outside; k += kBlock)
            top.push_back({block(k, std::min(kBlock, bvh.header.outside - k)), {}});
        if (!bvh.nodes.empty()) {
            count(0);
            top.push_back({add(0), {}});
        }
        while (top.size() > N) top = grouped(top);
        const bool one = top.size() == 1 && top[0].reference >= 0;
        tree.root = one ? top[0].reference : append(nodeOf(top));
        for (const TreeOfPiece& piece : bvh.pieces)
            tree.pieces.push_back(below({piece.root, count(piece.root), {}}));
    }
    WideTree<Real, N> tree;

private:
    int count(int node) {
        int sum = 0;
        for (const int r : bvh_.nodes[node].child) sum += r >= 0 ? count(r) : shapesIn(r);
        return counts_[node] = sum;
    }

    int shapesIn(int leaf) const { return isPlace(leaf) ? kPlaceShapes : leafCount(leaf); }

    /// A place has a leaf to itself and, as its id, the complement of its number, which is
    /// negative.
    bool isPlace(int leaf) const { return leafCount(leaf) == 1 && shapes_[leafFirst(leaf)].id < 0; }

    int append(const WideNode<N>& node) {
        tree.nodes.push_back(node);
        return static_cast<int>(tree.nodes.size()) - 1;
    }

    std::vector<Placed> grouped(const std::vector<Placed>& all) {
        std::vector<Placed> groups;
        for (std::size_t i = 0; i < all.size(); i += N) {
            const auto begin = all.begin() + i;
            groups.push_back(
                {append(nodeOf({begin, begin + std::min<std::size_t>(N, all.size() - i)})), {}});
        }
        return groups;
    }

    Subtree partOf(int node, int c) const {
        const BvhNode& n = bvh_.nodes[node];
        const int reference = n.child[c];
        return {reference,
                reference >= 0 ? counts_[reference] : shapesIn(reference),
                {{n.x[2 * c], n.y[2 * c], n.z[2 * c]},
                 {n.x[2 * c + 1], n.y[2 * c + 1], n.z[2 * c + 1]}}};
    }

    std::vector<Subtree> partsOf(int node) const {
        std::vector<Subtree> parts{partOf(node, 0), partOf(node, 1)};
        while (parts.size() < N) {
            const auto area = [](const Subtree& p) {
                return p.isBlock() || p.isPlace() ? -1 : p.area();
            };
            const auto largest = std::ranges::max_element(parts, {}, area);
            if (area(*largest) < 0) break;
            const int opened = largest->reference;
            *largest = partOf(opened, 0);
            parts.push_back(partOf(opened, 1));
        }
        std::erase_if(parts, [](const Subtree& p) { return p.shapes == 0; });
        return parts;
    }

    /// The first of a subtree's shapes, which the list has one after the other.
    int firstOf(int reference) const {
        while (reference >= 0) reference = bvh_.nodes[reference].child[0];
        return leafFirst(reference);
    }

    int block(int first, int count) {
        if (first % 1024 < count) stopPoint();
        TriangleBlock<Real> b{};
        std::fill(std::begin(b.id), std::end(b.id), kNoShape);
        bool spheres = false;
        for (int i = 0; i < count; ++i) {
            const ListedShape<Real>& s = shapes_[first + i];
            b.id[i] = s.id;
            spheres = spheres || kindOf(s.id) == ShapeKind::sphere;
            const Real corners[9] = {s.a.x, s.a.y, s.a.z, s.b.x, s.b.y, s.b.z, s.c.x, s.c.y, s.c.z};
            for (int k = 0; k < 9; ++k) b.corner[k][i] = corners[k];
        }
        tree.blocks.push_back(b);
        return wideReference(spheres ? WideLeaf::spheres : WideLeaf::triangles,
                             static_cast<int>(tree.blocks.size()) - 1);
    }

    static WideNode<N> nodeOf(const std::vector<Placed>& children) {
        WideNode<N> node{};
        float(*const planes[3])[N] = {node.x, node.y, node.z};
        for (int a = 0; a < 3; ++a) {
            std::fill_n(planes[a][0], N, kEverywhere);
            std::fill_n(planes[a][1], N, -kEverywhere);
            for (std::size_t i = 0; i < children.size(); ++i) {
                planes[a][0][i] = children[i].box.low[a];
                planes[a][1][i] = children[i].box.high[a];
            }
        }
        for (std::size_t i = 0; i < children.size(); ++i) node.child[i] = children[i].reference;
        return node;
    }

    /// Adds a subtree, its root before what is below, and returns where it is.
    int add(int binary) {
        const int index = append({});
        std::vector<Placed> children;
        for (const Subtree& p : partsOf(binary)) children.push_back({below(p), p.box});
        tree.nodes[index] = nodeOf(children);
        return index;
    }

    int below(const Subtree& p) {
        if (p.isBlock()) return block(firstOf(p.reference), p.shapes);
        if (!p.isPlace()) return add(p.reference);
        return wideReference(WideLeaf::place, ~shapes_[leafFirst(p.reference)].id);
    }

    const Bvh& bvh_;
    const std::vector<ListedShape<Real>>& shapes_;
    std::vector<int> counts_;  ///< shapes below the binary tree's nodes
};

}  // namespace

template <class Real, int N>
WideTree<Real, N> widened(const Bvh& bvh, const std::vector<ListedShape<Real>>& shapes) {
    return std::move(Widening<Real, N>(bvh, shapes).tree);
}

template WideTree<float, 4> widened(const Bvh&, const std::vector<ListedShape<float>>&);
template WideTree<double, 4> widened(const Bvh&, const std::vector<ListedShape<double>>&);
template WideTree<float, 8> widened(const Bvh&, const std::vector<ListedShape<float>>&);
template WideTree<double, 8> widened(const Bvh&, const std::vector<ListedShape<double>>&);

}  // namespace rayscope
