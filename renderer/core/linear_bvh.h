#pragma once

#include "renderer/core/scene_view.h"

// What host and device share when they build a linear bounding volume hierarchy: Karras 2012,
// "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees". Boxes are sorted by
// the Morton codes of their centres; inner node i of the tree over the sorted keys, a binary radix
// tree, begins or ends at key i and is found from the keys alone. So all nodes are made at once, in
// scene/linear_bvh.cpp by a loop and in cuda/kernels/hierarchy.cu by a thread each.

namespace rayscope {

/// Boxes of a leaf at most. Rays from surfaces, a node at the price of two spheres, cost 4 % less
/// than with leaves of one in field-16384, 6 % less in weekend, and a third less in a Plummer
/// sphere of 262,144; with three, the same as with four but in the last.
inline constexpr int kLinearLeaf = kMaxLeafSpheres;

/// The box of a sphere in the precision of the nodes, and its radius.
struct alignas(16) NodeBox {
    Vec3<float> low;
    float radius;
    Vec3<float> high;
    float unused;
};

/// An inner node of a radix tree: the keys that it covers, and the last one of its left side. The
/// sides' own nodes, where they are more than one key, are numbers split and split + 1.
struct RadixNode {
    int first, last, split;
    int parent;  ///< twice the parent's number, plus 1 for its right side; kNoParent for the root
};
inline constexpr int kNoParent = -1;

/// A cube of boxes' centres, by which they are sorted.
struct MortonCube {
    Vec3<float> low;
    float perUnit;  ///< 1 / side; 0 where all centres are equal
};

/// The next number below that is not subnormal, as arithmetic with those is slow on many cores.
RAYSCOPE_FN float nextBelow(float x) {
    constexpr float kSmallest = 0x1p-126f;
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    const float next = __builtin_bit_cast(float, x > 0 ? bits - 1 : bits + 1);
    const bool subnormal = -kSmallest < x && x <= kSmallest;
    return subnormal ? -kSmallest : next;
}

/// Nothing in a scene file is so far away, and no ray comes there; bodies of a simulation may.
/// Their boxes would take the accuracy of all others (slackAt).
inline constexpr float kFarthestBox = 1e8f;

/// A box rounded outwards; the origin, a point, in place of one that is too far away or has a
/// coordinate that is not a number.
template <class Real>
RAYSCOPE_FN NodeBox nodeBox(const Vec3<Real>& low, const Vec3<Real>& high, float radius) {
    const auto near = [](Real least, Real most) {
        return least >= -kFarthestBox && most <= kFarthestBox;
    };
    const bool placed = near(low.x, high.x) && near(low.y, high.y) && near(low.z, high.z);
    const auto down = [&](Real x) { return nextBelow(placed ? static_cast<float>(x) : 0.f); };
    return {{down(low.x), down(low.y), down(low.z)},
            radius,
            {-down(-high.x), -down(-high.y), -down(-high.z)},
            0};
}

/// The box of sphere i of a packed scene.
template <class Real, Variant V>
RAYSCOPE_FN NodeBox nodeBoxOf(const SceneView<Real, V>& scene, int i) {
    const Real radius = 1 / scene.material(i).inverseRadius;
    Vec3<Real> center;
    if constexpr (SceneView<Real, V>::kCurved) {
        const CurvedSphere<Real> s = scene.wall(i);
        center = {s.anchor.x - s.normal.x * radius, s.anchor.y - s.normal.y * radius,
                  s.anchor.z - s.normal.z * radius};
    } else {
        center = scene.sphere(i).center;
    }
    return nodeBox(Vec3<Real>{center.x - radius, center.y - radius, center.z - radius},
                   Vec3<Real>{center.x + radius, center.y + radius, center.z + radius},
                   static_cast<float>(radius));
}

RAYSCOPE_FN Vec3<float> centerOf(const NodeBox& box) {
    return {(box.low.x + box.high.x) * .5f, (box.low.y + box.high.y) * .5f,
            (box.low.z + box.high.z) * .5f};
}

/// `low` and `high` of all centres. A cube, unlike a box, makes cells that are as wide as high.
RAYSCOPE_FN MortonCube mortonCube(const Vec3<float>& low, const Vec3<float>& high) {
    const float side =
        fastMax(fastMax(high.x - low.x, high.y - low.y), fastMax(high.z - low.z, 0.f));
    return {low, side > 1e-30f ? 1 / side : 0};
}

/// Bits of a Morton code: ten for each axis, or twenty.
template <class Key>
inline constexpr int kMortonBits = sizeof(Key) == 4 ? 30 : 60;

/// Moves bit b to bit 3 b.
RAYSCOPE_FN unsigned spread(unsigned b) {
    b = (b | b << 16) & 0x030000ffu;
    b = (b | b << 8) & 0x0300f00fu;
    b = (b | b << 4) & 0x030c30c3u;
    return (b | b << 2) & 0x09249249u;
}
RAYSCOPE_FN unsigned long long spread(unsigned long long b) {
    b = (b | b << 32) & 0x001f00000000ffffull;
    b = (b | b << 16) & 0x001f0000ff0000ffull;
    b = (b | b << 8) & 0x100f00f00f00f00full;
    b = (b | b << 4) & 0x10c30c30c30c30c3ull;
    return (b | b << 2) & 0x1249249249249249ull;
}

/// The Morton code of a point in the cube.
template <class Key>
RAYSCOPE_FN Key mortonCode(const Vec3<float>& point, const MortonCube& cube) {
    constexpr int kSteps = 1 << kMortonBits<Key> / 3;
    const auto step = [&](float x, float low) {
        const int i = static_cast<int>((x - low) * cube.perUnit * kSteps);
        return spread(static_cast<Key>(i < kSteps ? i : kSteps - 1));
    };
    return step(point.x, cube.low.x) << 2 | step(point.y, cube.low.y) << 1 |
           step(point.z, cube.low.z);
}

/// Leading bits that keys i and j share, those of their positions included where the keys are
/// equal; -1 if there is no key j.
template <class Key>
RAYSCOPE_FN int sharedBits(const Key* keys, int count, int i, int j) {
    if (j < 0 || j >= count) return -1;
    const Key difference = keys[i] ^ keys[j];
    if (difference != 0) return leadingZeros(difference);
    return 8 * static_cast<int>(sizeof(Key)) + leadingZeros(static_cast<unsigned>(i ^ j));
}

/// Inner node i of the radix tree over at least two keys, without its parent: Karras' algorithm.
template <class Key>
RAYSCOPE_FN RadixNode radixNode(const Key* keys, int count, int i) {
    const auto shared = [&](int j) { return sharedBits(keys, count, i, j); };
    const int direction = shared(i + 1) > shared(i - 1) ? 1 : -1;
    const int outside = shared(i - direction);
    int bound = 2;
    while (shared(i + bound * direction) > outside) bound *= 2;
    int length = 0;
    for (int step = bound / 2; step > 0; step /= 2) {
        if (shared(i + (length + step) * direction) > outside) length += step;
    }
    const int end = i + length * direction;
    const int whole = shared(end);
    int left = 0;  // of the keys on i's side of the split, less one
    for (int step = length; step > 1;) {
        step = (step + 1) / 2;
        if (shared(i + (left + step) * direction) > whole) left += step;
    }
    const int split = i + left * direction + (direction < 0 ? -1 : 0);
    return direction > 0 ? RadixNode{i, end, split, kNoParent}
                         : RadixNode{end, i, split, kNoParent};
}

RAYSCOPE_FN int keysOf(const RadixNode& n) {
    return n.last - n.first + 1;
}
/// Keys on a side, 0 or 1.
RAYSCOPE_FN int keysOf(const RadixNode& n, int side) {
    return side == 0 ? n.split - n.first + 1 : n.last - n.split;
}

/// What a node of the tree refers to on a side: the node of that part, or a leaf of its keys, whose
/// spheres are in the list from `list` on.
RAYSCOPE_FN int childOf(const RadixNode& n, int side, int list, int leaf) {
    const int keys = keysOf(n, side);
    const int first = side == 0 ? n.first : n.split + 1;
    return keys > leaf ? n.split + side : leafReference(list + first, keys);
}

/// Whether the keys of a side are too many for the levels that are left to kBvhLevels, however they
/// are split. `level`: how many nodes are above this one.
RAYSCOPE_FN bool tooDeep(const RadixNode& n, int level, int leaf) {
    const int larger = keysOf(n, keysOf(n, 0) < keysOf(n, 1) ? 1 : 0);
    const int levels = kBvhLevels - 1 - level;
    return levels < 0 || larger > static_cast<long long>(leaf) << levels;
}

RAYSCOPE_FN int levelOf(const RadixNode* nodes, int i) {
    int level = 0;
    for (int parent = nodes[i].parent; parent >= 0; parent = nodes[parent / 2].parent) ++level;
    return level;
}

/// Node i of the tree that rays walk: below the uppermost nodes that are tooDeep(), keys are halved
/// instead of split by their bits. The nodes there keep their numbers.
RAYSCOPE_FN RadixNode balancedNode(const RadixNode* nodes, int i, int leaf) {
    int top = -1;
    for (int n = i, level = levelOf(nodes, i); level >= 0; n = nodes[n].parent / 2, --level) {
        if (tooDeep(nodes[n], level, leaf)) top = n;
    }
    if (top < 0) return nodes[i];
    RadixNode node = nodes[top];
    while (true) {
        node.split = node.first + (node.last - node.first) / 2;
        if (top == i) return node;
        const int side = i > node.split ? 1 : 0;
        (side == 0 ? node.last : node.first) = node.split + side;
        node.parent = 2 * top + side;
        top = node.split + side;
    }
}

}  // namespace rayscope
