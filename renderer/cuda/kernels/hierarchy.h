#pragma once

#include "renderer/core/linear_bvh.h"
#include "renderer/core/mesh.h"

// How a hierarchy is built on the device (hierarchy.cu), as host and kernels both know it.

namespace rayscope {

/// Threads of each kernel's blocks, one for each digit of a pass of the sort.
inline constexpr int kTreeThreads = 256;
inline constexpr int kDigitBits = 8;
/// A block sorts so many keys at a time: few enough to occupy many multiprocessors, enough that
/// what it looks up about the blocks before it is little.
inline constexpr int kTileKeys = 8 * kTreeThreads;
/// Words of 32 nodes that a block ranks.
inline constexpr int kRankedWords = kTreeThreads / 4;
/// Passes over the longest keys, an even number for each length of keys.
inline constexpr int kMostPasses = 8;
/// kMaxOutside of scene/bvh.h.
inline constexpr int kMostOutside = 16;

template <class Key>
inline constexpr int kPasses = (kMortonBits<Key> + kDigitBits - 1) / kDigitBits;

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
    int tiles[kMostPasses];  ///< of each pass that have been begun
    int digits[kMostPasses][1 << kDigitBits];  ///< how often each occurs
};

/// Which of 32 nodes of the radix tree are nodes that rays walk, and how many before them.
struct RankedNodes {
    unsigned are;
    int before;
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
};

}  // namespace rayscope
