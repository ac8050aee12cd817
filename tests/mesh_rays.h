#pragma once

// Scenes of triangles as kernels see them, rays among them, and what these hit by a second
// implementation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "renderer/core/intersect.h"
#include "renderer/scene/to_kernel.h"
#include "tests/made_of_triangles.h"
#include "tests/random_points.h"

namespace rayscope {

constexpr Variant meshVariant(Precision precision, Accel accel = Accel::bvh,
                              VertexLayout layout = VertexLayout::unrolled,
                              Traversal traversal = Traversal::ifIf) {
    Variant v;
    v.traversal = traversal;
    v.accel = accel;
    v.vertexLayout = layout;
    v.precision = precision;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.traits.features = (kAllFeatures & ~kWalls) | kTriangles;
    return v;
}

constexpr Variant withFeatures(Variant v, unsigned features, StackIn stack) {
    v.traits.features |= features;
    v.stack = stack;
    return v;
}

constexpr Variant changed(Variant v, Accel accel, int wide, TriangleTest test) {
    v.accel = accel;
    v.wide = wide;
    v.triangle = test;
    return v;
}

/// A packed scene as a kernel of the variant sees it.
template <class Real, Variant V>
class TracedBy {
public:
    TracedBy(const Scene& scene, PackedScene packed)
        : packed_(std::move(packed)), params_(sceneParams<Real>(scene, false)) {}

    Hit<Real> operator()(const Point& origin, const Point& direction, int from = kNoShape) const {
        return asPacked(
            [&](const auto& scene) { return closestHit(scene, rayOf(origin, direction, from)); });
    }
    bool blocked(const Point& origin, const Point& direction, double distance, int from = kNoShape,
                 int except = kNoShape) const {
        return asPacked([&](const auto& scene) {
            return occluded(scene, rayOf(origin, direction, from), static_cast<Real>(distance),
                            except);
        });
    }
    /// Needs core/shade.h.
    auto surface(const Point& origin, const Point& direction, const Hit<Real>& hit) const {
        return surfaceAt(view(), rayOf(origin, direction, kNoShape), hit);
    }

    SceneView<Real, V> view() const { return {packed_.data(), params_}; }

private:
    template <Accel A, int Wide, TriangleTest Test>
    SceneView<Real, changed(V, A, Wide, Test)> viewBy() const {
        return {packed_.data(), params_};
    }

    /// Calls search() with the scene as a kernel sees it that is for what was packed.
    template <class Search>
    auto asPacked(Search search) const {
        const MeshHeader& header = *meshOf(view()).header;
        constexpr TriangleTest watertight = TriangleTest::watertight;
        if constexpr (sizeof(Real) == 4) {
            if (header.peer != nullptr) return search(viewBy<Accel::embree, 0, watertight>());
        }
        if (header.lanes == 4) return search(viewBy<Accel::bvh4, 4, watertight>());
        if (header.lanes == 8) return search(viewBy<Accel::bvh8, 8, watertight>());
        if (header.tree.nodes == 0) return byTest<Accel::brute>(header.test, search);
        return byTest<V.accel>(header.test, search);
    }
    template <Accel A, class Search>
    auto byTest(TriangleTest test, Search search) const {
        if (test == TriangleTest::mollerTrumbore)
            return search(viewBy<A, 0, TriangleTest::mollerTrumbore>());
        if (test == TriangleTest::woop) return search(viewBy<A, 0, TriangleTest::woop>());
        return search(viewBy<A, 0, TriangleTest::watertight>());
    }

    static Ray<Real> rayOf(const Point& origin, const Point& direction, int from) {
        return {toKernel<Real>(origin), toKernel<Real>(direction), from};
    }

