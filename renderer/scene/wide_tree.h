#pragma once

#include <vector>

#include "renderer/core/mesh_wide.h"
#include "renderer/scene/bvh.h"

namespace rayscope {

/// A hierarchy of N children to a node, which core/mesh_wide.h walks.
template <class Real, int N>
struct WideTree {
    std::vector<WideNode<N>> nodes;
    std::vector<TriangleBlock<Real>> blocks;
    int root = 0;
    std::vector<int> pieces{};  ///< roots of the trees below places, or wideReference()s
};

/// A node takes the place of a node of the binary tree and of the largest of those below it, a
/// block that of a subtree whose shapes fit into it. Shapes outside the tree are in blocks too,
/// whose boxes are everywhere. Places are leaves. `shapes`: those of the binary tree's list.
template <class Real, int N>
WideTree<Real, N> widened(const Bvh& bvh, const std::vector<ListedShape<Real>>& shapes);

}  // namespace rayscope
