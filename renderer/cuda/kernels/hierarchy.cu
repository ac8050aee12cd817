#include "renderer/core/triangle.h"
#include "renderer/cuda/kernels/clusters.h"
#include "renderer/cuda/kernels/radix_sort.h"
#include "renderer/cuda/kernels/tree_parts.h"

// Builds a linear hierarchy, or fits the boxes of any, in the memory of a packed scene. Each kernel
// is a step; scene/linear_bvh.cpp does the same on the host.

namespace rayscope {

/// Adds the warp's largest value to a maximum. All 32 lanes must arrive.
template <class T>
__device__ __forceinline__ void keepLargest(T* most, T value) {
    for (int step = 16; step > 0; step /= 2) {
        const T other = __shfl_down_sync(~0u, value, step);
        value = value < other ? other : value;
    }
    if (threadIdx.x % 32 == 0 && value > *static_cast<volatile T*>(most)) atomicMax(most, value);
}

/// Shape k of those in the tree.
__device__ __forceinline__ int shapeOf(const TreeParams& p, int k) {
    for (int o = 0; o < p.outside; ++o) k += k >= p.outsideShapes[o] ? 1 : 0;
    return k;
}

/// What is known of boxes once all are.
struct Extent {
    unsigned low[3]{}, high[3]{}, reach = 0;

