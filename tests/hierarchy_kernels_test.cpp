// The kernels that build hierarchies, run on the host, give the host's trees node for node.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <limits>

#include "tests/kernels_on_host.h"
// The kernels' text comes after what stands in for CUDA.
#include "renderer/core/intersect.h"
#include "renderer/cuda/kernels/hierarchy.cu"
#include "renderer/cuda/tree_plan.h"
#include "tests/linear_scenes.h"

namespace rayscope {
namespace {

template <Precision P, SceneLayout L>
void runBoxes(const TreeParams& p, bool walls) {
    walls ? treeBoxes<P, L, true>(p) : treeBoxes<P, L, false>(p);
}

void runBoxes(const TreeParams& p, const TreeVariant& v) {
    if (v.precision == Precision::float64) {
        v.layout == SceneLayout::aos ? runBoxes<Precision::float64, SceneLayout::aos>(p, v.walls)
                                     : runBoxes<Precision::float64, SceneLayout::soa>(p, v.walls);
    } else {
        v.layout == SceneLayout::aos ? runBoxes<Precision::float32, SceneLayout::aos>(p, v.walls)
                                     : runBoxes<Precision::float32, SceneLayout::soa>(p, v.walls);
    }
}

template <class Key>
void runKeyed(TreeStep step, const TreeParams& p, int pass) {
    if (step == TreeStep::keys) treeKeys<Key>(p);
    if (step == TreeStep::sort) treeSort<Key>(p, pass);
    if (step == TreeStep::radix) treeRadix<Key>(p);
}

void runStep(const TreeLaunch& l, const TreeParams& p, const TreeVariant& v) {
    switch (l.step) {
        case TreeStep::boxes:
            return runBoxes(p, v);
        case TreeStep::depth:
            return treeDepth(p);
        case TreeStep::children:
            return treeChildren(p);
        case TreeStep::parents:
            return treeParents(p);
        case TreeStep::fit:
            return treeFit(p);
        default:
            v.bits == MortonBits::bits30 ? runKeyed<unsigned>(l.step, p, l.pass)
                                         : runKeyed<unsigned long long>(l.step, p, l.pass);
    }
}

/// A scene's tree in memory, as on a device.
class EmulatedTree {
public:
    EmulatedTree(const Scene& scene, const TreeVariant& v, const Bvh* built = nullptr)
        : packed_(pack(scene, v)) {
        tree_.variant = v;
        tree_.spheres = static_cast<int>(scene.spheres.size());
        tree_.padded = (tree_.spheres + kPadding - 1) / kPadding * kPadding;
        tree_.spheresBytes = packed_.size();
        outside_ = outsideTree(boxesOf(scene));
        tree_.outside = outside_;
        tree_.nodes = built != nullptr
                          ? built->header.nodes
                          : linearNodes(tree_.spheres - static_cast<int>(outside_.size()));
        packed_.resize(sceneBytes(tree_), 0xcd);
        tree_.scene = packed_.data();
        memory_.resize(treeMemory(tree_).bytes, 0xcd);
        if (built == nullptr) return;
        const TreeParams p = params();
        *p.header = built->header;
        std::copy(built->list.begin(), built->list.end(), p.list);
        std::copy(built->nodes.begin(), built->nodes.end(), p.tree);
        run(adoptLaunches(tree_), 0);
    }

    void build(unsigned seed) { run(buildLaunches(tree_), seed); }
    void refit(unsigned seed) { run(refitLaunches(tree_), seed); }
    /// Other spheres, as many.
    void move(const Scene& scene) {
        const PackedScene moved = pack(scene, tree_.variant);
        std::copy(moved.begin(), moved.end(), packed_.begin());
    }

    Bvh bvh() {
        const TreeParams p = params();
        Bvh bvh;
        bvh.header = *p.header;
        bvh.list.assign(p.list, p.list + tree_.spheres);
        bvh.nodes.assign(p.tree, p.tree + tree_.nodes);
        return bvh;
    }
    std::vector<NodeBox> boxes() {
        const TreeParams p = params();
        return {p.boxes, p.boxes + tree_.spheres};
    }
    const std::vector<int>& outside() const { return outside_; }

private:
    static PackedScene pack(const Scene& scene, const TreeVariant& v) {
        return v.precision == Precision::float64 ? packScene<double>(scene, v.layout)
                                                 : packScene<float>(scene, v.layout);
    }
    TreeParams params() { return treeParams(tree_, memory_.data()); }

    void run(const std::vector<TreeLaunch>& launches, unsigned seed) {
        std::fill_n(memory_.begin(), treeMemory(tree_).zeros, 0);
        const TreeParams p = params();
        for (const TreeLaunch& l : launches) {
            launchOnHost(l.blocks, kTreeThreads, seed, [&] { runStep(l, p, tree_.variant); });
        }
    }

