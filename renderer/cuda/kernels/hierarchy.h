#pragma once

#include "renderer/core/linear_bvh.h"

// How a hierarchy is built on the device (hierarchy.cu), as host and kernels both know it.

namespace rayscope {

/// Threads of each kernel's blocks, one for each digit of a pass of the sort.
inline constexpr int kTreeThreads = 256;
inline constexpr int kDigitBits = 8;
/// A block sorts so many keys at a time: few enough to occupy many multiprocessors, enough that
/// what it looks up about the blocks before it is little.
inline constexpr int kTileKeys = 8 * kTreeThreads;
/// Passes over the longest keys, an even number for each length of keys.
inline constexpr int kMostPasses = 8;
/// As many as beforeFirstEnclosing() leaves outside a tree.
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
    int tiles[kMostPasses];  ///< of each pass that have been begun
    int digits[kMostPasses][1 << kDigitBits];  ///< how often each occurs
};

/// Arrays are of the spheres in the tree, unless it says otherwise.
struct TreeParams {
    unsigned char* scene;              ///< packed: the spheres, then header, list and nodes
    int spheres, padded;               ///< of the scene
    int outside;                       ///< of these, how many stay outside the tree, ...
    int outsideSpheres[kMostOutside];  ///< ... ascending
    int inTree;
    int nodes;
    BvhHeader* header;
    int* list;  ///< of all spheres
    BvhNode* tree;
    int* parents;    ///< as RadixNode::parent
    int* arrivals;   ///< of threads from below at each node; even between launches
    NodeBox* boxes;  ///< of all spheres
    void* keys;      ///< unsigned or unsigned long long
    void* keysCopy;  ///< where every other pass of the sort writes
    int* listCopy;
    RadixNode* radix;
    TreeFacts* facts;
    /// For each pass, tile and digit: how many keys the tile has, or those before it too.
    unsigned* tiles;
};

}  // namespace rayscope