    __device__ __forceinline__ void add(const NodeBox& box) {
        const Vec3<float> center = centerOf(box);
        const float at[3] = {center.x, center.y, center.z};
        for (int a = 0; a < 3; ++a) {
            low[a] = max(low[a], ordered(-at[a]));
            high[a] = max(high[a], ordered(at[a]));
        }
        const float far =
            fastMax(fastMax(fastMax(-box.low.x, box.high.x), fastMax(-box.low.y, box.high.y)),
                    fastMax(-box.low.z, box.high.z));
        reach = max(reach, ordered(far));
    }
    __device__ __forceinline__ void tell(TreeFacts* facts) const {
        for (int a = 0; a < 3; ++a) {
            keepLargest(&facts->low[a], low[a]);
            keepLargest(&facts->high[a], high[a]);
        }
        keepLargest(&facts->reach, reach);
    }
};

/// The boxes of the spheres.
template <Precision P, SceneLayout L, bool Walls>
__global__ void __launch_bounds__(kTreeThreads) treeBoxes(const __grid_constant__ TreeParams p) {
    constexpr Variant V{.precision = P,
                        .sceneLayout = L,
                        .sceneMemory = SceneMemory::global,
                        .traits = {Walls ? kAllFeatures : kAllFeatures & ~kWalls}};
    SceneParams<Real<V>> counts{};
    counts.sphereCount = p.spheres;
    counts.paddedCount = p.padded;
    const SceneView<Real<V>, V> scene{p.scene, counts};
    Extent all;
    unsigned smallest = 0;
    for (int k = threadOfGrid(); k < p.spheresInTree; k += gridDim.x * kTreeThreads) {
        const int i = shapeOf(p, k);
        const NodeBox box = nodeBoxOf(scene, i);
        p.boxes[i] = box;
        all.add(box);
        smallest = max(smallest, ordered(-box.radius));
    }
    all.tell(p.facts);
    keepLargest(&p.facts->smallest, smallest);
}

/// The box of triangle i, which has no radius.
template <class Real>
__device__ __forceinline__ NodeBox nodeBoxOf(const MeshView<Real>& mesh, int i) {
    const FaceRecord face = mesh.face(i);
    const Vec3<Real> a = mesh.corner(face.corner[0]), b = mesh.corner(face.corner[1]),
                     c = mesh.corner(face.corner[2]);
    const auto least = [](Real x, Real y, Real z) { return minimum(x, minimum(y, z)); };
    const auto most = [](Real x, Real y, Real z) { return maximum(x, maximum(y, z)); };
    return nodeBox(Vec3<Real>{least(a.x, b.x, c.x), least(a.y, b.y, c.y), least(a.z, b.z, c.z)},
                   Vec3<Real>{most(a.x, b.x, c.x), most(a.y, b.y, c.y), most(a.z, b.z, c.z)}, 0.f);
}

/// The boxes of the triangles.
template <class Real>
__global__ void __launch_bounds__(kTreeThreads)
    treeTriangles(const __grid_constant__ TreeParams p) {
    const MeshView<Real> mesh{p.mesh};
    Extent all;
    for (int k = p.spheresInTree + threadOfGrid(); k < p.inTree; k += gridDim.x * kTreeThreads) {
        const int i = shapeOf(p, k);
        const NodeBox box = nodeBoxOf(mesh, i - p.spheres);
        p.boxes[i] = box;
        all.add(box);
    }
    all.tell(p.facts);
}

/// The list of shapes and their keys, not in order yet, and how often each digit occurs.
template <class Key>
__global__ void __launch_bounds__(kTreeThreads) treeKeys(const __grid_constant__ TreeParams p) {
    __shared__ int digits[kPasses<Key>][kTreeThreads];
    for (int pass = 0; pass < kPasses<Key>; ++pass) digits[pass][threadIdx.x] = 0;
    __syncthreads();
    const TreeFacts& f = *p.facts;
    const auto least = [&](int a) { return -fromOrdered(f.low[a]); };
    const auto most = [&](int a) { return fromOrdered(f.high[a]); };
    const MortonCube cube = mortonCube({least(0), least(1), least(2)}, {most(0), most(1), most(2)});
    if (threadOfGrid() < p.outside) p.list[threadOfGrid()] = p.outsideShapes[threadOfGrid()];
    for (int k = threadOfGrid(); k < p.inTree; k += gridDim.x * kTreeThreads) {
        const int i = shapeOf(p, k);
        const Key key = mortonCode<Key>(centerOf(p.boxes[i]), cube);
        static_cast<Key*>(p.keys)[k] = key;
        p.list[p.outside + k] = i;
        for (int pass = 0; pass < kPasses<Key>; ++pass)
            atomicAdd(&digits[pass][key >> kDigitBits * pass & 255], 1);
    }
    __syncthreads();
    for (int pass = 0; pass < kPasses<Key>; ++pass) {
        const int count = digits[pass][threadIdx.x];
        if (count > 0) atomicAdd(&p.facts->digits[pass][threadIdx.x], count);
    }
}

/// One pass of the sort of the keys and the list.
template <class Key>
__global__ void __launch_bounds__(kTreeThreads)
    treeSort(const __grid_constant__ TreeParams p, int pass) {
    const bool even = pass % 2 == 0;
    auto* const keys = static_cast<Key*>(p.keys);
    auto* const copy = static_cast<Key*>(p.keysCopy);
    int* const list = p.list + p.outside;
    sortTile<Key>({even ? keys : copy, even ? copy : keys, even ? list : p.listCopy,
                   even ? p.listCopy : list, p.inTree, kDigitBits * pass, p.facts->digits[pass],
                   &p.facts->tiles[pass], p.tiles + pass * tilesOf(p.inTree) * kTreeThreads});
}

/// The radix tree over the sorted keys.
template <class Key>
__global__ void __launch_bounds__(kTreeThreads) treeRadix(const __grid_constant__ TreeParams p) {
    const int i = threadOfGrid();
    if (i + 1 >= p.inTree) return;
    const RadixNode node = radixNode(static_cast<const Key*>(p.keys), p.inTree, i);
    RadixNode& to = p.radix[i];  // its parent writes the rest
    to.first = node.first;
    to.last = node.last;
    to.split = node.split;
    if (i == 0) to.parent = kNoParent;
    for (int side = 0; side < 2; ++side) {
        if (keysOf(node, side) > 1) p.radix[node.split + side].parent = 2 * i + side;
    }
}

/// How deep the tree is: its deepest node has leaves on both sides.
__global__ void __launch_bounds__(kTreeThreads) treeDepth(const __grid_constant__ TreeParams p) {
    const int i = threadOfGrid();
    int level = 0;
    if (i + 1 < p.inTree) {
        const RadixNode node = p.radix[i];
        const bool lowest = keysOf(node, 0) <= kLinearLeaf && keysOf(node, 1) <= kLinearLeaf;
        if (lowest && keysOf(node) > kLinearLeaf) level = levelOf(p.radix, i);
    }
    keepLargest(&p.facts->deepest, level);
}

/// Node i of the tree that rays walk, in the numbers of the radix tree.
__device__ __forceinline__ RadixNode walkedNode(const TreeParams& p, int i) {
    return p.facts->deepest < kBvhLevels ? p.radix[i] : balancedNode(p.radix, i, kLinearLeaf);
}

/// Counts the nodes of a scene with triangles, in which those that a leaf replaces have no number.
__global__ void __launch_bounds__(kTreeThreads) treeRanks(const __grid_constant__ TreeParams p) {
    __shared__ unsigned words[kRankedWords];
    __shared__ int piece, before;
    if (threadIdx.x == 0) piece = atomicAdd(&p.facts->ranked, 1);
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int w = warp; w < kRankedWords; w += kTreeThreads / 32) {
        const int i = 32 * (piece * kRankedWords + w) + lane;
        const bool is = i < p.radixNodes && keysOf(walkedNode(p, i)) > kLinearLeaf;
        const unsigned word = __ballot_sync(~0u, is);
        if (lane == 0) words[w] = word;
    }
    __syncthreads();
    const bool has = threadIdx.x < kRankedWords;
    const unsigned are = has ? words[threadIdx.x] : 0;
    const int own = __popc(are), sum = sumBefore(own);
    if (threadIdx.x == kRankedWords) {
        before = sumOfTilesBefore(p.rankedPieces, 1, piece, static_cast<unsigned>(sum));
        atomicAdd(&p.facts->nodes, sum);
    }
    __syncthreads();
    if (has) p.ranked[piece * kRankedWords + threadIdx.x] = {are, before + sum};
}

