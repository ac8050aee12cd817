#pragma once

#include "renderer/core/nodes.h"

// Traversal of the bounding volume hierarchy of scene/bvh.h: the nearer child first, the farther
// one onto a stack. Trees have at most kBvhLevels levels, so a whole stack takes 256 bytes of local
// memory, which the first-level cache holds, and the lanes of a warp, being at about the same
// level, access it coalesced. The distance stored with each entry discards most entries without
// loading their node.

namespace rayscope {

/// A ray as the slab test needs it, t = plane / d - origin / d. On both sides of a box the origin
/// is moved outwards by the possible rounding error, so that no box is missed whose sphere is hit
/// (Ize 2013, "Robust BVH Ray Traversal", widens t instead, which does not cover the sphere's own
/// rounding). No component of the direction is zero, so 0 times infinity does not occur.
template <class Float>
struct SlabRay {
    Vec3<Float> inverse;
    Vec3<Float> low, high;  ///< subtracted for the low and for the high planes
};

template <class Float>
RAYSCOPE_FN Float inverseOf(Float d) {
    const Float kTiny = 1e-20f;
    return 1 / select(fabs(d) < kTiny, kTiny, d);
}

/// How far a ray from here may pass by a sphere that it hits due to rounding. Positions and
/// distances are off by a few units in the last place of the largest coordinate, in single
/// precision as in the slab test. The discriminant is off by a few units of that coordinate's
/// square, in the precision of the spheres, as if the squared radius were larger; the smallest
/// sphere suffers most.
template <class Real, class Header>
RAYSCOPE_FN FloatOf<Real> slackAt(const Vec3<FloatOf<Real>>& origin, const Header& header) {
    using Float = FloatOf<Real>;
    constexpr float kDistance = 64 * 0x1p-24f;
    constexpr float kSquare = sizeof(Real) == 8 ? 32 * 0x1p-53f : 32 * 0x1p-24f;
    const Float size = fastMax(fastMax(fabs(origin.x), fabs(origin.y)), fabs(origin.z));
    const Float reach = size + header.reach;
    const Float square = mulAdd(kSquare * reach, reach, Float(header.smallest * header.smallest));
    return mulAdd(Float(kDistance), reach, sqrt(square) - header.smallest);
}

template <class Real>
RAYSCOPE_FN SlabRay<FloatOf<Real>> slabRay(const Vec3<Real>& origin, const Vec3<Real>& direction,
                                           const BvhHeader& header) {
    using Float = FloatOf<Real>;
    const Vec3<Float> o{static_cast<Float>(origin.x), static_cast<Float>(origin.y),
                        static_cast<Float>(origin.z)};
    const Vec3<Float> inverse{inverseOf(static_cast<Float>(direction.x)),
                              inverseOf(static_cast<Float>(direction.y)),
                              inverseOf(static_cast<Float>(direction.z))};
    const Float slack = slackAt<Real>(o, header);
    const Vec3<Float> widen{slack, slack, slack};
    return {inverse, (o + widen) * inverse, (o - widen) * inverse};
}

/// A subtree on the stack, and the distance at which the ray enters its box.
struct Postponed {
    int reference;
    float entry;
};

/// Larger than any distance: the ray misses the box.
inline constexpr float kNoEntry = 3e38f;

/// Where a ray is in a box; nowhere if far < near.
template <class Float>
struct Span {
    Float near, far;
};

/// Where the ray is in the box of a child, before `limit`.
template <class Float>
RAYSCOPE_FN Span<Float> spanOf(const BvhNode& node, int child, const SlabRay<Float>& ray,
                               Float limit) {
    const int low = 2 * child, high = 2 * child + 1;
    const Float x0 = mulAdd(Float(node.x[low]), ray.inverse.x, -ray.low.x);
    const Float x1 = mulAdd(Float(node.x[high]), ray.inverse.x, -ray.high.x);
    const Float y0 = mulAdd(Float(node.y[low]), ray.inverse.y, -ray.low.y);
    const Float y1 = mulAdd(Float(node.y[high]), ray.inverse.y, -ray.high.y);
    const Float z0 = mulAdd(Float(node.z[low]), ray.inverse.z, -ray.low.z);
    const Float z1 = mulAdd(Float(node.z[high]), ray.inverse.z, -ray.high.z);
    return {lastEntry(fastMin(x0, x1), fastMin(y0, y1), fastMin(z0, z1)),
            firstExit(fastMax(x0, x1), fastMax(y0, y1), fastMax(z0, z1), limit)};
}

/// The distance at which the ray enters the box of a child, or kNoEntry if that is beyond `limit`.
RAYSCOPE_FN float entryOf(const BvhNode& node, int child, const SlabRay<float>& ray, float limit) {
    const auto [near, far] = spanOf(node, child, ray, limit);
    return near <= far ? near : kNoEntry;
}

/// The tree and the list of a scene of spheres.
template <class Real, Variant V>
struct SphereTree {
    const SceneView<Real, V>& scene;

