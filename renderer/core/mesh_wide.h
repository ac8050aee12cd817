#pragma once

#include "renderer/core/mesh.h"
#include "renderer/core/place_search.h"
#include "renderer/core/triangle.h"
#include "renderer/core/wide.h"

// What rays hit in the hierarchies of scene/wide_tree.h, whose nodes have N children side by side:
// the host tests the boxes of all at once, and the triangles of a leaf. Where meshes stand in
// several places, these are the leaves of one tree, and each leads to the tree of its mesh.

namespace rayscope {

/// The boxes of N children: along each axis their low planes, then the high ones. No ray enters
/// those that are unused.
template <int N>
struct alignas(64) WideNode {
    float x[2][N], y[2][N], z[2][N];
    int child[N];  ///< a node's index, or a wideReference()
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

/// What a reference that is not a node's leads to: a block without or with spheres, a place, or the
/// way out of one.
enum class WideLeaf { triangles, spheres, place, wayOut };

/// Negative, unlike a node's index. `number`: of the block or the place.
constexpr RAYSCOPE_FN int wideReference(WideLeaf leaf, int number) {
    return ~(number * 4 + static_cast<int>(leaf));
}
constexpr RAYSCOPE_FN WideLeaf wideLeaf(int reference) {
    return static_cast<WideLeaf>(~reference & 3);
}
constexpr RAYSCOPE_FN int wideNumber(int reference) {
    return ~reference >> 2;
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

/// Along all axes.
template <int N>
struct WideRay {
    WideSlab<N> x, y, z;

    RAYSCOPE_FN explicit WideRay(const SlabRay<float>& slabs)
        : x(slabs.inverse.x, slabs.low.x, slabs.high.x),
          y(slabs.inverse.y, slabs.low.y, slabs.high.y),
          z(slabs.inverse.z, slabs.low.z, slabs.high.z) {}
};

/// A ray among the triangles of blocks, in the space where they are.
template <class Real>
struct BlockRay {
    AcrossRay<Wide<Real, kBlock>> across;
    ShapeId from;
    int shift;  ///< from the numbers of shapes in blocks to those in the scene
};

template <class Real>
RAYSCOPE_FN BlockRay<Real> blockRay(const AcrossRay<Real>& across, ShapeId from, int shift) {
    const auto all = [](const Vec3<Real>& v) RAYSCOPE_INLINED {
        return Vec3<Wide<Real, kBlock>>{v.x, v.y, v.z};
    };
    return {
        {all(across.origin), all(across.right), all(across.up), all(across.along)}, from, shift};
}
template <Variant V, class Real>
RAYSCOPE_FN BlockRay<Real> blockRay(const Ray<Real>& ray) {
    return blockRay(acrossRay<V>(ray.origin, ray.direction), ray.from, 0);
}

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

/// As walk(); sets `at` to the ray in a block's space, then calls visit(block, whether it has
/// spheres).
template <int N, Variant V, class Real, class Visit>
RAYSCOPE_FN bool walkWide(const MeshView<Real>& mesh, const Ray<Real>& ray, const Real& limit,
                          BlockRay<Real>& at, Visit visit) {
    using W = Wide<float, N>;
    constexpr bool kPlaced = has(V, kPlaces);
    const MeshHeader& header = *mesh.header;
    const auto* const nodes = mesh.template at<WideNode<N>>(header.nodes);
    const auto* const blocks = mesh.template at<TriangleBlock<Real>>(header.listed);
    const WideRay<N> outside(slabRay(ray.origin, ray.direction, header.tree));
    WideRay<N> slabs = outside;
    Ray<Real> own = ray;
    const PlaceRecord<Real>* entered = nullptr;  // whose BlockRay is still to be made
    Postponed stack[(kPlaced ? 2 : 1) * (N - 1) * kWideLevels + 1];
    int top = 0;
    int reference = header.root;
    while (true) {
        if (reference >= 0) {
            const WideNode<N>& node = nodes[reference];
            const W entries = fastMax(fastMax(slabs.x.enter(node.x), slabs.y.enter(node.y)),
                                      fastMax(slabs.z.enter(node.z), W(0.f)));
            const W exits = fastMin(fastMin(slabs.x.leave(node.x), slabs.y.leave(node.y)),
                                    fastMin(slabs.z.leave(node.z), W(static_cast<float>(limit))));
            const unsigned hits = bitsOf(entries <= exits);
            if (hits != 0) {
                reference = nearestOf(node, entries, hits, stack, &top);
                continue;
            }
        } else if (kPlaced && wideLeaf(reference) == WideLeaf::place) {
            const auto* const places = mesh.template at<PlaceRecord<Real>>(header.places);
            const PlaceRecord<Real>& place = places[wideNumber(reference)];
            own = ownRay(place, ray);
            slabs = WideRay<N>(slabRayIn(place, own));
            entered = &place;
            stack[top++] = {wideReference(WideLeaf::wayOut, 0), kAtOnce};
            reference = place.root;
            continue;
        } else if (kPlaced && wideLeaf(reference) == WideLeaf::wayOut) {
            slabs = outside;  // where only spheres are, tested with the scene's ray
        } else {
            if (kPlaced && entered != nullptr) {
                const auto across = acrossStretchedRay<V>(own.origin, own.direction);
                at = blockRay(across, own.from, entered->shift);
                entered = nullptr;
            }
            const bool spheres = wideLeaf(reference) == WideLeaf::spheres;
            if (visit(blocks[wideNumber(reference)], spheres)) return true;
        }
        do {
            if (top == 0) return false;
            --top;
        } while (!(stack[top].entry <= static_cast<float>(limit)));
        reference = stack[top].reference;
    }
}

/// distanceTo() of a block's triangles: the same operations, hence the same distances. Returns a
/// bit for each that the ray meets beyond tMin and up to tMax, except the one that it leaves.
template <class Real>
RAYSCOPE_FN unsigned distancesTo(const TriangleBlock<Real>& block, const BlockRay<Real>& ray,
                                 Real tMin, Real tMax, Wide<Real, kBlock>* distances) {
    using W = Wide<Real, kBlock>;
    const auto corner = [&](int k) RAYSCOPE_INLINED {
        return seenFrom(ray.across, Vec3<W>{W(block.corner[k]), W(block.corner[k + 1]),
                                            W(block.corner[k + 2])});
    };
    const Vec3<W> a = corner(0), b = corner(3), c = corner(6);
    const W u = areaBeside(b, c), v = areaBeside(c, a), w = areaBeside(a, b);
    const W zero(Real(0));
    const auto within = (zero <= fastMin(u, fastMin(v, w))) | (fastMax(u, fastMax(v, w)) <= zero);
    const W t = mulAdd(w, c.z, mulAdd(v, b.z, u * a.z)) / (u + v + w);
    *distances = t;
    const unsigned met = bitsOf(within & (W(tMin) < t) & (t <= W(tMax)));
    return met == 0 ? 0 : met & ~bitsWhere<kBlock>(block.id, ray.from);
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
RAYSCOPE_FN Hit<Real> closestInWide(SceneView<Real, V> scene, Ray<Real> ray) {
    BlockRay<Real> at = blockRay<V>(ray);
    const Real tMin = scene.params.tMin;
    Hit<Real> hit{scene.params.tMax, kNoShape};
    const auto meet = [&](ShapeId id, Real t) RAYSCOPE_INLINED {
        const bool nearer = t < hit.distance || (t == hit.distance && id < hit.shape);
        if (nearer && !goesThroughHole(scene, id, ray, t)) hit = {t, id};
    };
    const auto visit = [&](const TriangleBlock<Real>& block, bool spheres) RAYSCOPE_INLINED {
        Wide<Real, kBlock> distances;
        unsigned met = distancesTo(block, at, tMin, hit.distance, &distances);
        if (met != 0) {
            alignas(64) Real t[kBlock];
            distances.store(t);
            for (; met != 0; met &= met - 1) {
                const int i = __builtin_ctz(met);
                meet(block.id[i] + at.shift, t[i]);
            }
        }
        return spheres && visitSpheres(scene, block, ray, [&](ShapeId id, Real t) RAYSCOPE_INLINED {
                   if (t > tMin) meet(id, t);
                   return false;
               });
    };
    walkWide<N, V>(meshOf(scene), ray, hit.distance, at, visit);
    return hit;
}

/// As anyShape().
template <int N, class Real, Variant V>
RAYSCOPE_FN bool anyInWide(SceneView<Real, V> scene, Ray<Real> ray, Real distance,
                              ShapeId except) {
    BlockRay<Real> at = blockRay<V>(ray);
    const Real tMin = scene.params.tMin;
    const auto visit = [&](const TriangleBlock<Real>& block, bool spheres) RAYSCOPE_INLINED {
        Wide<Real, kBlock> t;
        const unsigned met = distancesTo(block, at, tMin, distance, &t);
        const unsigned nearer = met & bitsOf(t < Wide<Real, kBlock>(distance));
        unsigned hiding =
            nearer == 0 ? 0 : nearer & ~bitsWhere<kBlock>(block.id, except - at.shift);
        if (hiding != 0) {
            if (!has(V, kHoles) || !hasHoles<V>(meshOf(scene))) return true;
            alignas(64) Real distances[kBlock];
            t.store(distances);
            for (; hiding != 0; hiding &= hiding - 1) {
                const int i = __builtin_ctz(hiding);
                const ShapeId number = block.id[i] + at.shift;
                if (!goesThroughHole(scene, number, ray, distances[i])) return true;
            }
        }
        return spheres && visitSpheres(scene, block, ray, [&](ShapeId id, Real t) RAYSCOPE_INLINED {
                   return t > tMin && t < distance && id != except;
               });
    };
    return walkWide<N, V>(meshOf(scene), ray, distance, at, visit);
}

}  // namespace rayscope
