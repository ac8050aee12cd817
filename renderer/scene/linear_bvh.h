#pragma once

#include "renderer/core/linear_bvh.h"
#include "renderer/scene/bvh.h"
#include "renderer/scene/hierarchy.h"

namespace rayscope {

/// The boxes in the precision of the nodes.
std::vector<NodeBox> nodeBoxes(std::span<const Box> boxes);

/// A hierarchy by Morton codes (core/linear_bvh.h): quicker to build than by the surface area
/// heuristic, slower to walk. Inner nodes have the numbers of Karras' paper, so those that a leaf
/// replaces are left out: such nodes have two empty leaves. Node for node what a GPU builds.
/// outside: boxes that stay outside the tree, ascending. leaf: boxes of a leaf at most, up to
/// kMaxLeafSpheres.
Bvh buildLinearBvh(std::span<const NodeBox> boxes, std::span<const int> outside,
                   MortonBits bits = MortonBits::bits30, int leaf = kLinearLeaf);
Bvh buildLinearBvh(std::span<const Box> boxes, MortonBits bits = MortonBits::bits30);

/// The tree without nodes that are left out; nodes come before those below.
Bvh withoutGaps(Bvh bvh);

/// Fits the boxes of a tree to spheres that have moved or changed their size; what is split where
/// remains. One that has moved far makes all boxes above it large.
void refit(Bvh& bvh, std::span<const NodeBox> boxes);

/// Nodes of a linear hierarchy over so many boxes, those that are left out included.
constexpr int linearNodes(int boxes) {
    return boxes > kLinearLeaf ? boxes - 1 : boxes > 0 ? 1 : 0;
}

}  // namespace rayscope
