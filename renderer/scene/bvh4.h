#pragma once

#include <vector>

#include "renderer/scene/bvh.h"

namespace rayscope {

/// A hierarchy of four children to a node with the leaves of a binary one, which core/bvh4.h walks.
struct Bvh4 {
    std::vector<Bvh4Node> nodes;  ///< the root first; empty where no box is in the tree
};

/// A node takes the place of a node of the binary tree and of the largest of those below it, as in
/// Wald, Benthin and Boulos 2008, "Getting Rid of Packets"; boxes are rounded outwards to bytes, as
/// in Ylitie, Karras and Laine 2017, "Efficient Incoherent Ray Traversal on GPUs Through Compressed
/// Wide BVHs". Where that would need a deeper stack than kBvh4Stack, it is always two levels.
Bvh4 collapsed(const Bvh& bvh);

/// Entries of the stack that a walk of the tree needs at most.
int stackOf(const Bvh4& bvh);

}  // namespace rayscope
