#pragma once

#include "renderer/core/intersect.h"
#include "renderer/cuda/kernels/kernel.h"

// NodeMemory::shared: a block copies the uppermost nodes of a hierarchy before its threads walk it.

namespace rayscope {

/// Which nodes are copied: each child for which there is room. Of accel=bvh8, where the children of
/// a node follow each other, all or none.
struct CopiedNodes {
    int* sources;  ///< of each copy, the number of its node; -1: there is none
    int* count;    ///< copies asked for so far
    int most;

    /// The number of the first copy, for consecutive nodes from `first` on; -1: no room.
    __device__ __forceinline__ int take(int nodes, int first) const {
        const int copy = atomicAdd(count, nodes);
        const bool fits = copy + nodes <= most;
        for (int k = copy; k < copy + nodes && k < most; ++k)
            sources[k] = fits ? first + k - copy : -1;
        return fits ? copy : -1;
    }
};

template <int Children>
__device__ __forceinline__ void takeEach(int (&child)[Children], int mark,
                                         const CopiedNodes& copied) {
    for (int& c : child) {
        if (c < 0) continue;  // a leaf, or none
        const int copy = copied.take(1, c);
        if (copy >= 0) c = mark | copy;
    }
}
__device__ __forceinline__ void takeChildren(BvhNode& node, int mark, const CopiedNodes& copied) {
    takeEach(node.child, mark, copied);
}
__device__ __forceinline__ void takeChildren(Bvh4Node& node, int mark, const CopiedNodes& copied) {
    takeEach(node.child, mark, copied);
}
__device__ __forceinline__ void takeChildren(CompressedNode& node, int mark,
                                             const CopiedNodes& copied) {
    const int nodes = __popc(node.exponents >> 24);
    if (nodes == 0) return;
    const int copy = copied.take(nodes, node.firstNode);
    if (copy >= 0) node.firstNode = mark | copy;
}

/// All threads of the block must arrive.
template <Variant V, class Node>
__device__ __forceinline__ void copyTop(const Node* nodes) {
    using Top = TopNodes<Node>;
    __shared__ int sources[Top::kMost];
    __shared__ int count;
    if (threadOfBlock() == 0) {
        sources[0] = 0;
        count = 1;
    }
    __syncthreads();
    for (int first = 0, end = 1; first < end;) {  // a level
        for (int copy = first + threadOfBlock(); copy < end; copy += V.blockX * V.blockY) {
            if (sources[copy] < 0) continue;
            Node node = nodes[sources[copy]];
            takeChildren(node, Top::kMark, {sources, &count, Top::kMost});
            Top::nodes()[copy] = node;
        }
        __syncthreads();
        first = end;
        end = min(count, Top::kMost);
        __syncthreads();
    }
}

/// For kernels whose threads walk the hierarchy; all threads of the block must arrive.
template <Variant V>
__device__ __forceinline__ void copyTopNodes(const LaunchParams<Real<V>>& p) {
    const SceneView<Real<V>, V> scene{p.scene, p.params};
    if constexpr (has(V, kTriangles)) {
        const auto tree = meshTree<V.triangle>(scene);
        if (tree.head().nodes == 0) return;
        if constexpr (V.accel == Accel::bvh8)
            copyTop<V>(reinterpret_cast<const CompressedNode*>(tree.nodes));
        else
            copyTop<V>(reinterpret_cast<const BvhNode*>(tree.nodes));
    } else {
        const BvhHeader header = *scene.bvh();
        if (header.nodes == 0) return;
        if constexpr (V.accel == Accel::bvh4)
            copyTop<V>(scene.template sphereList<Bvh4Node>(header.listed, header.nodes).elements);
        else
            copyTop<V>(scene.nodes());
    }
}

/// Whether a variant's kernels need it.
constexpr RAYSCOPE_FN bool copiesTopNodes(const Variant& v) {
    const bool tree = v.accel == Accel::bvh || v.accel == Accel::bvh4 || v.accel == Accel::bvh8;
    return tree && v.nodeMemory == NodeMemory::shared;
}

}  // namespace rayscope