    RAYSCOPE_FN BvhHeader head() const { return *scene.bvh(); }
    RAYSCOPE_FN BvhNode node(int i) const { return nodeAt(scene, scene.nodes(), i); }
    /// Calls visit() with entry k of the list.
    template <class Visit>
    RAYSCOPE_FN bool visit(int k, Visit visit) const {
        const int i = scene.listed(k);
        return visit(i, scene.geometryOf(i));
    }
};

/// Visits the shapes outside the tree, in the scene's order.
template <class Tree, class Visit>
RAYSCOPE_FN bool visitOutside(const Tree& tree, int outside, Visit visit) {
    RAYSCOPE_ROLLED for (int k = 0; k < outside; ++k) {
        if (tree.visit(k, visit)) return true;
    }
    return false;
}

/// How a tree is walked.
struct WalkStyle {
    Traversal turns;
    StackIn stack = StackIn::local;
    int threads = 0;  ///< of a block; StackIn::shared
};

constexpr RAYSCOPE_FN WalkStyle walkStyle(const Variant& v) {
    if (v.stack != StackIn::shared) return {v.traversal, v.stack};
    return {v.traversal, v.stack, v.blockX * v.blockY};
}

/// StackIn::local: what a ray has still to visit. The entries of a stack are apart from it: were
/// they a member, CUDA's compiler would keep all members in local memory.
struct Stack {
    Postponed* entries;
    int top = 0;

    RAYSCOPE_FN explicit Stack(Postponed* memory) : entries(memory) {}
    RAYSCOPE_FN void push(int reference, float entry) { entries[top++] = {reference, entry}; }
    /// The uppermost that begins before `limit`, or kNoChild.
    RAYSCOPE_FN int pop(float limit) {
        do {
            if (top == 0) return kNoChild;
            --top;
        } while (!(entries[top].entry <= limit));
        return entries[top].reference;
    }
};

/// The same, some of it in faster memory.
template <class Entries>
struct CachedStack {
    Entries entries;
    int top = 0;

    RAYSCOPE_FN explicit CachedStack(Postponed* memory) : entries{memory} {}
    RAYSCOPE_FN void push(int reference, float entry) {
        entries.push(top++, Postponed{reference, entry});
    }
    RAYSCOPE_FN int pop(float limit) {
        Postponed uppermost;
        do {
            if (top == 0) return kNoChild;
            uppermost = entries.pop(--top);
        } while (!(uppermost.entry <= limit));
        return uppermost.reference;
    }
};

/// StackIn::registers. `place`: how many are below.
struct InRegisters {
    Postponed* below;
    Postponed uppermost{kNoChild, kNoEntry}, second{kNoChild, kNoEntry};

    RAYSCOPE_FN void push(int place, const Postponed& p) {
        if (place >= 2) below[place - 2] = second;
        second = uppermost;
        uppermost = p;
    }
    RAYSCOPE_FN Postponed pop(int place) {
        const Postponed p = uppermost;
        uppermost = second;
        if (place >= 2) second = below[place - 2];
        return p;
    }
};

#ifdef __CUDACC__
/// StackIn::shared. A thread never has two walks at once, so that all share this memory.
template <int Threads>
struct InSharedMemory {
    static constexpr int kLowest = Threads <= 512 ? 8 : 4;
    Postponed* above;

    RAYSCOPE_FN static Postponed& lowest(int place) {
        __shared__ Postponed entries[kLowest * Threads];
        return entries[place * Threads + threadIdx.y * blockDim.x + threadIdx.x];
    }
    RAYSCOPE_FN void push(int place, const Postponed& p) {
        (place < kLowest ? lowest(place) : above[place - kLowest]) = p;
    }
    RAYSCOPE_FN Postponed pop(int place) const {
        return place < kLowest ? lowest(place) : above[place - kLowest];
    }
};
#endif

/// StackIn::none. Of a binary tree; `level` is the bit of the node's level, the root's the highest.
/// In the trail the bit of a level is set on the way to the second of its two children, or to the
/// only one that the ray enters.
template <int Most>
struct RestartTrail {
    static_assert(Most < 64);
    static constexpr unsigned long long kRoot = 1ull << Most;
    unsigned long long trail = 0, level = kRoot;
    unsigned long long turned = 0;  ///< the level at which the walk last turned to a second child

    RAYSCOPE_FN explicit RestartTrail(Postponed*) {}

