#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "renderer/cuda/kernels/hierarchy.h"
#include "renderer/scene/hierarchy.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// The kernels that build hierarchies (kernels/hierarchy.cu).
enum class TreeStep {
    boxes,
    triangles,
    keys,
    sort,
    radix,
    depth,
    ranks,
    children,
    parents,
    fit,
    nodes,
    clusters,
    list
};

/// What some of them are instantiated for.
struct TreeVariant {
    Precision precision = Precision::float32;
    SceneLayout layout = SceneLayout::aos;
    bool walls = false;
    MortonBits bits = MortonBits::bits30;
    TrianglePacking triangles{};
    bool clusters = false;  ///< Hierarchy::ploc, of a scene with triangles
};

/// A hierarchy in device memory, in the scene that rays walk, and what building it needs to know.
struct DeviceTree {
    TreeVariant variant;
    int source = 0;                  ///< Settings::source of the kernels that build it
    unsigned char* scene = nullptr;  ///< packed; the tree behind its spheres, or as `mesh` says
    size_t spheresBytes = 0;
    int spheres = 0, padded = 0;
    int nodes = 0;
    /// Shapes outside the tree, ascending: kMostOutside of them at most, or of a tree that the
    /// host has built the first ones, and the header then allows for the others.
    std::span<const int> outside;
    int triangles = 0;
    const MeshHeader* mesh = nullptr;  ///< of a scene with triangles, on the host
};

/// Of the radix tree.
int radixNodes(const DeviceTree& tree);

/// Bytes of a packed scene with such a tree, and of what only its builder reads behind it.
size_t sceneBytes(const DeviceTree& tree);

/// Memory that building takes besides the tree, in bytes; the first `zeros` are to be set to zero.
struct TreeMemory {
    size_t bytes, zeros;
};
TreeMemory treeMemory(const DeviceTree& tree);

/// `memory`: of treeMemory().
TreeParams treeParams(const DeviceTree& tree, unsigned char* memory);

/// A launch of so many blocks of kTreeThreads.
struct TreeLaunch {
    TreeStep step;
    int blocks;
    int pass = 0;  ///< of the sort
};

/// What finds out how many nodes a linear hierarchy has (TreeFacts::nodes), where it is not
/// radixNodes(), ...
std::vector<TreeLaunch> countLaunches(const DeviceTree& tree);
/// What they have found; nothing where clusters have more levels than kBvhLevels.
std::optional<int> countedNodes(const DeviceTree& tree, const TreeFacts& facts);
/// ... and what writes so many, in the same memory.
std::vector<TreeLaunch> writeLaunches(const DeviceTree& tree);
/// Both, for a scene of spheres, whose hierarchy has as many as its radix tree.
std::vector<TreeLaunch> buildLaunches(const DeviceTree& tree);
/// What finds the parents in a tree that the host has built, which comes before ...
std::vector<TreeLaunch> adoptLaunches(const DeviceTree& tree);
/// ... fitting the boxes of a tree to its spheres.
std::vector<TreeLaunch> refitLaunches(const DeviceTree& tree);

}  // namespace rayscope
