#pragma once

#include "renderer/cuda/kernels/tree_parts.h"

// Builds a hierarchy from the leaves up by merging the nearest clusters of shapes: Benthin,
// Meister, Barczak, Mehalwal, Tsakok and Kensler 2024, "H-PLOC: Hierarchical Parallel
// Locally-Ordered Clustering for Bounding Volume Hierarchy Construction". Threads go up the radix
// tree over the sorted keys, of which nothing is stored; where a range of it has too many clusters,
// their warp merges them, and leaves the rest to whoever goes on from there. hierarchy.cu includes
// this.

namespace rayscope {

/// A range of the radix tree leaves so many clusters at most, but the last.
inline constexpr int kLeftClusters = 16;
/// How far away in the order of keys the nearest is looked for.
inline constexpr int kClusterRadius = 8;
inline constexpr int kNoCluster = 1 << 31;
/// Of visiting a node, in tests of a shape, as scene/bvh.cpp has it.
inline constexpr float kClusterNodeCost = 2;

/// A cluster as lanes compare it.
struct ComparedCluster {
    int reference;  ///< of Cluster, or the complement of a place among the sorted shapes
    Vec3<float> low, high;
};

__device__ __forceinline__ float halfArea(const Vec3<float>& low, const Vec3<float>& high) {
    const Vec3<float> side = high - low;
    return side.x * side.y + side.y * side.z + side.z * side.x;
}

__device__ __forceinline__ ComparedCluster comparedCluster(const TreeParams& p, int reference) {
    if (reference < 0) {
        const NodeBox& box = p.boxes[p.list[p.outside + ~reference]];
        return {reference, box.low, box.high};
    }
    const auto* const at = reinterpret_cast<const float4*>(p.clusters + reference);
    const float4 low = __ldcg(at), high = __ldcg(at + 1);
    return {reference, {low.x, low.y, low.z}, {high.x, high.y, high.z}};
}

/// What merging needs to know of a cluster, and boxes do not tell.
struct ClusterSums {
    int shapes, nodes, height, firstKey;
    float cost;
};

__device__ __forceinline__ ClusterSums sumsOf(const TreeParams& p, const ComparedCluster& c) {
    if (c.reference < 0) return {1, 0, 0, ~c.reference, halfArea(c.low, c.high)};
    const Cluster& from = p.clusters[c.reference];
    const int4 sums = __ldcg(reinterpret_cast<const int4*>(&from.shapes));
    return {sums.x, sums.y, sums.z, sums.w, __ldcg(&from.cost)};
}

/// Makes a cluster of two. Its number is free: of all clusters one is first among its keys'
/// neighbours on the right only once.
__device__ __forceinline__ int merged(const TreeParams& p, const ComparedCluster& a,
                                      const ComparedCluster& b, const Vec3<float>& low,
                                      const Vec3<float>& high) {
    const ClusterSums left = sumsOf(p, a), right = sumsOf(p, b);
    const int number = right.firstKey - 1;
    const int shapes = left.shapes + right.shapes;
    const float area = halfArea(low, high);
    const float asLeaf = area * static_cast<float>(shapes);
    const float asNode = kClusterNodeCost * area + left.cost + right.cost;
    const bool isLeaf = shapes <= kMaxLeafSpheres && asLeaf <= asNode;
    const int height = left.height > right.height ? left.height : right.height;
    Cluster& c = p.clusters[number];
    c = {low,       0,     high, 0, shapes, 0, 0, left.firstKey, {a.reference, b.reference},
         kNoParent, asLeaf};
    if (!isLeaf) {
        c.nodes = 1 + left.nodes + right.nodes;
        c.height = 1 + height;
        c.cost = asNode;
    }
    if (a.reference >= 0) p.clusters[a.reference].parent = 2 * number;
    if (b.reference >= 0) p.clusters[b.reference].parent = 2 * number + 1;
    return number;
}

/// Makes those that a warp keeps follow each other; returns how many there are.
__device__ __forceinline__ int keepClusters(ComparedCluster& c, bool keep) {
    __shared__ ComparedCluster kept[kTreeThreads];
    const unsigned lanes = __ballot_sync(~0u, keep);
    const int lane = threadIdx.x % 32, warp = threadIdx.x - lane;
    if (keep) kept[warp + __popc(lanes & ((1u << lane) - 1))] = c;
    __syncwarp();
    c = kept[warp + lane];
    __syncwarp();
    return __popc(lanes);
}

/// A pair of lanes, the nearest pair first. Of equal ones those of neighbours, and of these every
/// other pair: where all clusters are in one place, half of them are left.
__device__ __forceinline__ unsigned long long pairKey(float area, int lower, int distance) {
    const int later = 2 * (distance - 1) + lower % 2;
    return static_cast<unsigned long long>(__builtin_bit_cast(unsigned, area)) << 32 |
           static_cast<unsigned>(later << 8 | lower);
}
__device__ __forceinline__ int lowerOf(unsigned long long pair) {
    return static_cast<int>(pair & 31);
}
__device__ __forceinline__ int upperOf(unsigned long long pair) {
    return static_cast<int>((pair & 31) + 1 + (pair >> 9 & 7));
}

/// The nearest pair that a lane's cluster is of, among the first `count` lanes.
__device__ __forceinline__ unsigned long long nearestPair(const ComparedCluster& c, int count) {
    const int lane = threadIdx.x % 32;
    unsigned long long best = ~0ull;
    RAYSCOPE_ROLLED for (int r = 1; r <= kClusterRadius; ++r) {
        const auto next = [&](float x) { return __shfl_down_sync(~0u, x, r); };
        const Vec3<float> low{fastMin(c.low.x, next(c.low.x)), fastMin(c.low.y, next(c.low.y)),
                              fastMin(c.low.z, next(c.low.z))};
        const Vec3<float> high{fastMax(c.high.x, next(c.high.x)), fastMax(c.high.y, next(c.high.y)),
                               fastMax(c.high.z, next(c.high.z))};
        const float area = halfArea(low, high), before = __shfl_up_sync(~0u, area, r);
        if (lane + r < count) {
            const unsigned long long pair = pairKey(area, lane, r);
            best = pair < best ? pair : best;
        }
        if (lane >= r && lane < count) {
            const unsigned long long pair = pairKey(before, lane - r, r);
            best = pair < best ? pair : best;
        }
    }
    return best;
}

/// Merges the clusters of a range of the sorted shapes, which has two sides; all lanes arrive.
__device__ __forceinline__ void mergeRange(const TreeParams& p, int left, int split, int right,
                                           bool all) {
    const int lane = threadIdx.x % 32;
    const int at = lane < kLeftClusters ? left + lane : split + lane - kLeftClusters;
    const int reference =
        at < (lane < kLeftClusters ? split : right + 1) ? __ldcg(p.slots + at) : kNoCluster;
    ComparedCluster c{};
    if (reference != kNoCluster) c = comparedCluster(p, reference);
    int count = keepClusters(c, reference != kNoCluster);
    while (count > (all ? 1 : kLeftClusters)) {
        const unsigned long long pair = nearestPair(c, count);
        const int lower = lowerOf(pair), upper = upperOf(pair);
        const int other = lane == lower ? upper : lower;
        const bool merges = __shfl_sync(~0u, pair, other) == pair && lane < count;
        const auto others = [&](auto x) { return __shfl_sync(~0u, x, other); };
        const ComparedCluster o{others(c.reference),
                                {others(c.low.x), others(c.low.y), others(c.low.z)},
                                {others(c.high.x), others(c.high.y), others(c.high.z)}};
        if (merges && lane == lower) {
            const Vec3<float> low{fastMin(c.low.x, o.low.x), fastMin(c.low.y, o.low.y),
                                  fastMin(c.low.z, o.low.z)};
            const Vec3<float> high{fastMax(c.high.x, o.high.x), fastMax(c.high.y, o.high.y),
                                   fastMax(c.high.z, o.high.z)};
            c = {merged(p, c, o, low, high), low, high};
        }
        count = keepClusters(c, lane < count && !(merges && lane == upper));
    }
    if (lane < kLeftClusters && left + lane <= right)
        p.slots[left + lane] = lane < count ? c.reference : kNoCluster;
    if (all && lane == 0) {
        p.facts->root = c.reference;
        p.facts->nodes = p.clusters[c.reference].nodes;
        p.facts->deepest = p.clusters[c.reference].height;
    }
    __threadfence();
    __syncwarp();
}

/// Merges all shapes in the tree, more than a leaf has, into one cluster.
template <class Key>
__global__ void __launch_bounds__(kTreeThreads, 4)
    treeClusters(const __grid_constant__ TreeParams p) {
    const auto* const keys = static_cast<const Key*>(p.keys);
    int left = threadOfGrid(), right = left, split = left;
    bool goesOn = left < p.inTree;
    if (goesOn) p.slots[left] = ~left;
    __threadfence();
    __syncwarp();
    while (__ballot_sync(~0u, goesOn) != 0) {
        if (goesOn) {
            const auto shared = [&](int i) { return sharedBits(keys, p.inTree, i, i + 1); };
            const bool toRight =
                left == 0 || (right + 1 < p.inTree && shared(right) > shared(left - 1));
            const int arrived =
                atomicExch(p.ranges + (toRight ? right : left - 1), 1 + (toRight ? left : right)) -
                1;
            goesOn = arrived >= 0;
            if (goesOn) {
                split = toRight ? right + 1 : left;
                (toRight ? right : left) = arrived;
            }
            __threadfence();
        }
        __syncwarp();
        const bool all = goesOn && right - left + 1 == p.inTree;
        unsigned full = __ballot_sync(~0u, goesOn && (all || right - left >= kLeftClusters));
        while (full != 0) {
            const int lane = __ffs(static_cast<int>(full)) - 1;
            full &= full - 1;
            const auto of = [&](int x) { return __shfl_sync(~0u, x, lane); };
            mergeRange(p, of(left), of(split), of(right), of(all) != 0);
        }
        goesOn = goesOn && !all;
    }
}

/// Where a cluster is in the tree that rays walk.
struct ClusterPlace {
    int node, first;
};

/// The node of a cluster, and where its shapes begin in the list; node -1: a leaf contains it.
__device__ __forceinline__ ClusterPlace placeOf(const TreeParams& p, int cluster) {
    if (p.clusters[cluster].nodes == 0) return {-1, 0};
    ClusterPlace place{0, 0};
    for (int at = p.clusters[cluster].parent; at >= 0;) {
        const Cluster& parent = p.clusters[at / 2];
        if (parent.nodes == 0) return {-1, 0};
        ++place.node;
        if (at % 2 != 0) {
            const int sibling = parent.child[0];
            place.first += sibling < 0 ? 1 : p.clusters[sibling].shapes;
            place.node += sibling < 0 ? 0 : p.clusters[sibling].nodes;
        }
        at = parent.parent;
    }
    return place;
}

/// Writes the shapes of a cluster that is a leaf, to `first` on in the list.
__device__ __forceinline__ void listShapes(const TreeParams& p, int reference, int first) {
    static_assert(kMaxLeafSpheres == 4, "as many as the stack allows, which stays in registers");
    int top = 0, a = 0, b = 0, c = 0;
    while (true) {
        for (; reference >= 0; ++top) {
            c = b, b = a, a = p.clusters[reference].child[1];
            reference = p.clusters[reference].child[0];
        }
        p.order[first++] = p.list[p.outside + ~reference];
        if (top-- == 0) return;
        reference = a, a = b, b = c;
    }
}

/// The nodes that rays walk, those of a left side right behind their parent, and the order of
/// shapes in the list.
__global__ void __launch_bounds__(kTreeThreads) treeNodes(const __grid_constant__ TreeParams p) {
    const int i = threadOfGrid();
    if (i == 0) {
        const BvhHeader measured = measuredHeader(p);
        *p.header = {p.outside, p.nodes, measured.reach, measured.smallest, p.shapes};
    }
    if (i < p.outside) p.order[i] = p.list[i];
    if (i + 1 >= p.inTree) return;
    const ClusterPlace place = placeOf(p, i);
    if (place.node < 0) return;
    BvhNode node{};
    int first = p.outside + place.first, next = place.node + 1;
    for (int side = 0; side < 2; ++side) {
        const ComparedCluster c = comparedCluster(p, p.clusters[i].child[side]);
        const ClusterSums sums = sumsOf(p, c);
        node.x[2 * side] = c.low.x, node.x[2 * side + 1] = c.high.x;
        node.y[2 * side] = c.low.y, node.y[2 * side + 1] = c.high.y;
        node.z[2 * side] = c.low.z, node.z[2 * side + 1] = c.high.z;
        node.child[side] = sums.nodes > 0 ? next : leafReference(first, sums.shapes);
        if (sums.nodes == 0) listShapes(p, c.reference, first);
        first += sums.shapes;
        next += sums.nodes;
    }
    p.tree[place.node] = node;
}

}  // namespace rayscope
