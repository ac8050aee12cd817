#include "renderer/cuda/tree_plan.h"

#include <algorithm>

#include "renderer/scene/linear_bvh.h"

namespace rayscope {

namespace {

/// Of kernels that stride over the spheres: as many as fill any device.
constexpr int kMostTreeBlocks = 1024;

/// Hands out parts of a block, each aligned for any of the arrays.
class Parts {
public:
    /// block: nullptr to learn its size.
    explicit Parts(unsigned char* block) : block_(block) {}

    template <class T>
    T* take(size_t count) {
        unsigned char* const part = block_ != nullptr ? block_ + size_ : nullptr;
        size_ += (count * sizeof(T) + 255) / 256 * 256;
        return reinterpret_cast<T*>(part);
    }
    size_t size() const { return size_; }

private:
    unsigned char* block_;
    size_t size_ = 0;
};

int outsideOf(const DeviceTree& t) {
    return std::min(static_cast<int>(t.outside.size()), kMostOutside);
}

int shapesOf(const DeviceTree& t) {
    return t.spheres + t.triangles;
}

int inTree(const DeviceTree& t) {
    return shapesOf(t) - outsideOf(t);
}

int spheresInTree(const DeviceTree& t) {
    const auto isSphere = [&](int i) { return i < t.spheres; };
    return t.spheres - static_cast<int>(std::count_if(t.outside.begin(),
                                                      t.outside.begin() + outsideOf(t), isSphere));
}

/// Whether there is anything to merge.
bool hasClusters(const DeviceTree& t) {
    return t.variant.clusters && inTree(t) > kLinearLeaf;
}

int rankedPieces(const DeviceTree& t) {
    constexpr int kNodes = 32 * kRankedWords;
    return (radixNodes(t) + kNodes - 1) / kNodes;
}

int blocksOf(int threads) {
    return std::max(1, (threads + kTreeThreads - 1) / kTreeThreads);
}

TreeMemory layOut(const DeviceTree& t, unsigned char* block, TreeParams& p) {
    Parts parts(block);
    const int in = inTree(t);
    p.facts = parts.take<TreeFacts>(1);
    p.tiles = parts.take<unsigned>(size_t{kMostPasses} * tilesOf(in) * kTreeThreads);
    p.rankedPieces = parts.take<unsigned>(rankedPieces(t));
    if (hasClusters(t)) p.ranges = parts.take<int>(in);
    const size_t zeros = parts.size();
    p.boxes = parts.take<NodeBox>(shapesOf(t));
    p.keys = parts.take<unsigned long long>(in);
    p.keysCopy = parts.take<unsigned long long>(in);
    p.listCopy = parts.take<int>(in);
    if (hasClusters(t)) {
        p.clusters = parts.take<Cluster>(in);
        p.slots = parts.take<int>(in);
        p.order = parts.take<int>(shapesOf(t));
        p.list = parts.take<int>(shapesOf(t));
        return {parts.size(), zeros};
    }
    p.radix = parts.take<RadixNode>(in);
    if (t.mesh != nullptr) {
        p.ranked = parts.take<RankedNodes>(size_t{kRankedWords} * rankedPieces(t));
        p.list = p.order = parts.take<int>(shapesOf(t));
        p.parents = parts.take<int>(radixNodes(t));
        p.arrivals = parts.take<int>(radixNodes(t));
    }
    return {parts.size(), zeros};
}

/// Where the tree of a scene of spheres is.
void placeBehindSpheres(const DeviceTree& t, TreeParams& p) {
    p.header = reinterpret_cast<BvhHeader*>(t.scene + t.spheresBytes);
    p.list = reinterpret_cast<int*>(p.header + 1);
    p.tree = reinterpret_cast<BvhNode*>(p.list + t.padded);
    p.parents = reinterpret_cast<int*>(p.tree + t.nodes);
    p.arrivals = p.parents + t.nodes;
}

/// Where the tree of a scene with triangles is.
void placeInMesh(const DeviceTree& t, TreeParams& p) {
    unsigned char* const start = t.scene + t.spheresBytes;
    const auto at = [&](unsigned place) { return start + size_t{16} * place; };
    p.mesh = reinterpret_cast<const MeshHeader*>(start);
    p.header = reinterpret_cast<BvhHeader*>(start);
    p.tree = reinterpret_cast<BvhNode*>(at(t.mesh->nodes));
    p.listed = at(t.mesh->listed);
    p.numbers = reinterpret_cast<ShapeId*>(at(t.mesh->numbers));
}

}  // namespace

int radixNodes(const DeviceTree& t) {
    return linearNodes(inTree(t));
}

size_t sceneBytes(const DeviceTree& t) {
    if (t.mesh != nullptr)
        return t.spheresBytes + size_t{16} * t.mesh->nodes + t.nodes * sizeof(BvhNode);
    const size_t perNode = sizeof(BvhNode) + 2 * sizeof(int);
    return t.spheresBytes + sizeof(BvhHeader) + t.padded * sizeof(int) + t.nodes * perNode;
}

TreeMemory treeMemory(const DeviceTree& tree) {
    TreeParams none{};
    return layOut(tree, nullptr, none);
}

TreeParams treeParams(const DeviceTree& t, unsigned char* memory) {
    TreeParams p{};
    p.scene = t.scene;
    p.spheres = t.spheres;
    p.padded = t.padded;
    p.shapes = shapesOf(t);
    p.outside = outsideOf(t);
    std::copy_n(t.outside.begin(), p.outside, p.outsideShapes);
    p.inTree = inTree(t);
    p.spheresInTree = spheresInTree(t);
    p.radixNodes = radixNodes(t);
    p.nodes = t.nodes;
    t.mesh != nullptr ? placeInMesh(t, p) : placeBehindSpheres(t, p);
    layOut(t, memory, p);
    return p;
}

std::vector<TreeLaunch> countLaunches(const DeviceTree& t) {
    const int in = inTree(t), strided = std::min(blocksOf(in), kMostTreeBlocks);
    std::vector<TreeLaunch> launches;
    if (t.spheres > 0) launches.push_back({TreeStep::boxes, strided});
    if (t.triangles > 0) launches.push_back({TreeStep::triangles, strided});
    launches.push_back({TreeStep::keys, strided});
    const bool few = t.variant.bits == MortonBits::bits30;
    const int passes = few ? kPasses<unsigned> : kPasses<unsigned long long>;
    for (int pass = 0; in > 0 && pass < passes; ++pass)
        launches.push_back({TreeStep::sort, tilesOf(in), pass});
    if (hasClusters(t)) {
        launches.push_back({TreeStep::clusters, blocksOf(in)});
    } else if (in > kLinearLeaf) {
        launches.push_back({TreeStep::radix, blocksOf(in - 1)});
        launches.push_back({TreeStep::depth, blocksOf(in - 1)});
        if (t.mesh != nullptr) launches.push_back({TreeStep::ranks, rankedPieces(t)});
    }
    return launches;
}

std::optional<int> countedNodes(const DeviceTree& t, const TreeFacts& facts) {
    const int radix = radixNodes(t);
    if (radix <= 1) return radix;
    if (hasClusters(t) && facts.deepest > kBvhLevels) return {};
    return facts.nodes;
}

std::vector<TreeLaunch> writeLaunches(const DeviceTree& t) {
    std::vector<TreeLaunch> launches;
    if (hasClusters(t)) {
        launches.push_back({TreeStep::nodes, blocksOf(inTree(t))});
    } else {
        launches.push_back({TreeStep::children, blocksOf(radixNodes(t))});
        if (t.nodes > 0) launches.push_back({TreeStep::fit, blocksOf(t.nodes)});
    }
    if (t.mesh != nullptr)
        launches.push_back({TreeStep::list, std::min(blocksOf(shapesOf(t)), kMostTreeBlocks)});
    return launches;
}

std::vector<TreeLaunch> buildLaunches(const DeviceTree& t) {
    std::vector<TreeLaunch> launches = countLaunches(t);
    const std::vector<TreeLaunch> writing = writeLaunches(t);
    launches.insert(launches.end(), writing.begin(), writing.end());
    return launches;
}

std::vector<TreeLaunch> adoptLaunches(const DeviceTree& t) {
    return {{TreeStep::parents, blocksOf(t.nodes)}};
}

std::vector<TreeLaunch> refitLaunches(const DeviceTree& t) {
    if (t.nodes == 0) return {};
    return {{TreeStep::boxes, std::min(blocksOf(inTree(t)), kMostTreeBlocks)},
            {TreeStep::fit, blocksOf(t.nodes)}};
}

}  // namespace rayscope
