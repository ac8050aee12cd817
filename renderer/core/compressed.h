#pragma once

#include "renderer/core/bvh4.h"

// Traversal of the hierarchy of scene/compressed_tree.h, whose nodes have eight children with boxes
// in bytes (Ylitie, Karras and Laine 2017, "Efficient Incoherent Ray Traversal on GPUs Through
// Compressed Wide BVHs"). What is left to visit of a node, and the order, are bits of a word: a
// stack has an entry for a node instead of one for each child. Nothing is sorted: builders place
// children in slots so that the order of the slots, mirrored by the ray's octant, is from near to
// far.

namespace rayscope {

/// Five loads of 16 bytes.
struct alignas(16) CompressedNode {
    Vec3<float> corner;
    unsigned exponents;  ///< as in Bvh4Node; the uppermost byte: which children are nodes
    int firstNode;       ///< of the children that are nodes, which follow each other
    int firstShape;      ///< in the list, of those of all leaves among the children
    /// A byte for each child: 0 for none, slotOf() or shapesOf().
    unsigned kinds[2];
    unsigned x[2][2], y[2][2], z[2][2];  ///< low and high planes as in Bvh4Node
};
static_assert(sizeof(CompressedNode) == 80);

inline constexpr int kCompressedChildren = 8;
inline constexpr int kMostLeafShapes = 3;
/// The first of the bits that are nodes in a word of what a ray enters; those below are shapes.
inline constexpr int kNodeBits = kCompressedChildren * kMostLeafShapes;
/// Levels, each with an entry of the stack: leaves of the binary tree may have been split.
inline constexpr int kCompressedLevels = kBvhLevels + 1;
/// With Traversal::speculative a level may also have shapes that wait.
template <Traversal T>
inline constexpr int kCompressedStack =
    T == Traversal::speculative ? 2 * kCompressedLevels : kCompressedLevels;

/// The kind of a child that is a node. Its place among bits is mirrored by the ray's octant, and
/// its upper three bits are a one to be set there.
constexpr RAYSCOPE_FN unsigned slotOf(int slot) {
    return 1u << 5 | static_cast<unsigned>(kNodeBits + slot);
}
/// The kind of a leaf: where its shapes are among those of the node, and in the upper three bits a
/// one for each.
constexpr RAYSCOPE_FN unsigned shapesOf(int first, int count) {
    return ((1u << count) - 1) << 5 | static_cast<unsigned>(first);
}

/// A ray as the slab test of boxes needs it that are entered by known planes.
struct OctantRay {
    Vec3<float> inverse, near, far;
    bool backX, backY, backZ;  ///< boxes are entered by their high planes
    unsigned octant;           ///< a bit for each axis along which slots come in ascending order
};

RAYSCOPE_FN OctantRay octantRay(const SlabRay<float>& ray) {
    const bool x = ray.inverse.x < 0, y = ray.inverse.y < 0, z = ray.inverse.z < 0;
    return {ray.inverse,
            {x ? ray.high.x : ray.low.x, y ? ray.high.y : ray.low.y, z ? ray.high.z : ray.low.z},
            {x ? ray.low.x : ray.high.x, y ? ray.low.y : ray.high.y, z ? ray.low.z : ray.high.z},
            x,
            y,
            z,
            (x ? 0u : 1u) | (y ? 0u : 2u) | (z ? 0u : 4u)};
}

/// What of a node the ray enters before `limit`: bits from kNodeBits on for nodes, the nearest
/// uppermost, those below for shapes.
RAYSCOPE_FN unsigned enteredBits(const CompressedNode& n, const OctantRay& ray, float limit) {
    const PlaneScale x = planeScale(n.corner.x, n.exponents, ray.inverse.x, ray.near.x, ray.far.x);
    const PlaneScale y =
        planeScale(n.corner.y, n.exponents >> 8, ray.inverse.y, ray.near.y, ray.far.y);
    const PlaneScale z =
        planeScale(n.corner.z, n.exponents >> 16, ray.inverse.z, ray.near.z, ray.far.z);
    unsigned bits = 0;
    for (int half = 0; half < 2; ++half) {
        const unsigned kinds = n.kinds[half];
        const unsigned isNode = kinds & kinds << 1 & 0x10101010u;  // from 24 on
        const unsigned mirrored = kinds ^ (isNode >> 4) * ray.octant;
        const unsigned nearX = ray.backX ? n.x[1][half] : n.x[0][half];
        const unsigned farX = ray.backX ? n.x[0][half] : n.x[1][half];
        const unsigned nearY = ray.backY ? n.y[1][half] : n.y[0][half];
        const unsigned farY = ray.backY ? n.y[0][half] : n.y[1][half];
        const unsigned nearZ = ray.backZ ? n.z[1][half] : n.z[0][half];
        const unsigned farZ = ray.backZ ? n.z[0][half] : n.z[1][half];
        for (int i = 0; i < 4; ++i) {
            const float near = lastEntry(mulAdd(oneAndByte(nearX, i), x.step, x.low),
                                         mulAdd(oneAndByte(nearY, i), y.step, y.low),
                                         mulAdd(oneAndByte(nearZ, i), z.step, z.low));
            const float far = firstExit(mulAdd(oneAndByte(farX, i), x.step, x.high),
                                        mulAdd(oneAndByte(farY, i), y.step, y.high),
                                        mulAdd(oneAndByte(farZ, i), z.step, z.high), limit);
            const unsigned kind = mirrored >> 8 * i;
            if (near <= far) bits |= (kind >> 5 & 7) << (kind & 31);
        }
    }
    return bits;
}

/// What is left to visit of a node: children that are nodes, with which of its children these are
/// in the lowest byte; or shapes.
struct LeftToVisit {
    int first;
    unsigned bits;
};

/// The uppermost bit, which is taken away.
RAYSCOPE_FN int takeBit(unsigned& bits) {
    const int bit = 31 - leadingZeros(bits);
    bits ^= 1u << bit;
    return bit;
}

/// As walk(). With Traversal::speculative a group of shapes waits on the stack while few lanes have
/// one, as in the paper.
template <Traversal T, class Real, class Tree, class Visit>
RAYSCOPE_FN bool walkCompressed(const Tree& tree, const Vec3<Real>& origin,
                                const Vec3<Real>& direction, const Real& limit, Visit visit) {
    constexpr unsigned kAnyNode = 1u << kNodeBits;
    constexpr int kFewLanes = 5;  // one in so many
    const BvhHeader header = tree.head();
    if (visitOutside(tree, header.outside, visit)) return true;
    if (header.nodes == 0) return false;
    const OctantRay ray = octantRay(slabRay(origin, direction, header));
    LeftToVisit stack[kCompressedStack<T>];
    int top = 0;
    LeftToVisit nodes{0, 1u << 31};  // the root
    LeftToVisit shapes{0, 0};
    const auto enterNext = [&]() RAYSCOPE_INLINED {
        const int slot = (takeBit(nodes.bits) - kNodeBits) ^ static_cast<int>(ray.octant);
        const int child = nodes.first + bitCount(nodes.bits & ((1u << slot) - 1));
        if (nodes.bits >= kAnyNode) stack[top++] = nodes;
        const CompressedNode node = tree.compressed(child);
        const unsigned entered = enteredBits(node, ray, static_cast<float>(limit));
        nodes = {node.firstNode, (entered & ~(kAnyNode - 1)) | node.exponents >> 24};
        shapes = {node.firstShape, entered & (kAnyNode - 1)};
    };
    while (true) {
        if constexpr (T == Traversal::whileWhile) {
            while (shapes.bits == 0) {
                if (nodes.bits < kAnyNode) {
                    if (top == 0) return false;
                    nodes = stack[--top];
                }
                enterNext();
            }
        } else if (T == Traversal::ifIf || nodes.bits >= kAnyNode) {
            enterNext();
        } else {
            shapes = nodes;
            nodes.bits = 0;
        }
        const int lanes = T == Traversal::speculative ? lanesHere() : 0;
        while (shapes.bits != 0) {
            if constexpr (T == Traversal::speculative) {
                if (lanesHere() * kFewLanes < lanes) {
                    stack[top++] = shapes;
                    break;
                }
            }
            if (tree.visit(shapes.first + takeBit(shapes.bits), visit)) return true;
        }
        if (T != Traversal::whileWhile && nodes.bits < kAnyNode) {
            if (top == 0) return false;
            nodes = stack[--top];
        }
    }
}

}  // namespace rayscope
