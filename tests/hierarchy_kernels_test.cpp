// The kernels that build hierarchies, run on the host, give the host's trees node for node.

#include <gtest/gtest.h>

#ifdef RAYSCOPE_CUDA

#include <cstring>
#include <limits>

#include "tests/kernels_on_host.h"
// The kernels' text comes after what stands in for CUDA.
#include "renderer/core/intersect.h"
#include "renderer/cuda/kernels/hierarchy.cu"
#include "renderer/cuda/kernels/top_nodes.h"
#include "renderer/cuda/tree_plan.h"
#include "renderer/scene/pack_meshes.h"
#include "renderer/scene/sky.h"
#include "tests/linear_scenes.h"
#include "tests/mesh_rays.h"

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

template <class Real>
void runList(const TreeParams& p, const TrianglePacking& t) {
    switch (formOf(t)) {
        case ListForm::unrolled:
            return treeList<Real, ListForm::unrolled>(p);
        case ListForm::indexed:
            return treeList<Real, ListForm::indexed>(p);
        case ListForm::soa:
            return treeList<Real, ListForm::soa>(p);
        case ListForm::half:
            return treeList<Real, ListForm::half>(p);
        case ListForm::transformed:
            return treeList<Real, ListForm::transformed>(p);
    }
}

template <class Key>
void runKeyed(TreeStep step, const TreeParams& p, int pass) {
    if (step == TreeStep::keys) treeKeys<Key>(p);
    if (step == TreeStep::sort) treeSort<Key>(p, pass);
    if (step == TreeStep::radix) treeRadix<Key>(p);
    if (step == TreeStep::clusters) treeClusters<Key>(p);
}

