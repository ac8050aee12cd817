// Hierarchies by Morton codes: the host's builder, against Karras' definitions tried naively.

#include "renderer/scene/linear_bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/linear_scenes.h"

namespace rayscope {
namespace {

constexpr MortonBits kBits[] = {MortonBits::bits30, MortonBits::bits60};

TEST(LinearBvh, EverySphereIsInOneLeafOrOutside) {
    for (const Scene& scene : scenesForTrees()) {
        SCOPED_TRACE(scene.name + " of " + std::to_string(scene.spheres.size()));
        const std::vector<Box> boxes = boxesOf(scene);
        const std::vector<NodeBox> nodes = nodeBoxes(boxes);
        const std::vector<int> outside = outsideTree(boxes);
        for (const MortonBits bits : kBits) {
            for (int leaf = 1; leaf <= kMaxLeafSpheres; ++leaf) {
                const Bvh bvh = buildLinearBvh(nodes, outside, bits, leaf);
                expectSoundTree(bvh, nodes);
                if (HasFailure()) return;
            }
        }
    }
}

/// Whatever threads are there, and when they come back.
TEST(Bvh, AnyNumberOfThreadsBuildsTheSameTree) {
    for (const char* name : {"field-100000", "terrain-100000"}) {
        const std::vector<Box> boxes = boxesOf(*findScene(name));
        const Bvh alone = buildBvh(boxes, beforeFirstEnclosing, 1);
        for (const int threads : {2, 3, 8, 0})
            expectSameTree(alone, buildBvh(boxes, beforeFirstEnclosing, threads));
    }
}

/// All sorted by size, as buildBvh() does.
TEST(LinearBvh, TheSameSpheresStayOutside) {
    int outside = 0;
    for (const Scene& scene : scenesForTrees()) {
        const std::vector<Box> boxes = boxesOf(scene);
        const Bvh bvh = buildBvh(boxes);
        const auto end = bvh.list.begin() + bvh.header.outside;
        EXPECT_EQ(outsideTree(boxes), std::vector<int>(bvh.list.begin(), end)) << scene.name;
        EXPECT_EQ(outsideTree(scene), outsideTree(boxes)) << scene.name;
        outside += bvh.header.outside;
    }
    EXPECT_GT(outside, 10);
    Scene scene = *findScene("terrain-200000");  // several threads look for them
    for (int i = 0; i < 3; ++i) scene.spheres.push_back({{0, -1e3 * i, 0}, 1e3, {}});
    EXPECT_EQ(outsideTree(scene), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(outsideTree(scene), outsideTree(boxesOf(scene)));
}

TEST(LinearBvh, WithoutGapsItHasTheSameLeaves) {
    for (const Scene& scene : scenesForTrees()) {
        const Bvh bvh = buildLinearBvh(boxesOf(scene));
        const Bvh dense = withoutGaps(bvh);
        SCOPED_TRACE(scene.name);
        const TreeWalk walk = expectSoundTree(dense, nodeBoxes(boxesOf(scene)));
        EXPECT_EQ(walk.nodes, dense.header.nodes) << "each is reached";
        EXPECT_EQ(dense.list, bvh.list);
        EXPECT_EQ(bvh.nodes.empty() ? 0 : differencesBelow(dense, 0, bvh, 0), 0);
        for (int i = 0; i < dense.header.nodes; ++i) {
            for (const int child : dense.nodes[i].child) EXPECT_TRUE(child < 0 || child > i);
        }
    }
}

/// The tree over keys [first, last], each with its number as further bits, from the top down.
template <class Key>
void naiveTree(const std::vector<Key>& keys, int first, int last, int node, int parent,
               std::vector<RadixNode>& tree) {
    const auto shared = [&](int i, int j) {
        for (int bit = 8 * sizeof(Key) - 1; bit >= 0; --bit) {
            if ((keys[i] ^ keys[j]) >> bit & 1) return static_cast<int>(8 * sizeof(Key)) - 1 - bit;
        }
        for (int bit = 31; bit >= 0; --bit) {
            if ((i ^ j) >> bit & 1) return static_cast<int>(8 * sizeof(Key)) + 31 - bit;
        }
        return 999;
    };
    int split = first;
    while (shared(first, split + 1) > shared(first, last)) ++split;
    tree[node] = {first, last, split, parent};
    if (split > first) naiveTree(keys, first, split, split, 2 * node, tree);
    if (last > split + 1) naiveTree(keys, split + 1, last, split + 1, 2 * node + 1, tree);
}

template <class Key>
void expectNaiveTree(std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end());
    const int count = static_cast<int>(keys.size());
    std::vector<RadixNode> expected(count - 1);
    naiveTree(keys, 0, count - 1, 0, kNoParent, expected);
    for (int i = 0; i + 1 < count; ++i) {
        const RadixNode node = radixNode(keys.data(), count, i);
        ASSERT_EQ(node.first, expected[i].first) << i << " of " << count;
        ASSERT_EQ(node.last, expected[i].last) << i << " of " << count;
        ASSERT_EQ(node.split, expected[i].split) << i << " of " << count;
    }
}

TEST(LinearBvh, NodesAreThoseOfTheRadixTree) {
    std::mt19937_64 random(1);
    for (int count = 2; count < 200; ++count) {
        std::vector<unsigned> few(count);
        std::vector<unsigned long long> many(count);
        for (int i = 0; i < count; ++i) {
            few[i] = random() % (1u << (1 + count % 30));  // down to all keys being equal
            many[i] = random() >> (4 + count % 60);
        }
        expectNaiveTree(few);
        expectNaiveTree(many);
        if (HasFailure()) return;
    }
}

/// Bit by bit.
template <class Key>
Key naiveCode(const std::array<unsigned, 3>& cell) {
    Key code = 0;
    for (int bit = kMortonBits<Key> / 3 - 1; bit >= 0; --bit) {
        for (const unsigned c : cell) code = code << 1 | (c >> bit & 1);
    }
    return code;
}

TEST(LinearBvh, CodesInterleaveTheCellsOfACube) {
    const MortonCube cube = mortonCube({-1, 2, 0}, {3, 4, 1});
    EXPECT_EQ(cube.perUnit, .25f) << "the longest side";
    EXPECT_EQ(mortonCode<unsigned>({-1, 2, 0}, cube), 0u);
    std::mt19937 random(2);
    for (int i = 0; i < 1000; ++i) {
        const auto cell = [&](unsigned cells) { return static_cast<unsigned>(random() % cells); };
        std::array<unsigned, 3> few{cell(1024), cell(512), cell(256)};
        std::array<unsigned, 3> many{cell(1 << 20), cell(1 << 19), cell(1 << 18)};
        const auto point = [&](const std::array<unsigned, 3>& c, float side) {
            return Vec3<float>{-1 + (c[0] + .5f) * side, 2 + (c[1] + .5f) * side,
                               (c[2] + .5f) * side};
        };
        EXPECT_EQ(mortonCode<unsigned>(point(few, 4.f / 1024), cube), naiveCode<unsigned>(few));
        if (many[0] > 1 << 18) continue;  // where a float still resolves half a cell
        const Vec3<float> at{(many[0] + .5f) / (1 << 20), (many[1] + .5f) / (1 << 20),
                             (many[2] + .5f) / (1 << 20)};
        EXPECT_EQ(mortonCode<unsigned long long>(at, {{0, 0, 0}, 1}),
                  naiveCode<unsigned long long>(many));
    }
    EXPECT_EQ(mortonCode<unsigned>({3, 2, 0}, cube), naiveCode<unsigned>({1023, 0, 0}));
    EXPECT_EQ(mortonCube({1, 1, 1}, {1, 1, 1}).perUnit, 0);
}

/// Where keys share many bits, splitting by bits alone would exceed the stack of a walk.
TEST(LinearBvh, TreesAreNoDeeperThanTheStackOfAWalk) {
    for (const MortonBits bits : kBits) {
        for (const int inCorner : {100, 500, 100'000}) {
            const int octaves = bits == MortonBits::bits30 ? 10 : 20;
            const std::vector<NodeBox> boxes = nodeBoxes(boxesOf(chainOf(octaves, inCorner)));
            const TreeWalk walk = expectSoundTree(buildLinearBvh(boxes, {}, bits), boxes);
            EXPECT_EQ(walk.levels, kBvhLevels);
        }
    }
}

/// Only what is below a node that is too deep changes.
TEST(LinearBvh, BalancingKeepsTheRestOfTheTree) {
    std::vector<unsigned> keys;
    for (int bit = 29; bit >= 0; --bit) keys.push_back(1u << bit);  // a chain of 29 nodes
    keys.insert(keys.end(), 500, 0u);
    std::sort(keys.begin(), keys.end());
    const int count = static_cast<int>(keys.size());
    std::vector<RadixNode> tree(count - 1);
    naiveTree(keys, 0, count - 1, 0, kNoParent, tree);
    std::set<int> changed;
    for (int i = 0; i + 1 < count; ++i) {
        const RadixNode node = balancedNode(tree.data(), i, kMaxLeafSpheres);
        if (node.split != tree[i].split || node.first != tree[i].first || node.last != tree[i].last)
            changed.insert(i);
    }
    ASSERT_FALSE(changed.empty());
    EXPECT_EQ(changed.count(0), 0u) << "the root has levels enough";
    // 500 equal keys take seven levels of leaves of four; so the chain is cut at level 25
    int uppermost = 0;
    for (const int i : changed) uppermost = std::max(uppermost, keysOf(tree[i]));
    EXPECT_EQ(uppermost, 500 + 30 - 25);
    for (const int i : changed) EXPECT_GE(levelOf(tree.data(), i), 25);
}

TEST(LinearBvh, RefittedWithoutMovingItIsTheSame) {
    for (const Scene& scene : scenesForTrees()) {
        SCOPED_TRACE(scene.name);
        const std::vector<Box> boxes = boxesOf(scene);
        const std::vector<NodeBox> nodes = nodeBoxes(boxes);
        for (const Bvh& bvh : {buildBvh(boxes), buildLinearBvh(boxes)}) {
            Bvh same = bvh;
            refit(same, nodes);
            expectSameTree(same, bvh);
        }
    }
}

TEST(LinearBvh, RefittedItContainsSpheresThatHaveMoved) {
    Scene scene = *findScene("field-5000");
    const std::vector<Box> before = boxesOf(scene);
    std::mt19937 random(3);
    for (size_t i = 1; i < scene.spheres.size(); ++i) {
        scene.spheres[i].center += glm::dvec3(random() % 100, random() % 100, random() % 100) * .01;
        scene.spheres[i].radius *= i % 2 == 0 ? .5 : 2;
    }
    const std::vector<Box> after = boxesOf(scene);
    for (Bvh bvh : {buildBvh(before), buildLinearBvh(before)}) {
        refit(bvh, nodeBoxes(after));
        expectSoundTree(bvh, nodeBoxes(after));
        EXPECT_EQ(bvh.header.reach, buildLinearBvh(after).header.reach);
        EXPECT_EQ(bvh.header.smallest, buildLinearBvh(after).header.smallest);
    }
}

/// As a simulation may make them: no box has a coordinate that is none, or is far away.
TEST(LinearBvh, SpheresWithoutAPlaceAreNoHarm) {
    Scene scene = cloudOf(300, 1);
    for (const double bad : {std::nan(""), HUGE_VAL, 1e30, -1e9}) {
        scene.spheres[7].center.x = scene.spheres[100].center.z = bad;
        const std::vector<NodeBox> boxes = nodeBoxes(boxesOf(scene));
        for (const MortonBits bits : kBits) {
            const Bvh bvh = buildLinearBvh(boxes, {}, bits);
            expectSoundTree(bvh, boxes);
            EXPECT_LT(bvh.header.reach, 10);
        }
        std::vector<int> all = buildBvh(boxesOf(scene)).list;
        std::ranges::sort(all);
        std::vector<int> expected(scene.spheres.size());
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(all, expected);
    }
}

/// Of a scene whose spheres move by themselves.
TEST(LinearBvh, EveryHierarchyFollowsItsSpheres) {
    Scene scene = *findScene("field-1000");
    EditedBvh edited;
    EXPECT_EQ(edited.buildMs(Hierarchy::lbvh), -1);
    for (const Hierarchy how :
         {Hierarchy::sah, Hierarchy::lbvh, Hierarchy::lbvh60, Hierarchy::refit}) {
        edited.of(scene, how);
        EXPECT_GT(edited.buildMs(how), 0);
    }
    const Bvh before = edited.of(scene, Hierarchy::refit);
    expectSameTree(before, edited.of(scene, Hierarchy::sah));
    for (size_t i = 1; i < scene.spheres.size(); ++i)
        scene.spheres[i].center += glm::dvec3(i % 7, i % 5, i % 3) * .05;
    edited.follow();
    const std::vector<Box> boxes = boxesOf(scene);
    expectSameTree(edited.of(scene, Hierarchy::sah), buildBvh(boxes));
    expectSameTree(edited.of(scene, Hierarchy::lbvh), buildLinearBvh(boxes));
    expectSameTree(edited.of(scene, Hierarchy::lbvh60), buildLinearBvh(boxes, MortonBits::bits60));
    const Bvh fitted = edited.of(scene, Hierarchy::refit);
    expectSoundTree(fitted, nodeBoxes(boxes));
    EXPECT_EQ(fitted.list, before.list);
    EXPECT_TRUE(
        std::equal(fitted.nodes[0].child, fitted.nodes[0].child + 2, before.nodes[0].child));
    EXPECT_FALSE(std::equal(fitted.nodes[0].x, fitted.nodes[0].x + 4, before.nodes[0].x));
}

}  // namespace
}  // namespace rayscope
