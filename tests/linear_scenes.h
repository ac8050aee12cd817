#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "renderer/scene/json.h"
#include "renderer/scene/linear_bvh.h"

// Scenes that are hard for hierarchies by Morton codes, and what such a hierarchy must be.

namespace rayscope {

inline Scene sceneOfSpheres(std::string name, std::vector<Sphere> spheres) {
    Scene scene;
    scene.name = std::move(name);
    scene.spheres = std::move(spheres);
    return scene;
}

inline Scene cloudOf(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(-5, 5), size(.05, 1);
    std::vector<Sphere> spheres(count);
    for (Sphere& s : spheres) s = {{place(random), place(random), place(random)}, size(random), {}};
    return sceneOfSpheres("cloud-" + std::to_string(count), std::move(spheres));
}

/// One sphere in the upper half of each cell around a corner, along each axis, and many in the
/// corner: split by their bits, they make a chain of nodes with a tree at its end.
inline Scene chainOf(int octaves, int inCorner) {
    std::vector<Sphere> spheres(inCorner, {{0, 0, 0}, 1e-9, {}});
    for (int o = 1; o <= octaves; ++o) {
        const double at = std::ldexp(1.25, -o);
        for (const glm::dvec3& center : {glm::dvec3(at, 0, 0), {0, at, 0}, {0, 0, at}})
            spheres.push_back({center, 1e-9, {}});
    }
    spheres.push_back({{1, 1, 1}, 1e-9, {}});
    return sceneOfSpheres("chain", std::move(spheres));
}

/// A star cluster (Plummer 1911): a dense core, and a few spheres far away.
inline Scene clusterOf(int count) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Sphere> spheres;
    while (static_cast<int>(spheres.size()) < count) {
        const double mass = std::max(unit(random), 1e-6);
        const double radius = 1 / std::sqrt(std::pow(mass, -2. / 3) - 1 + 1e-9);
        const double z = 2 * unit(random) - 1, angle = 2 * M_PI * unit(random);
        const double r = std::sqrt(1 - z * z);
        spheres.push_back(
            {{radius * r * std::cos(angle), radius * r * std::sin(angle), radius * z}, .01, {}});
    }
    return sceneOfSpheres("cluster", std::move(spheres));
}

inline std::vector<Scene> scenesForTrees() {
    std::vector<Scene> scenes;
    for (const char* name : {"weekend", "cornell", "field-1000", "grid-1000", "field-2500"})
        scenes.push_back(*findScene(name));
    for (const int count : {0, 1, 2, 3, 4, 5, 6, 9, 17, 33, 257, 2100})
        scenes.push_back(cloudOf(count, count));
    for (const int count : {2, 5, 1000})
        scenes.push_back(
            sceneOfSpheres("one place", std::vector<Sphere>(count, {{1, 2, 3}, 1, {}})));
    scenes.push_back(sceneOfSpheres("no place", std::vector<Sphere>(40, {{0, 0, 0}, 1, {}})));
    scenes.push_back(chainOf(10, 500));
    scenes.push_back(chainOf(20, 2500));
    scenes.push_back(clusterOf(2500));
    return scenes;
}

/// What a walk over a tree has found.
struct TreeWalk {
    std::vector<int> seen;  ///< how often each sphere is in a leaf, or outside
    int levels = 0;
    int nodes = 0;
};

/// Every box contains what is below it; `level`: nodes above.
inline void walkTree(const Bvh& bvh, std::span<const NodeBox> boxes, int index, int level,
                     TreeWalk& walk) {
    ASSERT_LT(level, kBvhLevels);
    walk.levels = std::max(walk.levels, level + 1);
    ++walk.nodes;
    const BvhNode& node = bvh.nodes[index];
    const auto contains = [&](int child, Vec3<float> low, Vec3<float> high) {
        const int a = 2 * child, b = a + 1;
        return node.x[a] <= low.x && node.y[a] <= low.y && node.z[a] <= low.z &&
               high.x <= node.x[b] && high.y <= node.y[b] && high.z <= node.z[b];
    };
    for (int side = 0; side < 2; ++side) {
        const int reference = node.child[side];
        if (reference >= 0) {
            ASSERT_LT(reference, static_cast<int>(bvh.nodes.size()));
            const BvhNode& n = bvh.nodes[reference];
            for (int c = 0; c < 2; ++c) {
                EXPECT_TRUE(contains(side, {n.x[2 * c], n.y[2 * c], n.z[2 * c]},
                                     {n.x[2 * c + 1], n.y[2 * c + 1], n.z[2 * c + 1]}));
            }
            walkTree(bvh, boxes, reference, level + 1, walk);
            if (testing::Test::HasFatalFailure()) return;
            continue;
        }
        const int first = leafFirst(reference), count = leafCount(reference);
        ASSERT_LE(count, kMaxLeafSpheres);
        ASSERT_LE(first + count, static_cast<int>(bvh.list.size()));
        for (int k = first; k < first + count; ++k) {
            const int i = bvh.list[k];
            ++walk.seen.at(i);
            EXPECT_TRUE(contains(side, boxes[i].low, boxes[i].high));
        }
    }
}