void runStep(const TreeLaunch& l, const TreeParams& p, const TreeVariant& v) {
    const bool twice = v.precision == Precision::float64;
    switch (l.step) {
        case TreeStep::boxes:
            return runBoxes(p, v);
        case TreeStep::triangles:
            return twice ? treeTriangles<double>(p) : treeTriangles<float>(p);
        case TreeStep::list:
            return twice ? runList<double>(p, v.triangles) : runList<float>(p, v.triangles);
        case TreeStep::depth:
            return treeDepth(p);
        case TreeStep::ranks:
            return treeRanks(p);
        case TreeStep::children:
            return treeChildren(p);
        case TreeStep::parents:
            return treeParents(p);
        case TreeStep::fit:
            return treeFit(p);
        case TreeStep::nodes:
            return treeNodes(p);
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

/// A scene of triangles that is packed as for a device, which then builds its tree.
class EmulatedMesh {
public:
    EmulatedMesh(const Scene& scene, const TreeVariant& v, unsigned seed) : scene_(scene) {
        TrianglePacking packing = v.triangles;
        packing.treeOnDevice = true;
        packed_ =
            v.precision == Precision::float64 ? pack<double>(v, packing) : pack<float>(v, packing);
        tree_.variant = v;
        tree_.spheres = static_cast<int>(scene.spheres.size());
        tree_.padded = paddedCount(scene);
        tree_.spheresBytes =
            size_t{1} * tree_.padded *
            (v.precision == Precision::float64 ? sphereBytes<double>(v.layout, v.walls)
                                               : sphereBytes<float>(v.layout, v.walls));
        tree_.triangles = triangleCount(scene);
        outside_ = outsideTree(boxesOf(scene));
        tree_.outside = outside_;
        std::memcpy(&header_, packed_.data() + tree_.spheresBytes, sizeof header_);
        tree_.mesh = &header_;
        std::optional<int> nodes = count(seed);
        tooDeep = !nodes;
        if (tooDeep) {
            tree_.variant.clusters = false;
            nodes = count(seed);
        }
        tree_.nodes = *nodes;
        run(writeLaunches(tree_), seed + 1);
    }
    bool tooDeep = false;

    const PackedScene& packed() const { return packed_; }
    Bvh bvh() {
        const TreeParams p = params();
        Bvh bvh;
        bvh.header = *p.header;
        bvh.list.assign(p.order, p.order + p.shapes);
        bvh.nodes.assign(p.tree, p.tree + p.nodes);
        return bvh;
    }
    std::vector<NodeBox> boxes() {
        const TreeParams p = params();
        return {p.boxes, p.boxes + p.shapes};
    }
    const std::vector<int>& outside() const { return outside_; }

private:
    template <class Real>
    PackedScene pack(const TreeVariant& v, const TrianglePacking& packing) const {
        return packScene<Real>(scene_, v.layout, Accel::brute, nullptr, Hierarchy::lbvh, packing);
    }
    TreeParams params() { return treeParams(tree_, memory_.data()); }
    std::optional<int> count(unsigned seed) {
        memory_.resize(treeMemory(tree_).bytes, 0xcd);
        std::fill_n(memory_.begin(), treeMemory(tree_).zeros, 0);
        run(countLaunches(tree_), seed);
        return countedNodes(tree_, *params().facts);
    }
    void run(const std::vector<TreeLaunch>& launches, unsigned seed) {
        packed_.resize(sceneBytes(tree_), 0xcd);
        tree_.scene = packed_.data();
        const TreeParams p = params();
        for (const TreeLaunch& l : launches)
            launchOnHost(l.blocks, kTreeThreads, seed, [&] { runStep(l, p, tree_.variant); });
    }

    const Scene& scene_;
    PackedScene packed_, memory_;
    MeshHeader header_{};
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

TEST_F(HierarchyKernels, BuildTheHostsTreeNodeForNode_long) {
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

/// One triangle for each of a scene's spheres, with its centre.
Scene ofTriangles(const Scene& spheres) {
    Mesh mesh;
    mesh.materials = {materialOfKind(MaterialKind::lambert, .8)};
    for (const Sphere& s : spheres.spheres) {
        const int first = static_cast<int>(mesh.corners.size());
        for (const glm::dvec3& d : {glm::dvec3(-1, -1, 0), {1, -1, 1}, {0, 1, -1}})
            mesh.corners.emplace_back(s.center + d * s.radius);
        mesh.faces.push_back({{first, first + 1, first + 2}, 0});
    }
    return sceneOf(std::move(mesh));
}

/// Each more than twice as far from a corner as the one before, so that it is nearer to all of
/// those together than to the next: clusters grow by one triangle at a time.
Scene ofFartherAndFartherTriangles(int count) {
    std::vector<Sphere> spheres;
    for (int i = 0; i < count; ++i) {
        const double at = 1e-12 * std::pow(2.2, i);
        spheres.push_back({{at, at, at}, .001 * at, {}});
    }
    return ofTriangles(sceneOfSpheres("farther and farther", std::move(spheres)));
}

std::vector<Scene> scenesOfTriangles() {
    std::vector<Scene> scenes;
    for (const int count : {1, 2, 4, 5, 9, 100}) scenes.push_back(ofTriangles(cloudOf(count, 1)));
    scenes.push_back(
        ofTriangles(sceneOfSpheres("one place", std::vector<Sphere>(700, {{1, 2, 3}, 1, {}}))));
    scenes.push_back(ofTriangles(chainOf(20, 600)));
    scenes.push_back(ofFartherAndFartherTriangles(80));
    for (const int triangles : {60, 1500}) scenes.push_back(soup(triangles, 5));
    Scene spheres = cloudOf(50, 3);
    spheres.meshes = scenes[0].meshes;
    scenes.push_back(spheres);
    spheres.meshes.clear();  // packed as with triangles
    spheres.sky = skyOf(
        std::make_shared<const RadiancePicture>(RadiancePicture{2, 1, std::vector<float>(6, 1.f)}));
    scenes.push_back(spheres);
    scenes.push_back(*findScene("city-1000"));
    scenes.push_back(*findScene("cornell-box"));
    return scenes;
}

TEST_F(HierarchyKernels, BuildTheHostsTreeOverTriangles_long) {
    unsigned seed = 1;
    for (const Scene& scene : scenesOfTriangles()) {
        SCOPED_TRACE(scene.name + " of " + std::to_string(shapeCount(scene)));
        for (const MortonBits bits : {MortonBits::bits30, MortonBits::bits60}) {
            const TreeVariant v{seed % 3 ? Precision::float32 : Precision::float64,
                                SceneLayout::aos, false, bits};
            EmulatedMesh mesh(scene, v, ++seed);
            const std::vector<NodeBox> boxes = mesh.boxes();
            const Bvh bvh = mesh.bvh();
            expectSoundTree(bvh, boxes);
            expectSameLeaves(bvh, withoutGaps(buildLinearBvh(boxes, mesh.outside(), bits)));
        }
        if (HasFailure()) return;
    }
}

TEST_F(HierarchyKernels, MergeClustersOfTriangles_long) {
    unsigned seed = 1;
    int tooDeep = 0;
    for (const Scene& scene : scenesOfTriangles()) {
        SCOPED_TRACE(scene.name + " of " + std::to_string(shapeCount(scene)));
        for (const MortonBits bits : {MortonBits::bits30, MortonBits::bits60}) {
            TreeVariant v{seed % 3 ? Precision::float32 : Precision::float64, SceneLayout::aos,
                          false, bits};
            v.clusters = true;
            EmulatedMesh mesh(scene, v, ++seed);
            const Bvh bvh = mesh.bvh();
            const TreeWalk walk = expectSoundTree(bvh, mesh.boxes());
            EXPECT_EQ(walk.nodes, bvh.header.nodes);
            tooDeep += mesh.tooDeep;
        }
        if (HasFailure()) return;
    }
    const Scene scene = soup(1000, 3);  // whatever comes first
    const TreeVariant v{.clusters = true};
    expectSameTree(EmulatedMesh(scene, v, 1).bvh(), EmulatedMesh(scene, v, 2).bvh());
    EXPECT_GT(tooDeep, 0) << "one is built as a linear one";
}

TEST_F(HierarchyKernels, ClustersCostLessThanMortonCodes_long) {
    for (const char* name : {"city-5000", "terrain-5000"}) {
        const Scene scene = *findScene(name);
        TreeVariant v;
        v.bits = MortonBits::bits60;
        const Bvh linear = EmulatedMesh(scene, v, 1).bvh();
        v.clusters = true;
        EmulatedMesh mesh(scene, v, 1);
        const Bvh clusters = mesh.bvh(), sah = buildBvh(boxesOf(scene));
        EXPECT_LT(costOf(clusters), .97 * costOf(linear)) << name;
        EXPECT_LT(costOf(clusters), 1.12 * costOf(sah)) << name;
    }
}

template <class Real>
constexpr TreeVariant variantOf(const TrianglePacking& triangles) {
    return {sizeof(Real) == 4 ? Precision::float32 : Precision::float64, SceneLayout::aos, false,
            MortonBits::bits60, triangles};
}

template <class Real, VertexLayout Layout>
void expectHitsOfBrute(const Scene& scene, unsigned seed, bool clusters = false) {
    TreeVariant v = variantOf<Real>({TriangleTest::watertight, Layout});
    v.clusters = clusters;
    EmulatedMesh mesh(scene, v, seed);
    const Traced<Real, Accel::bvh, Layout> tree(scene, mesh.packed()), brute(scene, Accel::brute);
    expectSameHits(brute, tree, *scene.meshes[0].mesh, 1500, seed);
}

TEST_F(HierarchyKernels, RaysHitTheTrianglesThatTheyHitAmongAll) {
    for (const Scene& scene : {soup(800, 8), *findScene("city-1000")}) {
        expectHitsOfBrute<float, VertexLayout::unrolled>(scene, 1);
        expectHitsOfBrute<float, VertexLayout::indexed>(scene, 2);
        expectHitsOfBrute<float, VertexLayout::soa>(scene, 3);
        expectHitsOfBrute<double, VertexLayout::unrolled>(scene, 4);
        expectHitsOfBrute<float, VertexLayout::unrolled>(scene, 5, true);
        expectHitsOfBrute<float, VertexLayout::soa>(scene, 6, true);
    }
}

constexpr Variant topVariant(Accel accel, unsigned features) {
    Variant v = meshVariant(Precision::float32, accel);
    v.nodeMemory = NodeMemory::shared;
    v.traits.features |= features;
    return v;
}

template <Variant V, class Node>
void expectCopies(const Node* nodes, int count) {
    const Node* const copies = TopNodes<Node>::nodes();
    // every child that is copied is the node that it stands for
    std::vector<std::pair<int, int>> same{{0, 0}};
    for (std::size_t k = 0; k < same.size(); ++k) {
        const auto [copy, node] = same[k];
        ASSERT_LT(copy, TopNodes<Node>::kMost);
        const auto follow = [&](int in, int of) {
            if (in == of) return;
            ASSERT_TRUE(TopNodes<Node>::has(in));
            same.emplace_back(in & (TopNodes<Node>::kMark - 1), of);
        };
        if constexpr (std::is_same_v<Node, CompressedNode>) {
            const int first = copies[copy].firstNode, of = nodes[node].firstNode;
            for (int c = 0; c < __popc(nodes[node].exponents >> 24); ++c) follow(first + c, of + c);
        } else {
            for (std::size_t c = 0; c < std::size(nodes[node].child); ++c)
                follow(copies[copy].child[c], nodes[node].child[c]);
        }
    }
    const int most = std::min(count, TopNodes<Node>::kMost);
    EXPECT_LE(static_cast<int>(same.size()), most);
    const int gap = std::is_same_v<Node, CompressedNode> ? kCompressedChildren : 1;
    EXPECT_GT(static_cast<int>(same.size()), most - gap);
}

/// A block copies the top of a tree, and rays that walk it hit what they hit among all shapes.
template <Variant V>
void expectHitsByCopies(const Scene& scene, int threads, unsigned seed) {
    const TracedBy<float, V> tree(scene, packScene<float>(scene, SceneLayout::aos, V.accel, nullptr,
                                                          Hierarchy::sah, trianglePacking(V)));
    LaunchParams<float> p{};
    p.scene = tree.view().bytes;
    p.params = tree.view().params;
    launchOnHost(1, threads, seed, [&] { copyTopNodes<V>(p); });
    const auto nodes = meshTree<V.triangle>(tree.view());
    if constexpr (V.accel == Accel::bvh8)
        expectCopies<V>(reinterpret_cast<const CompressedNode*>(nodes.nodes), nodes.head().nodes);
    else
        expectCopies<V>(reinterpret_cast<const BvhNode*>(nodes.nodes), nodes.head().nodes);
    expectSameHits(Traced<float>(scene, Accel::brute), tree, *scene.meshes[0].mesh, 4000, seed);
}

TEST_F(HierarchyKernels, CopyTheTopOfATree) {
    for (const int triangles : {3, 100, 3000}) {
        const Scene scene = soup(triangles, 61);
        expectHitsByCopies<topVariant(Accel::bvh, 0)>(scene, 128, 62);
        expectHitsByCopies<topVariant(Accel::bvh8, 0)>(scene, 128, 63);
    }
}

/// What a packed scene has of its list: the list, and the numbers where they are apart.
template <class Real>
std::vector<unsigned char> listIn(const PackedScene& packed, const Scene& scene,
                                  const TrianglePacking& t) {
    const std::size_t entries[] = {sizeof(ListedShape<Real>), sizeof(IndexedShape),
                                   9 * sizeof(Real), sizeof(HalfShape),
                                   sizeof(TransformedTriangle<Real>)};
    const ListForm form = formOf(t);
    const std::size_t entry = entries[static_cast<int>(form)];
    const auto* const start =
        packed.data() + size_t{1} * paddedCount(scene) * sphereBytes<Real>(SceneLayout::aos, false);
    const auto* const header = reinterpret_cast<const MeshHeader*>(start);
    const unsigned char* const list = start + size_t{16} * header->listed;
    std::vector<unsigned char> bytes(list, list + shapeCount(scene) * entry);
    const unsigned char* const numbers = start + size_t{16} * header->numbers;
    if (form == ListForm::transformed || form == ListForm::soa)
        bytes.insert(bytes.end(), numbers, numbers + shapeCount(scene) * sizeof(ShapeId));
    return bytes;
}

template <class Real>
void expectTheHostsList(const Scene& scene, const TrianglePacking& packing) {
    EmulatedMesh mesh(scene, variantOf<Real>(packing), 1);
    const PackedScene host =
        packScene<Real>(scene, SceneLayout::aos, Accel::bvh, nullptr, Hierarchy::lbvh60, packing);
    EXPECT_EQ(listIn<Real>(mesh.packed(), scene, packing), listIn<Real>(host, scene, packing))
        << static_cast<int>(packing.test) << ' ' << static_cast<int>(packing.layout);
}

TEST_F(HierarchyKernels, WriteTheListAsTheHostDoes) {
    Scene scene = soup(300, 6);
    for (const TrianglePacking& packing : {TrianglePacking{},
                                           {{}, VertexLayout::indexed},
                                           {{}, VertexLayout::soa},
                                           {{}, {}, false, VertexPrecision::half},
                                           {TriangleTest::mollerTrumbore},
                                           {TriangleTest::woop}}) {
        const bool woop = packing.test == TriangleTest::woop;
        if (woop) scene.spheres.clear();  // have no matrix
        expectTheHostsList<float>(scene, packing);
        const bool padded = formOf(packing) == ListForm::unrolled;
        if (!padded) expectTheHostsList<double>(scene, packing);
    }
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

TEST(HierarchyKernels, BuildTheHostsTreeNodeForNode_long) {
    GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif
