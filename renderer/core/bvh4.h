#pragma once

#include "renderer/core/bvh.h"

// Traversal of the hierarchy of scene/bvh4.h, whose nodes have four children with boxes in bytes: a
// ray visits half as many nodes as in the binary tree, of the same 64 bytes. As there, the nearest
// child first, the others onto the stack, the farthest at the bottom.

namespace rayscope {

/// Distances to a node's planes along one axis: plane of byte b is at oneAndByte(b) * step + low or
/// high.
struct PlaneScale {
    float step, low, high;
};

/// Subtracting `step` costs 1/1024 of the plane's grid in accuracy, for which builders leave room.
RAYSCOPE_FN PlaneScale planeScale(float corner, unsigned exponent, float inverse, float low,
                                  float high) {
    constexpr float kBytes = 32768;  // oneAndByte() counts in 2^-15
    const float step = __builtin_bit_cast(float, (exponent & 255) << 23) * kBytes * inverse;
    return {step, mulAdd(corner, inverse, -low) - step, mulAdd(corner, inverse, -high) - step};
}

/// As entryOf() of a BvhNode.
RAYSCOPE_FN float entryOf(const Bvh4Node& n, int child, const PlaneScale& x, const PlaneScale& y,
                          const PlaneScale& z, float limit) {
    const float x0 = mulAdd(oneAndByte(n.x[0], child), x.step, x.low);
    const float x1 = mulAdd(oneAndByte(n.x[1], child), x.step, x.high);
    const float y0 = mulAdd(oneAndByte(n.y[0], child), y.step, y.low);
    const float y1 = mulAdd(oneAndByte(n.y[1], child), y.step, y.high);
    const float z0 = mulAdd(oneAndByte(n.z[0], child), z.step, z.low);
    const float z1 = mulAdd(oneAndByte(n.z[1], child), z.step, z.high);
    const float near = lastEntry(fastMin(x0, x1), fastMin(y0, y1), fastMin(z0, z1));
    const float far = firstExit(fastMax(x0, x1), fastMax(y0, y1), fastMax(z0, z1), limit);
    return near <= far && n.child[child] != kNoChild ? near : kNoEntry;
}

/// Nearer one first.
RAYSCOPE_FN void sort(Postponed& a, Postponed& b) {
    const bool swap = b.entry < a.entry;
    const Postponed first = a;
    a = {swap ? b.reference : a.reference, fastMin(a.entry, b.entry)};
    b = {swap ? first.reference : b.reference, fastMax(first.entry, b.entry)};
}

/// As walk().
template <Traversal T, class Real, Variant V, class Visit>
RAYSCOPE_FN bool walkBvh4(const SceneView<Real, V>& scene, const Vec3<Real>& origin,
                          const Vec3<Real>& direction, const Real& limit, Visit visit) {
    const BvhHeader header = *scene.bvh();
    const auto tree = scene.template sphereList<Bvh4Node>(header.listed, header.nodes);
    RAYSCOPE_ROLLED for (int k = 0; k < header.outside; ++k) {
        const int i = tree.ids[k];
        if (visit(i, scene.geometryOf(i))) return true;
    }
    if (header.nodes == 0) return false;
    const SlabRay ray = slabRay(origin, direction, header);
    return traverse<WalkStyle{T}, kBvh4Stack>(
        limit,
        [&](int reference, auto& stack) RAYSCOPE_INLINED {
            const Bvh4Node node = nodeAt(scene, tree.elements, reference);
            const float farthest = static_cast<float>(limit);
            const PlaneScale x =
                planeScale(node.corner.x, node.exponents, ray.inverse.x, ray.low.x, ray.high.x);
            const PlaneScale y = planeScale(node.corner.y, node.exponents >> 8, ray.inverse.y,
                                            ray.low.y, ray.high.y);
            const PlaneScale z = planeScale(node.corner.z, node.exponents >> 16, ray.inverse.z,
                                            ray.low.z, ray.high.z);
            Postponed a{node.child[0], entryOf(node, 0, x, y, z, farthest)};
            Postponed b{node.child[1], entryOf(node, 1, x, y, z, farthest)};
            Postponed c{node.child[2], entryOf(node, 2, x, y, z, farthest)};
            Postponed d{node.child[3], entryOf(node, 3, x, y, z, farthest)};
            sort(a, b);
            sort(c, d);
            sort(a, c);
            sort(b, d);
            sort(b, c);
            if (d.entry < kNoEntry) stack.push(d.reference, d.entry);
            if (c.entry < kNoEntry) stack.push(c.reference, c.entry);
            if (b.entry < kNoEntry) stack.push(b.reference, b.entry);
            return a.entry < kNoEntry ? a.reference : kNoChild;
        },
        [&](int leaf, auto&) RAYSCOPE_INLINED {
            const int first = leafFirst(leaf);
            const int end = first + leafCount(leaf);
            RAYSCOPE_ROLLED for (int k = first; k < end; ++k) {
                const auto sphere = tree.spheres[k];
                if (visit(tree.ids[k], sphere)) return true;
            }
            return false;
        });
}

}  // namespace rayscope
