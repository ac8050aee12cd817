// Hierarchies that cut triangles.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <glm/gtc/matrix_transform.hpp>

#include "renderer/scene/bvh.h"
#include "tests/linear_scenes.h"
#include "tests/mesh_rays.h"

namespace rayscope {
namespace {

Bvh splitBvh(const Scene& scene, int threads = 0) {
    return buildSplitBvh(boxesOf(scene), cutOf(scene), threads);
}

Box childBox(const BvhNode& n, int c) {
    const int low = 2 * c, high = low + 1;
    return {{n.x[low], n.y[low], n.z[low]}, {n.x[high], n.y[high], n.z[high]}};
}

/// Calls visit(box, reference, level) with all children.
void forChildren(const Bvh& bvh, const std::function<void(const Box&, int, int)>& visit,
                 int node = 0, int level = 1) {
    for (int c = 0; c < 2; ++c) {
        const int reference = bvh.nodes[node].child[c];
        visit(childBox(bvh.nodes[node], c), reference, level);
        if (reference >= 0) forChildren(bvh, visit, reference, level + 1);
    }
}

/// Long thin triangles in all directions, whose boxes are mostly empty.
Scene needles(int count, unsigned seed) {
    Twister random(seed);
    Mesh mesh;
    mesh.materials = {materialOfKind(MaterialKind::lambert, .8)};
    for (int i = 0; i < count; ++i) {
        const Point a = pointIn(random, 10), along = direction(random) * uniform(random, 1, 8);
        const int first = static_cast<int>(mesh.corners.size());
        for (const Point& p : {a, a + along, a + along + pointIn(random, .05)})
            mesh.corners.emplace_back(p);
        mesh.faces.push_back({{first, first + 1, first + 2}, 0});
    }
    return sceneOf(std::move(mesh));
}

/// Walls of a city lie in the planes of the axes, where boxes are as tight as they can be; not so
/// once it is turned.
Scene turned(const Scene& scene) {
    Mesh mesh = *scene.meshes[0].mesh;
    const glm::dmat3 turn = glm::dmat3(glm::rotate(glm::dmat4(1), .4, glm::dvec3(.4, 1, .3)));
    for (glm::vec3& c : mesh.corners) c = turn * glm::dvec3(c);
    return sceneOf(std::move(mesh));
}

/// Points all over a scene's shapes are in a leaf with that shape.
void expectCovered(const Scene& scene) {
    const Bvh bvh = splitBvh(scene);
    const std::size_t shapes = shapeCount(scene);
    EXPECT_LE(bvh.list.size(), withParts(shapes));
    EXPECT_LE(static_cast<int>(bvh.nodes.size()), mostBvhNodes(static_cast<int>(bvh.list.size())));
    std::vector<std::vector<Box>> parts(shapes);
    forChildren(bvh, [&](const Box& box, int reference, int level) {
        EXPECT_LE(level, kBvhLevels);
        if (reference >= 0) return;
        EXPECT_LE(leafCount(reference), kMaxLeafSpheres);
        for (int k = 0; k < leafCount(reference); ++k)
            parts[bvh.list[leafFirst(reference) + k]].push_back(box);
    });
    for (int k = 0; k < bvh.header.outside; ++k)
        parts[bvh.list[k]].push_back({glm::dvec3(-1e9), glm::dvec3(1e9)});
    const Mesh& mesh = *scene.meshes[0].mesh;
    const std::size_t spheres = scene.spheres.size();
    Twister random(3);
    for (std::size_t i = 0; i < shapes; ++i) {
        ASSERT_FALSE(parts[i].empty()) << i;
        for (int sample = 0; sample < 40; ++sample) {
            Point p;
            if (i < spheres) {
                p = scene.spheres[i].center + direction(random) * scene.spheres[i].radius;
            } else {
                const Triangle& face = mesh.faces[i - spheres];
                const auto corner = [&](int k) { return Point(mesh.corners[face.corners[k]]); };
                const double u = sample < 3 ? sample == 1 : uniform(random, 0, 1);
                const double v = sample < 3 ? sample == 2 : uniform(random, 0, 1 - u);
                p = corner(0) * (1 - u - v) + corner(1) * u + corner(2) * v;
            }
            const double rounding = 1e-9;  // of p itself
            ASSERT_TRUE(std::ranges::any_of(
                parts[i],
                [&](const Box& box) {
                    return glm::all(glm::greaterThanEqual(p, box.low - rounding)) &&
                           glm::all(glm::lessThanEqual(p, box.high + rounding));
                }))
                << "shape " << i << ", point " << sample;
        }
    }
}

TEST(SplitBvh, CoversEveryShape) {
    for (const int count : {1, 2, 3, 5, 40, 3000}) {
        expectCovered(soup(count, static_cast<unsigned>(count)));
        expectCovered(needles(count, 7));
    }
    expectCovered(turned(sceneNamed("city-5000")));
}

TEST(SplitBvh, CostsLessWhereBoxesOverlap) {
    const auto gain = [](const Scene& scene) {
        return costOf(splitBvh(scene)) / costOf(buildBvh(scene));
    };
    EXPECT_LT(gain(turned(sceneNamed("city-20000"))), .93);
    EXPECT_LT(gain(needles(3000, 1)), .95);
    EXPECT_LE(gain(sceneNamed("city-20000")), 1);
    EXPECT_LE(gain(sceneNamed("terrain-20000")), 1);
}

TEST(SplitBvh, AnyNumberOfThreadsBuildsTheSameTree) {
    for (const Scene& scene : {needles(40'000, 2), turned(sceneNamed("city-50000"))}) {
        const Bvh alone = splitBvh(scene, 1);
        EXPECT_GT(alone.list.size(), shapeCount(scene));
        for (const int threads : {2, 5}) expectSameTree(alone, splitBvh(scene, threads));
    }
}

template <class Real, Accel Tree, VertexLayout Layout = VertexLayout::unrolled>
void expectHitsOfBrute(const Scene& scene, unsigned seed) {
    const Traced<Real> brute(scene, Accel::brute);
    const Traced<Real, Tree, Layout> tree(scene, Tree, TriangleTest::watertight, Hierarchy::sbvh);
    expectSameHits(brute, tree, *scene.meshes[0].mesh, 4000, seed);
}

TEST(SplitBvh, RaysHitWhatTheyHitAmongAll) {
    for (const Scene& scene :
         {soup(300, 1), soup(4, 2), needles(800, 3), turned(sceneNamed("city-1000"))}) {
        expectHitsOfBrute<float, Accel::bvh>(scene, 1);
        expectHitsOfBrute<double, Accel::bvh>(scene, 2);
        expectHitsOfBrute<float, Accel::bvh, VertexLayout::soa>(scene, 3);
        expectHitsOfBrute<float, Accel::bvh, VertexLayout::indexed>(scene, 4);
        expectHitsOfBrute<float, Accel::bvh8>(scene, 5);
        // the CPU's nodes of four and eight
        const Traced<float> brute(scene, Accel::brute);
        for (const Accel accel : {Accel::bvh4, Accel::bvh8}) {
            const Traced<float> wide(scene, accel, TriangleTest::watertight, Hierarchy::sbvh);
            expectSameHits(brute, wide, *scene.meshes[0].mesh, 4000, 6);
        }
    }
}

TEST(SplitBvh, APackedSceneIsAsLargeAsAnnounced) {
    const Scene scene = needles(3000, 1);
    for (const Accel accel : {Accel::bvh, Accel::bvh4, Accel::bvh8}) {
        Variant v;
        v.accel = accel;
        const std::size_t bytes =
            packScene<float>(scene, v.sceneLayout, accel, nullptr, Hierarchy::sbvh).size();
        EXPECT_LE(bytes, packedBytes(scene, v, Hierarchy::sbvh));
        EXPECT_GT(bytes, packScene<float>(scene, v.sceneLayout, accel).size());
    }
}

}  // namespace
}  // namespace rayscope