/// The number of a node that rays walk.
__device__ __forceinline__ int numberOf(const TreeParams& p, int radixNode) {
    if (p.mesh == nullptr) return radixNode;
    const RankedNodes n = p.ranked[radixNode / 32];
    return n.before + __popc(n.are & ((1u << radixNode % 32) - 1));
}

__device__ __forceinline__ void setChildren(const TreeParams& p, int node, int a, int b) {
    reinterpret_cast<int4*>(p.tree[node].child)[0] = {a, b, 0, 0};
}

/// What nodes refer to. Where those that a leaf replaces have a number, they get two empty leaves.
__global__ void __launch_bounds__(kTreeThreads) treeChildren(const __grid_constant__ TreeParams p) {
    constexpr int kEmpty = leafReference(0, 0);
    const int i = threadOfGrid();
    if (i == 0) *p.header = {p.outside, p.nodes, 0, 0, p.shapes};
    if (i >= p.radixNodes) return;
    if (p.inTree <= kLinearLeaf) {
        p.arrivals[i] = 0;
        p.parents[i] = kNoParent;
        setChildren(p, i, leafReference(p.outside, p.inTree), kEmpty);
        return;
    }
    const RadixNode node = walkedNode(p, i);
    const bool isLeaf = keysOf(node) <= kLinearLeaf;
    if (isLeaf && p.mesh != nullptr) return;
    const int number = numberOf(p, i);
    p.arrivals[number] = 0;
    p.parents[number] =
        node.parent < 0 ? kNoParent : 2 * numberOf(p, node.parent / 2) + node.parent % 2;
    const auto child = [&](int side) {
        if (isLeaf) return kEmpty;
        const int reference = childOf(node, side, p.outside, kLinearLeaf);
        return reference < 0 ? reference : numberOf(p, reference);
    };
    setChildren(p, number, child(0), child(1));
}

/// The parents in a tree that the host has built.
__global__ void __launch_bounds__(kTreeThreads) treeParents(const __grid_constant__ TreeParams p) {
    const int i = threadOfGrid();
    if (i >= p.nodes) return;
    p.arrivals[i] = 0;
    if (i == 0) p.parents[i] = kNoParent;
    for (int side = 0; side < 2; ++side) {
        const int child = p.tree[i].child[side];
        if (child >= 0) p.parents[child] = 2 * i + side;
    }
}

/// Contains nothing, and adds nothing to a union.
__device__ __forceinline__ NodeBox emptyBox() {
    constexpr float kMost = 3e38f;
    return {{kMost, kMost, kMost}, 0, {-kMost, -kMost, -kMost}, 0};
}

__device__ __forceinline__ NodeBox unionOf(const NodeBox& a, const NodeBox& b) {
    return {{fastMin(a.low.x, b.low.x), fastMin(a.low.y, b.low.y), fastMin(a.low.z, b.low.z)},
            0,
            {fastMax(a.high.x, b.high.x), fastMax(a.high.y, b.high.y), fastMax(a.high.z, b.high.z)},
            0};
}

__device__ __forceinline__ NodeBox boxOfLeaf(const TreeParams& p, int reference) {
    NodeBox box = emptyBox();
    const int first = leafFirst(reference), end = first + leafCount(reference);
    for (int k = first; k < end; ++k) box = unionOf(box, p.boxes[p.list[k]]);
    return box;
}

__device__ __forceinline__ void setBox(BvhNode& node, int child, const NodeBox& box) {
    reinterpret_cast<float2*>(node.x)[child] = {box.low.x, box.high.x};
    reinterpret_cast<float2*>(node.y)[child] = {box.low.y, box.high.y};
    reinterpret_cast<float2*>(node.z)[child] = {box.low.z, box.high.z};
}