    PackedScene packed_;
    SceneParams<Real> params_;
};

template <class Real>
inline constexpr Precision kPrecisionOf = sizeof(Real) == 4 ? Precision::float32
                                                            : Precision::float64;

/// A scene as kernels see it; of a GPU, which know at compile time what it is packed for, where
/// `Tree` or `Layout` are given.
template <class Real, Accel Tree = Accel::bvh, VertexLayout Layout = VertexLayout::unrolled,
          Traversal Turns = Traversal::ifIf, unsigned Features = 0, StackIn Where = StackIn::local>
class Traced
    : public TracedBy<Real, withFeatures(meshVariant(kPrecisionOf<Real>, Tree, Layout, Turns),
                                         Features, Where)> {
    using Base = TracedBy<Real, withFeatures(meshVariant(kPrecisionOf<Real>, Tree, Layout, Turns),
                                             Features, Where)>;

public:
    explicit Traced(const Scene& scene, Accel accel = Tree,
                    TriangleTest test = TriangleTest::watertight,
                    Hierarchy hierarchy = Hierarchy::sah)
        : Base(scene, packScene<Real>(scene, SceneLayout::aos, accel, nullptr, hierarchy,
                                      {test, Layout, Tree == Accel::bvh8})) {}
    using Base::Base;
};

/// Triangles of all sizes and shapes: ordinary ones, slivers, some without an area, a few large
/// enough to stay outside the hierarchy, and spheres between them.
inline Scene soup(int triangles, unsigned seed) {
    Twister random(seed);
    Mesh mesh;
    mesh.materials = {materialOfKind(MaterialKind::lambert, .8)};
    for (int i = 0; i < triangles; ++i) {
        const Point a = pointIn(random, 10);
        const double size = std::pow(10, uniform(random, -3, .3));
        const Point ab = pointIn(random, size);
        Point ac = pointIn(random, size);
        if (i % 5 == 1) ac = ab * uniform(random, 0, 2) + pointIn(random, size * 1e-5);  // a sliver
        if (i % 17 == 3) ac = ab * 2.;
        if (i % 23 == 4) ac = Point(0);
        if (i % 101 == 5) ac = pointIn(random, 60);
        const int first = static_cast<int>(mesh.corners.size());
        for (const Point& p : {a, a + ab, a + ac}) mesh.corners.emplace_back(p);
        mesh.faces.push_back({{first, first + 1, first + 2}, 0});
    }
    Scene scene = sceneOf(std::move(mesh));
    for (int i = 0; i < triangles / 20; ++i)
        scene.spheres.push_back({pointIn(random, 10), uniform(random, .01, .3), {}});
    return scene;
}

struct MeshRay {
    Point origin, direction;
    int from = kNoShape;
};

/// Of all the kinds that searches have got wrong, one after the other.
inline MeshRay meshRay(const Mesh& mesh, double size, Twister& random, int kind) {
    const int i = static_cast<int>(random() % mesh.faces.size());
    const auto corner = [&](int k) { return Point(mesh.corners[mesh.faces[i].corners[k]]); };
    const double u = uniform(random, 0, 1), v = uniform(random, 0, 1 - u);
    const Point inside = corner(0) * (1 - u - v) + corner(1) * u + corner(2) * v;
    const Point onEdge = corner(0) * (1 - u) + corner(1) * u;
    MeshRay ray{pointIn(random, size), direction(random)};
    const auto aimAt = [&](const Point& target) {
        if (glm::distance(target, ray.origin) > 0)
            ray.direction = glm::normalize(target - ray.origin);
    };
    switch (kind) {
        case 0:
            return ray;
        case 1:
            aimAt(inside);
            return ray;
        case 2:
            aimAt(onEdge);
            return ray;
        case 3:
            aimAt(corner(static_cast<int>(random() % 3)));
            return ray;
        case 4:  // from far away
            ray.origin = direction(random) * size * 30.;
            aimAt(random() % 2 ? inside : onEdge);
            return ray;
        case 5:  // from a point of the triangle
            ray.origin = inside;
            ray.from = kTriangleShape + i;
            return ray;
        case 6:  // within its plane
            ray.origin = corner(0) + (corner(0) - inside) * 2.;
            aimAt(inside);
            return ray;
        default: {  // along an axis, through a corner
            const int axis = static_cast<int>(random() % 3);
            ray.direction = Point(0);
            ray.direction[axis] = random() % 2 ? 1 : -1;
            ray.origin = corner(static_cast<int>(random() % 3)) - ray.direction * size;
            return ray;
        }
    }
}
inline constexpr int kRayKinds = 8;

/// Rays of all kinds have the same hits, to the bit, and shadow rays near them.
template <class Brute, class Tree>
void expectSameHits(const Brute& brute, const Tree& tree, const Mesh& mesh, int rays,
                    unsigned seed) {
    Twister random(seed);
    int hits = 0;
    for (int i = 0; i < rays; ++i) {
        const MeshRay r = meshRay(mesh, 12, random, i % kRayKinds);
        const auto a = brute(r.origin, r.direction, r.from);
        const auto b = tree(r.origin, r.direction, r.from);
        ASSERT_EQ(a.shape, b.shape) << "ray " << i << " at " << a.distance << ", " << b.distance;
        ASSERT_EQ(a.distance, b.distance) << "ray " << i;
        ASSERT_NE(a.shape, r.from == kNoShape ? -2 : r.from) << "ray " << i << " hits its origin";
        if (a.shape < 0) continue;
        ++hits;
        // what stands in a ray's way up to a distance does so up to a larger one
        bool others = true;
        for (const double limit : {1.001, 1., .999}) {
            using Real = decltype(a.distance);
            const double distance = a.distance * limit;
            others = others && brute.blocked(r.origin, r.direction, distance, r.from, a.shape);
            ASSERT_EQ(tree.blocked(r.origin, r.direction, distance, r.from, a.shape), others)
                << "ray " << i;
            ASSERT_EQ(tree.blocked(r.origin, r.direction, distance, r.from),
                      a.distance < static_cast<Real>(distance))
                << "ray " << i;
        }
    }
    EXPECT_GT(hits, rays / 4);
}

/// The textbook's test, in double precision (Moller and Trumbore 1997, "Fast, Minimum Storage
/// Ray/Triangle Intersection"). `margin`: how far inside its edges the hit is, at least, as a share
/// of the triangle and as far as the ray sees it.
inline double textbookDistance(const Mesh& mesh, const Triangle& face, const Point& o,
                               const Point& d, double* margin) {
    const Point a(mesh.corners[face.corners[0]]);
    const Point ab = Point(mesh.corners[face.corners[1]]) - a;
    const Point ac = Point(mesh.corners[face.corners[2]]) - a;
    const Point p = glm::cross(d, ac), q = glm::cross(o - a, ab);
    const double det = glm::dot(ab, p);
    const double u = glm::dot(o - a, p) / det, v = glm::dot(d, q) / det;
    const double seen = std::abs(det) / (glm::length(ab) * glm::length(ac));
    *margin = std::min({u, v, 1 - u - v}) * std::min(seen * 10, 1.);
    return glm::dot(ac, q) / det;
}

/// What the textbook's test finds among all triangles of a scene's only mesh.
struct TextbookHit {
    int shape = kNoShape;
    double distance = std::numeric_limits<double>::infinity();
    bool clear = true;  ///< the ray passes all edges clearly
};

inline TextbookHit textbookHit(const Scene& scene, const MeshRay& ray) {
    const Mesh& mesh = *scene.meshes[0].mesh;
    TextbookHit hit;
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
        double margin = 0;
        const double t = textbookDistance(mesh, mesh.faces[f], ray.origin, ray.direction, &margin);
        if (std::abs(margin) < 1e-2 && t > 0) hit.clear = false;
        if (!(margin > 0) || !(t > scene.epsilon) || t >= hit.distance) continue;
        hit.distance = t;
        hit.shape = kTriangleShape + static_cast<int>(f);
    }
    return hit;
}

/// Without slivers, which in single precision are as thick as what rounding moves their corners.
inline Mesh withoutSlivers(Mesh mesh) {
    std::erase_if(mesh.faces, [&](const Triangle& t) {
        const auto edge = [&](int a, int b) {
            return glm::distance(mesh.corners[t.corners[a]], mesh.corners[t.corners[b]]);
        };
        const float longest = std::max({edge(0, 1), edge(1, 2), edge(2, 0)});
        return doubleArea(mesh, t) < .05f * longest * longest || longest < .02f;
    });
    return mesh;
}

}  // namespace rayscope
