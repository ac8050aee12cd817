#pragma once

#include "renderer/core/linear_bvh.h"
#include "renderer/core/mesh.h"
#include "renderer/cuda/kernels/sort.h"

// How a hierarchy is built on the device (hierarchy.cu), as host and kernels both know it.

namespace rayscope {

/// Threads of each kernel's blocks.
inline constexpr int kTreeThreads = kSortThreads;
/// Words of 32 nodes that a block ranks.
inline constexpr int kRankedWords = kTreeThreads / 4;
/// Passes over the longest keys, an even number for each length of keys.
inline constexpr int kMostPasses = 8;
/// kMaxOutside of scene/bvh.h.
inline constexpr int kMostOutside = 16;

template <class Key>
inline constexpr int kPasses = passesOf(kMortonBits<Key>);

/// What the kernels tell each other; all zero before the first. Numbers with a sign are mapped to
/// unsigned ones of the same order, of which zero is none.
struct TreeFacts {
    unsigned low[3];         ///< of the boxes' centres; negated, as only maxima are kept
    unsigned high[3];        ///< of the boxes' centres
    unsigned reach;          ///< BvhHeader::reach
    unsigned smallest;       ///< BvhHeader::smallest, negated
    int deepest;             ///< level of the deepest node
    int nodes;               ///< of the radix tree that are nodes of a scene with triangles
    int ranked;              ///< pieces of kRankedWords that have been begun
    int root;                ///< of the clusters
    int tiles[kMostPasses];  ///< of each pass that have been begun
    int digits[kMostPasses][1 << kDigitBits];  ///< how often each occurs
};

/// Which of 32 nodes of the radix tree are nodes that rays walk, and how many before them.
struct RankedNodes {
    unsigned are;
    int before;
};

/// A cluster of shapes (clusters.h).
struct alignas(16) Cluster {
    Vec3<float> low;
    int unusedLow;
    Vec3<float> high;
    int unusedHigh;
    int shapes;
    int nodes, height;  ///< of the tree that rays walk; zeros: it is a leaf, or in one
    int firstKey;       ///< place among the sorted shapes of that which is first in it
    int child[2];       ///< clusters, or the complement of a shape's place
    int parent;         ///< as RadixNode::parent
    float cost;         ///< as the surface area heuristic has it, times the area
};

/// Arrays are of the shapes in the tree, unless it says otherwise.
struct TreeParams {
    /// Packed: the spheres, then header, list and nodes, or what MeshView reads.
    unsigned char* scene;
    int spheres, padded;              ///< of the scene
    int shapes;                       ///< spheres and triangles
    int outside;                      ///< of these, how many stay outside the tree, ...
    int outsideShapes[kMostOutside];  ///< ... ascending
    int inTree, spheresInTree;
    int radixNodes;
    int nodes;  ///< as many, or TreeFacts::nodes
    BvhHeader* header;
    int* list;  ///< of all shapes
    BvhNode* tree;
    int* parents;    ///< as RadixNode::parent
    int* arrivals;   ///< of threads from below at each node; even between launches
    NodeBox* boxes;  ///< of all shapes
    void* keys;      ///< unsigned or unsigned long long
    void* keysCopy;  ///< where every other pass of the sort writes
    int* listCopy;
    RadixNode* radix;
    TreeFacts* facts;
    /// For each pass, tile and digit: how many keys the tile has, or those before it too.
    unsigned* tiles;

    // Of a scene with triangles:
    const MeshHeader* mesh;  ///< else null, and nodes have the numbers of the radix tree
    RankedNodes* ranked;     ///< by 32 nodes of the radix tree
    unsigned* rankedPieces;  ///< of each, the nodes in it, or those before too, as in `tiles`
    unsigned char* listed;   ///< the list as rays read it
    ShapeId* numbers;        ///< MeshHeader::numbers
    int* order;              ///< of all shapes, in the list that rays read

    // Of a tree of clusters:
    Cluster* clusters;
    int* slots;   ///< by place among the sorted shapes: the clusters of a range, from its first on
    int* ranges;  ///< by place of its last or before its first: the other end of a range, plus 1
};

}  // namespace rayscope
