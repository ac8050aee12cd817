#pragma once

#include <array>
#include <functional>
#include <vector>

#include "renderer/core/compressed.h"
#include "renderer/scene/bvh.h"

namespace rayscope {

/// A box in the precision of the nodes.
struct FloatBox {
    std::array<float, 3> low, high;
};

/// A hierarchy of eight children to a node, which core/compressed.h walks.
struct CompressedTree {
    std::vector<CompressedNode> nodes;  ///< the root first; empty where no box is in the tree
    std::vector<int> list;              ///< as Bvh::list
};

/// Which nodes of the binary tree become nodes and which children of these is chosen by cost, as in
/// Ylitie, Karras and Laine 2017 (core/compressed.h); where children go is too, but greedily.
/// Leaves of more than kMostLeafShapes are split. `boxOf`: the box of an entry of the binary tree's
/// list.
CompressedTree compressed(const Bvh& bvh, const std::function<FloatBox(int)>& boxOf);

}  // namespace rayscope