    RAYSCOPE_FN int pop(float /*limit*/) {
        trail = (trail & ~(level - 1)) + level;
        if (trail >= kRoot) return kNoChild;  // once more, too, after the last
        turned = trail & (~trail + 1);
        level = kRoot;
        return 0;
    }
};

/// Of two children that the ray enters at these distances the one to go on with, or kNoChild; the
/// other one comes later.
template <class Stack>
RAYSCOPE_FN int nextOf(Stack& stack, int near, float nearEntry, int far, float farEntry) {
    if (farEntry < kNoEntry) stack.push(far, farEntry);
    return nearEntry < kNoEntry ? near : kNoChild;
}

template <int Most>
RAYSCOPE_FN int nextOf(RestartTrail<Most>& walk, int near, float nearEntry, int far,
                       float farEntry) {
    if (nearEntry >= kNoEntry) return kNoChild;
    walk.level >>= 1;
    if (farEntry < kNoEntry) return walk.trail & walk.level ? far : near;
    if (walk.level == walk.turned) return kNoChild;  // it was the first, which is done
    walk.trail |= walk.level;
    return near;
}

/// The stack, and how many of its entries are in local memory.
template <StackIn S, int Most, int Threads>
struct StackOf {
    using Type = Stack;
    static constexpr int kLocal = Most;
};
template <int Most, int Threads>
struct StackOf<StackIn::registers, Most, Threads> {
    using Type = CachedStack<InRegisters>;
    static constexpr int kLocal = Most - 2;
};
#ifdef __CUDACC__
template <int Most, int Threads>
struct StackOf<StackIn::shared, Most, Threads> {
    using Type = CachedStack<InSharedMemory<Threads>>;
    static constexpr int kLocal = Most - InSharedMemory<Threads>::kLowest;
};
#endif
template <int Most, int Threads>
struct StackOf<StackIn::none, Most, Threads> {
    using Type = RestartTrail<Most>;
    static constexpr int kLocal = 1;
};

/// Visits a tree from its root on: enter(node, stack) returns the child to go on with, or kNoChild,
/// and pushes others; visitLeaf(reference, stack) returns whether to stop, and so does this.
template <WalkStyle W, int Most, class Real, class Enter, class VisitLeaf>
RAYSCOPE_FN bool traverse(const Real& limit, Enter enter, VisitLeaf visitLeaf) {
    constexpr Traversal T = W.turns;
    using Kind = StackOf<W.stack, Most, W.threads>;
    Postponed memory[Kind::kLocal];
    typename Kind::Type stack(memory);
    int reference = 0;
    const auto pop = [&]() RAYSCOPE_INLINED { return stack.pop(static_cast<float>(limit)); };
    const auto descend = [&]() RAYSCOPE_INLINED {
        reference = enter(reference, stack);
        if (reference == kNoChild) reference = pop();
    };
    if constexpr (T == Traversal::ifIf) {
        while (true) {
            if (reference >= 0) {
                const int nearest = enter(reference, stack);
                if (nearest != kNoChild) {
                    reference = nearest;
                    continue;
                }
            } else if (visitLeaf(reference, stack)) {
                return true;
            }
            reference = pop();
            if (reference == kNoChild) return false;
        }
    } else if constexpr (T == Traversal::whileWhile) {
        while (true) {
            while (reference >= 0) descend();
            if (reference == kNoChild) return false;
            if (visitLeaf(reference, stack)) return true;
            reference = pop();
        }
    } else {
        int leaf = kNoChild;  // put off
        do {
            while (reference >= 0) {
                descend();
                if (reference < 0 && leaf == kNoChild) {
                    leaf = reference;
                    reference = pop();
                }
                if (!anyHere(leaf == kNoChild)) break;
            }
            while (leaf != kNoChild) {
                if (visitLeaf(leaf, stack)) return true;
                leaf = reference < 0 ? reference : kNoChild;
                if (reference < 0) reference = pop();
            }
        } while (reference >= 0);
        return false;
    }
}

/// The child of a node to go on with, or kNoChild.
template <class Stack>
RAYSCOPE_FN int nearerChild(const BvhNode& node, const SlabRay<float>& ray, float farthest,
                            Stack& stack) {
    const float a = entryOf(node, 0, ray, farthest);
    const float b = entryOf(node, 1, ray, farthest);
    const bool swap = b < a;
    const int near = swap ? node.child[1] : node.child[0];
    const int far = swap ? node.child[0] : node.child[1];
    return nextOf(stack, near, fastMin(a, b), far, fastMax(a, b));
}

/// Calls visit(i, its geometry) for every shape whose box the ray enters before `limit`, which
/// visit() may reduce, until a call returns true. Returns whether one did. The shapes outside the
/// tree come first.
template <WalkStyle W, class Real, class Tree, class Visit>
RAYSCOPE_FN bool walk(const Tree& tree, const Vec3<Real>& origin, const Vec3<Real>& direction,
                      const Real& limit, Visit visit) {
    const BvhHeader header = tree.head();
    if (visitOutside(tree, header.outside, visit)) return true;
    if (header.nodes == 0) return false;
    const SlabRay<float> ray = slabRay(origin, direction, header);
    return traverse<W, kBvhLevels>(
        limit,
        [&](int reference, auto& stack) RAYSCOPE_INLINED {
            return nearerChild(tree.node(reference), ray, static_cast<float>(limit), stack);
        },
        [&](int leaf, auto&) RAYSCOPE_INLINED {
            const int first = leafFirst(leaf);
            const int end = first + leafCount(leaf);
            RAYSCOPE_ROLLED for (int k = first; k < end; ++k) {
                if (tree.visit(k, visit)) return true;
            }
            return false;
        });
}

}  // namespace rayscope
