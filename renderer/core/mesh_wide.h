#pragma once

#include "renderer/core/mesh.h"
#include "renderer/core/triangle.h"
#include "renderer/core/wide.h"

// What rays hit in the hierarchies of scene/wide_tree.h, whose nodes have N children side by side:
// the host tests the boxes of all at once, and the triangles of a leaf.

namespace rayscope {

/// The boxes of N children: along each axis their low planes, then the high ones. No ray enters
/// those that are unused.
template <int N>
struct alignas(64) WideNode {
    float x[2][N], y[2][N], z[2][N];
    int child[N];  ///< a node's index, or a blockReference()
};

/// Triangles of a block. Eight in halves of four cost no more than two blocks.
inline constexpr int kBlock = 8;

/// A leaf: the corners of triangles, component by component. A sphere has only its number; unused
/// places have kNoShape.
template <class Real>
struct alignas(64) TriangleBlock {
    Real corner[9][kBlock];
    ShapeId id[kBlock];
};

inline namespace RAYSCOPE_BUILD {

/// A reference to a leaf. Negative, unlike a node's index.
constexpr RAYSCOPE_FN int blockReference(int block, bool spheres) {
    return ~(block * 2 + (spheres ? 1 : 0));
}

/// Levels of a tree: those of the binary one, and above them those of shapes outside it.
inline constexpr int kWideLevels = kBvhLevels + 8;

/// A ray as the slab test of all children needs it, along one axis.
template <int N>
struct WideSlab {
    using W = Wide<float, N>;
    W inverse, near, far;
    int back;  ///< 1: the ray enters boxes by their high planes

    RAYSCOPE_FN WideSlab(float inverse, float low, float high)
        : inverse(inverse),
          near(inverse < 0 ? -high : -low),
          far(inverse < 0 ? -low : -high),
          back(inverse < 0 ? 1 : 0) {}
    RAYSCOPE_FN W enter(const float (&planes)[2][N]) const {
        return mulAdd(W(planes[back]), inverse, near);
    }
    RAYSCOPE_FN W leave(const float (&planes)[2][N]) const {
        return mulAdd(W(planes[back ^ 1]), inverse, far);
    }
};

/// Pushes the children of a node that the ray enters, farthest first, and returns the nearest.
template <int N>
RAYSCOPE_FN int nearestOf(const WideNode<N>& node, const Wide<float, N>& entries, unsigned hits,
                          Postponed* stack, int* top) {
    const int first = __builtin_ctz(hits);
    hits &= hits - 1;
    if (hits == 0) return node.child[first];
    alignas(64) float entry[N];
    entries.store(entry);
    const int second = __builtin_ctz(hits);
    hits &= hits - 1;
    if (hits == 0) {
        const bool swap = entry[second] < entry[first];
        const int near = swap ? second : first, far = swap ? first : second;
        stack[(*top)++] = {node.child[far], entry[far]};
        return node.child[near];
    }
    const int base = *top;
    const auto push = [&](int c) RAYSCOPE_INLINED {
        const float e = entry[c];
        int k = (*top)++;
        for (; k > base && stack[k - 1].entry < e; --k) stack[k] = stack[k - 1];
        stack[k] = {node.child[c], e};
    };
    push(first);
    push(second);
    do {
        push(__builtin_ctz(hits));
        hits &= hits - 1;
    } while (hits != 0);
    return stack[--*top].reference;
}

/// As walk(); calls visit(block, whether it has spheres).
template <int N, class Real, class Visit>
RAYSCOPE_FN bool walkWide(const MeshView<Real>& mesh, const Ray<Real>& ray, const Real& limit,
                          Visit visit) {
    using W = Wide<float, N>;
    const MeshHeader& header = *mesh.header;
    const auto* const nodes = mesh.template at<WideNode<N>>(header.nodes);
    const auto* const blocks = mesh.template at<TriangleBlock<Real>>(header.listed);
    const SlabRay<float> slabs = slabRay(ray.origin, ray.direction, header.tree);
    const WideSlab<N> x(slabs.inverse.x, slabs.low.x, slabs.high.x);
    const WideSlab<N> y(slabs.inverse.y, slabs.low.y, slabs.high.y);
    const WideSlab<N> z(slabs.inverse.z, slabs.low.z, slabs.high.z);
    Postponed stack[(N - 1) * kWideLevels];
    int top = 0;
    int reference = header.root;
    while (true) {
        if (reference >= 0) {
            const WideNode<N>& node = nodes[reference];
            const W entries = fastMax(fastMax(x.enter(node.x), y.enter(node.y)),
                                      fastMax(z.enter(node.z), W(0.f)));
            const W exits = fastMin(fastMin(x.leave(node.x), y.leave(node.y)),
                                    fastMin(z.leave(node.z), W(static_cast<float>(limit))));
            const unsigned entered = bitsOf(entries <= exits);
            if (entered != 0) {
                reference = nearestOf(node, entries, entered, stack, &top);
                continue;
            }
        } else {
            if (visit(blocks[~reference >> 1], ~reference & 1)) return true;
        }
        do {
            if (top == 0) return false;
            --top;
        } while (!(stack[top].entry <= static_cast<float>(limit)));
        reference = stack[top].reference;
    }
}

/// The ray's basis in all places.
template <Variant V, class Real>
RAYSCOPE_FN AcrossRay<Wide<Real, kBlock>> acrossBlocks(const Ray<Real>& ray) {
    const AcrossRay<Real> across = acrossRay<V>(ray.origin, ray.direction);
    const auto all = [](const Vec3<Real>& v) RAYSCOPE_INLINED {
        return Vec3<Wide<Real, kBlock>>{v.x, v.y, v.z};
    };
    return {all(across.origin), all(across.right), all(across.up), all(across.along)};
}

/// distanceTo() of a block's triangles: the same operations, hence the same distances. Returns a
/// bit for each that the ray meets beyond tMin and up to tMax, except the one that it leaves.
template <class Real>
RAYSCOPE_FN unsigned distancesTo(const TriangleBlock<Real>& block,
                                 const AcrossRay<Wide<Real, kBlock>>& ray, ShapeId from, Real tMin,
                                 Real tMax, Wide<Real, kBlock>* distances) {
    using W = Wide<Real, kBlock>;
    const auto corner = [&](int k) RAYSCOPE_INLINED {
        return seenFrom(
            ray, Vec3<W>{W(block.corner[k]), W(block.corner[k + 1]), W(block.corner[k + 2])});
    };
    const Vec3<W> a = corner(0), b = corner(3), c = corner(6);
    const W u = areaBeside(b, c), v = areaBeside(c, a), w = areaBeside(a, b);
    const W zero(Real(0));
    const auto within = (zero <= fastMin(u, fastMin(v, w))) | (fastMax(u, fastMax(v, w)) <= zero);
    const W t = mulAdd(w, c.z, mulAdd(v, b.z, u * a.z)) / (u + v + w);
    *distances = t;
    const unsigned met = bitsOf(within & (W(tMin) < t) & (t <= W(tMax)));
    return met == 0 ? 0 : met & ~bitsWhere<kBlock>(block.id, from);
}

/// Calls visit(id, distance) for the spheres of a block.
template <class Real, Variant V, class Visit>
RAYSCOPE_FN bool visitSpheres(const SceneView<Real, V>& scene, const TriangleBlock<Real>& block,
                              const Ray<Real>& ray, Visit visit) {
    for (const ShapeId id : block.id) {
        if (kindOf(id) != ShapeKind::sphere) continue;
        const Crossing<Real> x = crossingOf<V>(scene.geometryOf(id), id, ray);
        if (visit(id, nearestRoot<SceneView<Real, V>::kCurved>(x, scene.params.tMin))) return true;
    }
    return false;
}

/// As closestShape().
template <int N, class Real, Variant V>
RAYSCOPE_APART Hit<Real> closestInWide(SceneView<Real, V> scene, Ray<Real> ray) {
    const AcrossRay<Wide<Real, kBlock>> across = acrossBlocks<V>(ray);
    const Real tMin = scene.params.tMin;
    Hit<Real> hit{scene.params.tMax, kNoShape};
    const auto meet = [&](ShapeId id, Real t) RAYSCOPE_INLINED {
        const bool nearer = t < hit.distance || (t == hit.distance && id < hit.shape);
        if (nearer && !goesThroughHole(scene, id, ray, t)) hit = {t, id};
    };
    const auto visit = [&](const TriangleBlock<Real>& block, bool spheres) RAYSCOPE_INLINED {
        Wide<Real, kBlock> distances;
        unsigned met = distancesTo(block, across, ray.from, tMin, hit.distance, &distances);
        if (met != 0) {
            alignas(64) Real t[kBlock];
            distances.store(t);
            for (; met != 0; met &= met - 1) {
                const int i = __builtin_ctz(met);
                meet(block.id[i], t[i]);
            }
        }
        return spheres && visitSpheres(scene, block, ray, [&](ShapeId id, Real t) RAYSCOPE_INLINED {
                   if (t > tMin) meet(id, t);
                   return false;
               });
    };
    walkWide<N>(meshOf(scene), ray, hit.distance, visit);
    return hit;
}

/// As anyShape().
template <int N, class Real, Variant V>
RAYSCOPE_APART bool anyInWide(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                              ShapeId except) {
    const AcrossRay<Wide<Real, kBlock>> across = acrossBlocks<V>(ray);
    const Real tMin = scene.params.tMin;
    const auto visit = [&](const TriangleBlock<Real>& block, bool spheres) RAYSCOPE_INLINED {
        Wide<Real, kBlock> t;
        const unsigned met = distancesTo(block, across, ray.from, tMin, distance, &t);
        const unsigned nearer = met & bitsOf(t < Wide<Real, kBlock>(distance));
        unsigned hiding = nearer == 0 ? 0 : nearer & ~bitsWhere<kBlock>(block.id, except);
        if (hiding != 0) {
            if (meshOf(scene).header->holes == 0) return true;
            alignas(64) Real distances[kBlock];
            t.store(distances);
            for (; hiding != 0; hiding &= hiding - 1) {
                const int i = __builtin_ctz(hiding);
                if (!goesThroughHole(scene, block.id[i], ray, distances[i])) return true;
            }
        }
        return spheres && visitSpheres(scene, block, ray, [&](ShapeId id, Real t) RAYSCOPE_INLINED {
                   return t > tMin && t < distance && id != except;
               });
    };
    return walkWide<N>(meshOf(scene), ray, distance, visit);
}

}  // namespace RAYSCOPE_BUILD
}  // namespace rayscope