    PackedScene packed_, memory_;
    std::vector<int> outside_;
    DeviceTree tree_;
};

bool hasWalls(const Scene& scene) {
    return (traitsOf(scene).features & kWalls) != 0;
}

/// ThreadSanitizer does not follow threads that take turns on their own stacks.
class HierarchyKernels : public testing::Test {
protected:
    void SetUp() override {
#ifdef __SANITIZE_THREAD__
        GTEST_SKIP() << "not under ThreadSanitizer";
#endif
    }
};

TEST_F(HierarchyKernels, BuildTheHostsTreeNodeForNode) {
    unsigned seed = 1;
    for (const Scene& scene : scenesForTrees()) {
        SCOPED_TRACE(scene.name + " of " + std::to_string(scene.spheres.size()));
        const MortonBits bits = seed % 2 ? MortonBits::bits30 : MortonBits::bits60;
        const TreeVariant v{seed % 3 ? Precision::float32 : Precision::float64,
                            seed % 4 < 2 ? SceneLayout::aos : SceneLayout::soa, hasWalls(scene),
                            bits};
        EmulatedTree tree(scene, v);
        tree.build(++seed);
        const std::vector<NodeBox> boxes = tree.boxes();
        const Bvh bvh = tree.bvh();
        expectSoundTree(bvh, boxes);
        expectSameTree(bvh, buildLinearBvh(boxes, tree.outside(), bits));
        if (HasFailure()) return;
    }
}

/// Those of the scene, but for the rounding of what a kernel reads.
TEST_F(HierarchyKernels, BoxesContainTheSpheres) {
    for (const char* name : {"weekend", "cornell", "field-1000"}) {
        const Scene scene = *findScene(name);
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            for (const SceneLayout layout : {SceneLayout::aos, SceneLayout::soa}) {
                EmulatedTree tree(scene, {precision, layout, hasWalls(scene), {}});
                tree.build(1);
                const std::vector<NodeBox> boxes = tree.boxes();
                for (size_t i = 0; i < boxes.size(); ++i) {
                    const int number = static_cast<int>(i);
                    if (std::count(tree.outside().begin(), tree.outside().end(), number)) continue;
                    const Sphere& s = scene.spheres[i];
                    const double size = std::max({std::abs(s.center.x), std::abs(s.center.y),
                                                  std::abs(s.center.z), s.radius});
                    const double slack = precision == Precision::float32 ? 4e-7 * size : 0;
                    EXPECT_LE(boxes[i].low.x, s.center.x - s.radius + slack);
                    EXPECT_GE(boxes[i].high.y, s.center.y + s.radius - slack);
                    EXPECT_NEAR(boxes[i].low.z, s.center.z - s.radius, 1e-6 * size + 1e-37);
                    EXPECT_NEAR(boxes[i].radius, s.radius, 1e-6 * s.radius);
                }
            }
        }
    }
}

TEST_F(HierarchyKernels, FitBoxesToSpheresThatHaveMoved) {
    Scene scene = *findScene("field-1000");
    const Bvh built = buildBvh(boxesOf(scene));
    EmulatedTree ours(scene, {}), host(scene, {}, &built);
    ours.build(1);
    for (unsigned step = 1; step < 4; ++step) {
        for (size_t i = 1; i < scene.spheres.size(); ++i)
            scene.spheres[i].center += glm::dvec3(i % 7, i % 5, i % 3) * .01;
        for (EmulatedTree* tree : {&ours, &host}) {
            tree->move(scene);
            tree->refit(step);
            expectSoundTree(tree->bvh(), tree->boxes());
        }
    }
    Bvh expected = built;
    refit(expected, host.boxes());
    expectSameTree(host.bvh(), expected);
}

/// What has no place is a point at the origin: no box has a coordinate that is none.
TEST_F(HierarchyKernels, SpheresWithoutAPlaceAreNoHarm) {
    Scene scene = cloudOf(300, 1);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e30, -1e9}) {
        scene.spheres[7].center.x = scene.spheres[100].center.z = bad;
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            EmulatedTree tree(scene, {.precision = precision});
            tree.build(1);
            const std::vector<NodeBox> boxes = tree.boxes();
            const Bvh bvh = tree.bvh();
            expectSoundTree(bvh, boxes);
            EXPECT_LT(bvh.header.reach, 10);
            for (const BvhNode& node : bvh.nodes) {
                if (node.child[0] == leafReference(0, 0)) continue;
                for (const float* axis : {node.x, node.y, node.z}) {
                    for (int i = 0; i < 4; ++i) EXPECT_LT(std::abs(axis[i]), 10);
                }
            }
        }
    }
}

}  // namespace
}  // namespace rayscope

#else

TEST(HierarchyKernels, BuildTheHostsTreeNodeForNode) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