/// Every sphere is in the tree, or outside, once.
inline TreeWalk expectSoundTree(const Bvh& bvh, std::span<const NodeBox> boxes) {
    TreeWalk walk;
    walk.seen.assign(boxes.size(), 0);
    EXPECT_EQ(bvh.list.size(), boxes.size());
    EXPECT_EQ(bvh.header.nodes, static_cast<int>(bvh.nodes.size()));
    for (int k = 0; k < bvh.header.outside; ++k) ++walk.seen.at(bvh.list[k]);
    if (!bvh.nodes.empty()) walkTree(bvh, boxes, 0, 0, walk);
    EXPECT_EQ(walk.seen, std::vector<int>(boxes.size(), 1));
    return walk;
}

/// The same boxes and leaves, whatever the numbers of nodes. Returns the nodes that differ.
inline int differencesBelow(const Bvh& a, int m, const Bvh& b, int n) {
    const BvhNode &x = a.nodes.at(m), &y = b.nodes.at(n);
    const auto equal = [](const float* p, const float* q) { return std::equal(p, p + 4, q); };
    int different = equal(x.x, y.x) && equal(x.y, y.y) && equal(x.z, y.z) ? 0 : 1;
    for (int side = 0; side < 2; ++side) {
        const int p = x.child[side], q = y.child[side];
        if (p >= 0 && q >= 0)
            different += differencesBelow(a, p, b, q);
        else if (p != q)
            ++different;
    }
    return different;
}

inline void expectSameLeaves(const Bvh& a, const Bvh& b) {
    EXPECT_EQ(a.list, b.list);
    EXPECT_EQ(a.header.outside, b.header.outside);
    EXPECT_EQ(a.header.reach, b.header.reach);
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    if (a.nodes.empty()) return;
    EXPECT_EQ(differencesBelow(a, 0, b, 0), 0) << "of " << a.nodes.size();
}

/// What the surface area heuristic expects a ray that meets the root's box to cost.
inline double costOf(const Bvh& bvh) {
    const auto areaOf = [](const BvhNode& n, int c) {
        const double x = n.x[2 * c + 1] - n.x[2 * c], y = n.y[2 * c + 1] - n.y[2 * c],
                     z = n.z[2 * c + 1] - n.z[2 * c];
        return x * y + y * z + z * x;
    };
    double cost = 0;
    for (const BvhNode& n : bvh.nodes) {
        for (int c = 0; c < 2; ++c)
            cost += areaOf(n, c) * (n.child[c] < 0 ? leafCount(n.child[c]) : 2);
    }
    const BvhNode& root = bvh.nodes[0];
    const BvhNode whole{{std::min(root.x[0], root.x[2]), std::max(root.x[1], root.x[3])},
                        {std::min(root.y[0], root.y[2]), std::max(root.y[1], root.y[3])},
                        {std::min(root.z[0], root.z[2]), std::max(root.z[1], root.z[3])},
                        {},
                        {}};
    return 2 + cost / areaOf(whole, 0);
}

/// The same nodes, less those that are left out, whose boxes no builder sets.
inline void expectSameTree(const Bvh& a, const Bvh& b) {
    EXPECT_EQ(a.list, b.list);
    EXPECT_EQ(a.header.outside, b.header.outside);
    EXPECT_EQ(a.header.nodes, b.header.nodes);
    EXPECT_EQ(a.header.reach, b.header.reach);
    EXPECT_EQ(a.header.smallest, b.header.smallest);
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    int different = 0;
    for (size_t i = 0; i < a.nodes.size(); ++i) {
        const BvhNode &m = a.nodes[i], &n = b.nodes[i];
        const bool same = std::equal(m.child, m.child + 2, n.child);
        const bool leftOut = m.child[0] == leafReference(0, 0) && m.child[1] == m.child[0];
        const auto equal = [](const float* p, const float* q) { return std::equal(p, p + 4, q); };
        const bool boxes = leftOut || (equal(m.x, n.x) && equal(m.y, n.y) && equal(m.z, n.z));
        if (!same || !boxes) ++different;
    }
    EXPECT_EQ(different, 0) << "of " << a.nodes.size() << " nodes";
}

}  // namespace rayscope
