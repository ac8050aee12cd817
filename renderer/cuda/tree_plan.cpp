#include "renderer/cuda/tree_plan.h"

#include <algorithm>

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

int inTree(const DeviceTree& t) {
    return t.spheres - outsideOf(t);
}

int tilesOf(int keys) {
    return (keys + kTileKeys - 1) / kTileKeys;
}

int blocksOf(int threads) {
    return std::max(1, (threads + kTreeThreads - 1) / kTreeThreads);
}

TreeMemory layOut(const DeviceTree& t, unsigned char* block, TreeParams& p) {
    Parts parts(block);
    const int in = inTree(t);
    p.facts = parts.take<TreeFacts>(1);
    p.tiles = parts.take<unsigned>(size_t{kMostPasses} * tilesOf(in) * kTreeThreads);
    const size_t zeros = parts.size();
    p.boxes = parts.take<NodeBox>(t.spheres);
    p.keys = parts.take<unsigned long long>(in);
    p.keysCopy = parts.take<unsigned long long>(in);
    p.listCopy = parts.take<int>(in);
    p.radix = parts.take<RadixNode>(in);
    return {parts.size(), zeros};
}

}  // namespace

size_t sceneBytes(const DeviceTree& t) {
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
    p.outside = outsideOf(t);
    std::copy_n(t.outside.begin(), p.outside, p.outsideSpheres);
    p.inTree = inTree(t);
    p.nodes = t.nodes;
    p.header = reinterpret_cast<BvhHeader*>(t.scene + t.spheresBytes);
    p.list = reinterpret_cast<int*>(p.header + 1);
    p.tree = reinterpret_cast<BvhNode*>(p.list + t.padded);
    p.parents = reinterpret_cast<int*>(p.tree + t.nodes);
    p.arrivals = p.parents + t.nodes;
    layOut(t, memory, p);
    return p;
}

std::vector<TreeLaunch> buildLaunches(const DeviceTree& t) {
    const int in = inTree(t), strided = std::min(blocksOf(in), kMostTreeBlocks);
    std::vector<TreeLaunch> launches{{TreeStep::boxes, strided}, {TreeStep::keys, strided}};
    const bool few = t.variant.bits == MortonBits::bits30;
    const int passes = few ? kPasses<unsigned> : kPasses<unsigned long long>;
    for (int pass = 0; in > 0 && pass < passes; ++pass)
        launches.push_back({TreeStep::sort, tilesOf(in), pass});
    if (in > kLinearLeaf) {
        launches.push_back({TreeStep::radix, blocksOf(in - 1)});
        launches.push_back({TreeStep::depth, blocksOf(in - 1)});
    }
    launches.push_back({TreeStep::children, blocksOf(t.nodes)});
    if (t.nodes > 0) launches.push_back({TreeStep::fit, blocksOf(t.nodes)});
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