/// The box of a whole node, half of which another multiprocessor may have written.
__device__ __forceinline__ NodeBox boxOfNode(const BvhNode& node) {
    const float4 x = __ldcg(reinterpret_cast<const float4*>(node.x));
    const float4 y = __ldcg(reinterpret_cast<const float4*>(node.y));
    const float4 z = __ldcg(reinterpret_cast<const float4*>(node.z));
    return {{fastMin(x.x, x.z), fastMin(y.x, y.z), fastMin(z.x, z.z)},
            0,
            {fastMax(x.y, x.w), fastMax(y.y, y.w), fastMax(z.y, z.w)},
            0};
}

/// Fits the boxes of all nodes, from the leaves up. Of the two threads that come to a node from its
/// sides, or for a leaf of it, the second goes on to its parent.
__global__ void __launch_bounds__(kTreeThreads) treeFit(const __grid_constant__ TreeParams p) {
    int n = threadOfGrid();
    if (n >= p.nodes) return;
    if (n == 0) {
        const BvhHeader measured = measuredHeader(p);
        p.header->reach = measured.reach;
        p.header->smallest = measured.smallest;
    }
    const auto arriveSecond = [&](int node) {
        __threadfence();
        if (atomicAdd(&p.arrivals[node], 1) % 2 == 0) return false;
        __threadfence();
        return true;
    };
    const int a = p.tree[n].child[0], b = p.tree[n].child[1];
    if (a >= 0 && b >= 0) return;
    if (a < 0 && b < 0) {
        if (leafCount(a) + leafCount(b) == 0) return;
        setBox(p.tree[n], 0, boxOfLeaf(p, leafCount(a) > 0 ? a : b));
        setBox(p.tree[n], 1, boxOfLeaf(p, leafCount(b) > 0 ? b : a));
    } else {
        setBox(p.tree[n], a < 0 ? 0 : 1, boxOfLeaf(p, a < 0 ? a : b));
        if (!arriveSecond(n)) return;
    }
    while (p.parents[n] >= 0) {
        const NodeBox box = boxOfNode(p.tree[n]);
        const int side = p.parents[n] % 2;
        n = p.parents[n] / 2;
        setBox(p.tree[n], side, box);
        if (!arriveSecond(n)) return;
    }
}

/// Entry k of the list as rays read it (core/mesh_tree.h). Of a sphere only its number is read.
template <class Real, ListForm Form>
__device__ __forceinline__ void writeListed(const TreeParams& p, int k) {
    const int i = p.order[k], triangle = i - p.spheres;
    const ShapeId id = triangle < 0 ? i : kTriangleShape + triangle;
    if constexpr (Form == ListForm::transformed || Form == ListForm::soa) p.numbers[k] = id;
    const MeshView<Real> mesh{p.mesh};
    const FaceRecord face = triangle < 0 ? FaceRecord{} : mesh.face(triangle);
    const auto corner = [&](int c) {
        return triangle < 0 ? Vec3<Real>{} : mesh.corner(face.corner[c]);
    };
    if constexpr (Form == ListForm::transformed) {
        const auto wide = [&](int c) {
            const Vec3<Real> v = corner(c);
            return Vec3<double>{v.x, v.y, v.z};
        };
        reinterpret_cast<TransformedTriangle<Real>*>(p.listed)[k] =
            transformedTriangle<Real>(wide(0), wide(1), wide(2));
    } else if constexpr (Form == ListForm::half) {
        const auto narrow = [&](int c) {
            const Vec3<Real> v = corner(c);
            return Vec3<float>{float(v.x), float(v.y), float(v.z)};
        };
        reinterpret_cast<HalfShape*>(p.listed)[k] =
            triangle < 0 ? HalfShape{{0, 0, 0}, 0, 0, id}
                         : halfShape(narrow(0), narrow(1), narrow(2), id, p.mesh->halves);
    } else if constexpr (Form == ListForm::soa) {
        Real* to = reinterpret_cast<Real*>(p.listed) + k;
        for (int c = 0; c < 3; ++c, to += 3 * p.shapes) {
            const Vec3<Real> v = corner(c);
            to[0] = v.x, to[p.shapes] = v.y, to[2 * p.shapes] = v.z;
        }
    } else if constexpr (Form == ListForm::indexed) {
        reinterpret_cast<IndexedShape*>(p.listed)[k] = {
            {face.corner[0], face.corner[1], face.corner[2]}, id};
    } else {
        reinterpret_cast<ListedShape<Real>*>(p.listed)[k] = {corner(0), id,        corner(1),
                                                             0,         corner(2), 0};
    }
}

template <class Real, ListForm Form>
__global__ void __launch_bounds__(kTreeThreads) treeList(const __grid_constant__ TreeParams p) {
    for (int k = threadOfGrid(); k < p.shapes; k += gridDim.x * kTreeThreads)
        writeListed<Real, Form>(p, k);
}

}  // namespace rayscope
