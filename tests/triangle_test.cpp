// Compressed hierarchies, the forms that the list of triangles may have, and the tests of a
// triangle.

#include "renderer/core/triangle.h"

#include <map>

#include "renderer/backend/path_memory.h"
#include "renderer/core/pool.h"
#include "renderer/cpu/kernels/waves.cpp"
#include "renderer/scene/compressed_tree.h"
#include "renderer/scene/half_corners.h"
#include "renderer/scene/places.h"
#include "tests/mesh_rays.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

FloatBox floatBox(const Box& b) {
    return {{float(b.low.x), float(b.low.y), float(b.low.z)},
            {float(b.high.x), float(b.high.y), float(b.high.z)}};
}

/// What a walk relies on.
class CheckedCompressed {
public:
    CheckedCompressed(const Scene& scene, const CompressedTree& tree, int outside)
        : boxes_(boxesOf(scene)), tree_(tree) {
        for (int k = 0; k < outside; ++k) ++found[tree.list[k]];
        if (!tree.nodes.empty()) levels = node(0).levels;
        EXPECT_EQ(visited_, tree.nodes.size());
    }
    std::map<int, int> found;  ///< how often
    int levels = 0;

private:
    struct Below {
        Box box;
        int levels;
    };

    Below node(int index) {
        ++visited_;
        const CompressedNode& n = tree_.nodes[index];
        Below all{{glm::dvec3(1e30), glm::dvec3(-1e30)}, 0};
        const auto add = [&](const Box& box) {
            all.box = {glm::min(all.box.low, box.low), glm::max(all.box.high, box.high)};
        };
        int nodes = 0;
        for (int s = 0; s < kCompressedChildren; ++s) {
            const unsigned kind = n.kinds[s / 4] >> s % 4 * 8 & 255;
            const bool isNode = (kind & 0x18) == 0x18;
            EXPECT_EQ(n.exponents >> (24 + s) & 1, isNode ? 1u : 0u);
            if (kind == 0) continue;
            const Box box = boxOf(n, s);
            if (isNode) {
                EXPECT_EQ(kind, slotOf(s));
                const Below below = node(n.firstNode + nodes++);
                expectWithin(below.box, box);
                all.levels = std::max(all.levels, below.levels);
                add(below.box);
            } else {
                const int first = static_cast<int>(kind & 31);
                const int count = bitCount(kind >> 5);
                EXPECT_EQ(kind, shapesOf(first, count));
                EXPECT_LE(first + count, kNodeBits);
                for (int k = 0; k < count; ++k) {
                    const int shape = tree_.list[n.firstShape + first + k];
                    ++found[shape];
                    expectWithin(boxes_[shape], box);
                    add(boxes_[shape]);
                }
            }
        }
        ++all.levels;
        return all;
    }
    static Box boxOf(const CompressedNode& n, int s) {
        const auto plane = [&](float corner, int exponent, const unsigned(&words)[2]) {
            const double step =
                std::ldexp(1., static_cast<int>(n.exponents >> exponent & 255) - 127);
            return corner + step * (words[s / 4] >> s % 4 * 8 & 255);
        };
        const auto corner = [&](int high) {
            return glm::dvec3(plane(n.corner.x, 0, n.x[high]), plane(n.corner.y, 8, n.y[high]),
                              plane(n.corner.z, 16, n.z[high]));
        };
        return {corner(0), corner(1)};
    }
    static void expectWithin(const Box& inner, const Box& outer) {
        for (int a = 0; a < 3; ++a) {
            EXPECT_GE(inner.low[a], outer.low[a]);
            EXPECT_LE(inner.high[a], outer.high[a]);
        }
    }

    std::vector<Box> boxes_;
    const CompressedTree& tree_;
    std::size_t visited_ = 0;
};

void expectCompressedHolds(const Scene& scene, int moved) {
    const std::vector<Box> boxes = boxesOf(scene);
    Bvh bvh = buildBvh(boxes);
    for (int i = 0; i < moved; ++i) moveOutside(bvh, i);
    const CompressedTree tree = compressed(bvh, [&](int i) { return floatBox(boxes[i]); });
    const CheckedCompressed checked(scene, tree, bvh.header.outside);
    EXPECT_EQ(checked.found.size(), shapeCount(scene));
    for (const auto& [id, times] : checked.found) EXPECT_EQ(times, 1) << id;
    EXPECT_LE(checked.levels, kCompressedLevels);
}

TEST(Compressed, ATreeHasEachShapeOnceWithinItsBoxes) {
    forTreesOfAllSizes(expectCompressedHolds);
    expectCompressedHolds(sceneNamed("terrain-20000"), 0);
    expectCompressedHolds(sceneNamed("city-20000"), 0);
}

/// Bytes of a triangle in the hierarchy: nodes, and corners beside each other.
TEST(Compressed, ATriangleTakesLessThanSixtyBytes) {
    for (const char* name : {"terrain-100000", "city-100000"}) {
        const std::vector<Box> boxes = boxesOf(sceneNamed(name));
        const CompressedTree tree =
            compressed(buildBvh(boxes), [&](int i) { return floatBox(boxes[i]); });
        const double nodes = 1. * sizeof(CompressedNode) * tree.nodes.size() / boxes.size();
        EXPECT_LT(nodes + sizeof(ListedShape<float>), 60) << name;
        RecordProperty(name, std::to_string(nodes));
        EXPECT_GT(nodes, 4) << name;  // a full tree has less than one node for 20 triangles
    }
}

template <class Real, VertexLayout Layout>
void expectFormsAgree(const Scene& scene, int rays, unsigned seed) {
    const Traced<Real> brute(scene, Accel::brute);
    const Traced<Real, Accel::bvh, Layout> binary(scene);
    const Traced<Real, Accel::bvh8, Layout> compressed(scene);
    const Mesh& mesh = *scene.meshes[0].mesh;
    expectSameHits(brute, binary, mesh, rays / 4, seed);
    expectSameHits(brute, compressed, mesh, rays, seed + 1);
}

template <class Real>
void expectFormsAgree(const Scene& scene, int rays, unsigned seed) {
    expectFormsAgree<Real, VertexLayout::unrolled>(scene, rays, seed);
    expectFormsAgree<Real, VertexLayout::indexed>(scene, rays, seed + 2);
    expectFormsAgree<Real, VertexLayout::soa>(scene, rays, seed + 4);
}

TEST(Compressed, FindsWhatBruteForceFinds) {
    expectFormsAgree<float>(soup(300, 1), 200'000, 2);
    expectFormsAgree<double>(soup(300, 3), 60'000, 4);
    expectFormsAgree<float>(soup(3, 5), 50'000, 6);
    Scene alone = soup(300, 9);
    alone.spheres.clear();
    expectFormsAgree<float>(alone, 50'000, 10);
    Scene far = soup(200, 7);
    Mesh moved = *far.meshes[0].mesh;
    for (glm::vec3& c : moved.corners) c += glm::vec3(0, 5000, 0);
    far.spheres.clear();
    far.meshes = {placed(std::move(moved))};
    expectFormsAgree<float>(far, 50'000, 8);
}

template <Traversal Turns>
void expectTraversalAgrees(const Scene& scene, unsigned seed) {
    const Traced<float> brute(scene, Accel::brute);
    const Traced<float, Accel::bvh, VertexLayout::unrolled, Turns> binary(scene);
    const Traced<float, Accel::bvh8, VertexLayout::unrolled, Turns> compressed(scene);
    const Mesh& mesh = *scene.meshes[0].mesh;
    expectSameHits(brute, binary, mesh, 50'000, seed);
    expectSameHits(brute, compressed, mesh, 50'000, seed + 1);
}

/// With warps of one lane.
TEST(Traversal, FindsTheSameInAnyOrderOfTurns) {
    for (const int triangles : {1, 300}) {
        expectTraversalAgrees<Traversal::whileWhile>(soup(triangles, 31), 32);
        expectTraversalAgrees<Traversal::speculative>(soup(triangles, 33), 34);
    }
}

template <Traversal Turns, StackIn Where>
void expectStackAgrees(const Scene& scene, unsigned seed) {
    const Traced<float> brute(scene, Accel::brute);
    const Traced<float, Accel::bvh, VertexLayout::unrolled, Turns, 0, Where> tree(scene);
    expectSameHits(brute, tree, *scene.meshes[0].mesh, 50'000, seed);
}

TEST(Traversal, FindsTheSameWithAnyStackAndWithNone) {
    for (const int triangles : {1, 300}) {
        expectStackAgrees<Traversal::ifIf, StackIn::none>(soup(triangles, 35), 36);
        expectStackAgrees<Traversal::whileWhile, StackIn::none>(soup(triangles, 37), 38);
        expectStackAgrees<Traversal::speculative, StackIn::none>(soup(triangles, 39), 40);
        expectStackAgrees<Traversal::whileWhile, StackIn::registers>(soup(triangles, 41), 42);
    }
}

constexpr Variant halfVariant(Accel accel) {
    Variant v = meshVariant(Precision::float32, accel);
    v.vertexPrecision = VertexPrecision::half;
    return v;
}

template <Accel Tree>
void expectHitsOfRounded(const Scene& scene, Hierarchy hierarchy, unsigned seed) {
    constexpr Variant kHalf = halfVariant(Tree);
    const Scene halved = withHalfCorners(scene, halfFrame(scene));
    const Traced<float> brute(halved, Accel::brute);
    const TracedBy<float, kHalf> half(
        scene, packScene<float>(scene, SceneLayout::aos, Tree, nullptr, hierarchy,
                                trianglePacking(kHalf)));
    expectSameHits(brute, half, *halved.meshes[0].mesh, 30'000, seed);
}

TEST(HalfCorners, AreHitWhereTheRoundedSceneIs) {
    for (const int triangles : {1, 300, 2000}) {
        const Scene scene = soup(triangles, 51);
        expectHitsOfRounded<Accel::bvh>(scene, Hierarchy::sah, 52);
        expectHitsOfRounded<Accel::bvh8>(scene, Hierarchy::sah, 53);
        expectHitsOfRounded<Accel::bvh>(scene, Hierarchy::lbvh, 54);
        expectHitsOfRounded<Accel::bvh8>(scene, Hierarchy::sbvh, 55);
    }
}

/// Far from the origin, too, and of any size; the smallest coordinates become zero.
TEST(HalfCorners, AreRoundedToElevenBits) {
    for (const float size : {1e-3f, 1.f, 7e5f}) {
        for (const float from : {0.f, 3.f, -1e3f}) {
            Scene scene = soup(500, 56);
            Mesh mesh = *scene.meshes[0].mesh;
            for (glm::vec3& c : mesh.corners) c = (c + from) * size;
            scene.meshes[0] = placed(mesh);
            const HalfFrame frame = halfFrame(scene);
            const Scene halved = withHalfCorners(scene, frame);
            const std::vector<glm::vec3>& moved = halved.meshes[0].mesh->corners;
            const Vec3<float> m = frame.middle;
            const glm::vec3 middle(m.x, m.y, m.z);
            int others = 0;
            for (std::size_t i = 0; i < moved.size(); ++i) {
                for (int axis = 0; axis < 3; ++axis) {
                    const float away = std::abs(mesh.corners[i][axis] - middle[axis]);
                    const float unit = std::abs(mesh.corners[i][axis]) * 0x1p-23f;
                    const float by = std::abs(moved[i][axis] - mesh.corners[i][axis]);
                    EXPECT_LE(away, frame.scale * kMostHalf);
                    EXPECT_LE(by, std::max(away * 0x1p-11f, frame.scale * 0x1p-14f) + unit);
                    others += by > unit;
                }
            }
            EXPECT_GT(others, static_cast<int>(moved.size()));
            EXPECT_EQ(withHalfCorners(halved, frame).meshes[0].mesh->corners, moved);
        }
    }
}

/// Of a lamp in places triangles are copied before they are rounded; a place stays a place.
TEST(HalfCorners, StandInPlaces) {
    Mesh lamp = cube();
    lamp.materials = {materialOfKind(MaterialKind::lambert, .5, 9)};
    Scene scene = sceneOf(std::move(lamp));
    const Placement there({.3f, .1f, 0}, {0, .7f, .2f}, {0, 0, 1.1f}, {3.3f, 0, 1});
    scene.meshes[0].places = {there, Placement(1)};
    const Scene halved = withHalfCorners(scene, halfFrame(scene));
    EXPECT_TRUE(hasPlaces(halved));
    EXPECT_EQ(triangleCount(halved), triangleCount(scene));
    const Scene copies = flattened(halved);
    EXPECT_EQ(withHalfCorners(copies, halfFrame(scene)).meshes[0].mesh->corners,
              copies.meshes[0].mesh->corners);
    constexpr unsigned kStands = kPlaces | kWalls;
    constexpr Variant kHalf = withFeatures(halfVariant(Accel::bvh), kStands, StackIn::local);
    const Traced<float, Accel::bvh, VertexLayout::unrolled, Traversal::ifIf, kStands> whole(halved);
    const TracedBy<float, kHalf> half(
        scene, packScene<float>(scene, SceneLayout::aos, Accel::bvh, nullptr, Hierarchy::sah,
                                trianglePacking(kHalf)));
    expectSameHits(whole, half, *copies.meshes[0].mesh, 20'000, 57);
}

TEST(Compressed, IsWatertight) {
    Mesh mesh = ball(4);
    Twister random(22);
    for (glm::vec3& c : mesh.corners) c *= static_cast<float>(uniform(random, .8, 1.6));
    const Traced<float, Accel::bvh8> traced(sceneOf(mesh));
    for (int i = 0; i < 300'000; ++i) {
        const MeshRay r = meshRay(mesh, .3, random, 2 + i % 2);
        ASSERT_EQ(kindOf(traced(r.origin, r.direction).shape), ShapeKind::triangle) << i;
    }
}

/// A walk that counts what it visits.
struct CountingTree {
    const CompressedTree& tree;
    BvhHeader header;
    std::vector<int>& visited;

    BvhHeader head() const { return header; }
    CompressedNode compressed(int i) const { return tree.nodes[i]; }
    template <class Visit>
    bool visit(int k, Visit visit) const {
        visited.push_back(tree.list[k]);
        return visit(tree.list[k]);
    }
};

/// In a block of cubes, along its diagonals: from the four corners in front and those behind.
TEST(Compressed, NearChildrenComeFirst) {
    constexpr int kSide = 24;
    std::vector<Box> boxes;
    for (int i = 0; i < kSide * kSide * kSide; ++i) {
        const glm::dvec3 center(i % kSide, i / kSide % kSide, i / kSide / kSide);
        boxes.push_back({center - .4, center + .4});
    }
    Bvh bvh = buildBvh(boxes);
    const CompressedTree tree = compressed(bvh, [&](int i) { return floatBox(boxes[i]); });
    bvh.header.nodes = static_cast<int>(tree.nodes.size());
    for (int octant = 0; octant < 8; ++octant) {
        const Vec3<float> d{octant & 1 ? -1.f : 1.f, octant & 2 ? -1.f : 1.f,
                            octant & 4 ? -1.f : 1.f};
        const Vec3<float> middle = Vec3<float>{1, 1, 1} * (kSide * .5f);
        const float limit = 1e7f;
        std::vector<int> visited;
        walkCompressed<Traversal::ifIf>(CountingTree{tree, bvh.header, visited},
                                        middle - d * float{kSide}, d, limit,
                                        [](int) { return false; });
        ASSERT_GE(visited.size(), static_cast<std::size_t>(kSide));
        const auto meanDistance = [&](std::size_t begin, std::size_t end) {
            double sum = 0;
            for (std::size_t i = begin; i < end; ++i)
                sum += glm::dot(boxes[visited[i]].low, glm::dvec3(d.x, d.y, d.z));
            return sum / static_cast<double>(end - begin);
        };
        const std::size_t half = visited.size() / 2;
        EXPECT_GT(meanDistance(half, visited.size()), meanDistance(0, half) + kSide) << octant;
    }
}

constexpr TriangleTest kTests[] = {TriangleTest::watertight, TriangleTest::mollerTrumbore,
                                   TriangleTest::woop};

/// Rays whose hit differs from that of the textbook's test in double precision with all triangles.
template <class Traced>
int otherHits(const Traced& traced, const Scene& scene, int rays, bool clearly) {
    const Mesh& mesh = *scene.meshes[0].mesh;
    Twister random(12);
    int other = 0;
    for (int i = 0; i < rays; ++i) {
        const MeshRay r = meshRay(mesh, 12, random, i % 2);
        const TextbookHit textbook = textbookHit(scene, r);
        if (clearly && !textbook.clear) continue;
        if (traced(r.origin, r.direction).shape != textbook.shape) ++other;
    }
    return other;
}

TEST(Triangle, EachTestHasTheTextbooksHits) {
    const Scene scene = sceneOf(withoutSlivers(*soup(250, 11).meshes[0].mesh));
    for (const TriangleTest test : kTests) {
        const int number = static_cast<int>(test);
        const Traced<float> binary(scene, Accel::bvh, test), brute(scene, Accel::brute, test);
        const Traced<float, Accel::bvh8> compressed(scene, Accel::bvh8, test);
        EXPECT_EQ(otherHits(binary, scene, 20'000, true), 0) << number;
        EXPECT_EQ(otherHits(compressed, scene, 20'000, true), 0) << number;
        EXPECT_EQ(otherHits(brute, scene, 5'000, true), 0) << number;
        EXPECT_EQ(otherHits(Traced<double>(scene, Accel::bvh, test), scene, 5'000, true), 0);
        EXPECT_LE(otherHits(binary, scene, 20'000, false), 12) << number;
    }
}

/// What leaks: rays from inside a closed surface through its edges and corners.
int raysThatGetOut(TriangleTest test) {
    Mesh mesh = ball(4);
    Twister random(22);
    for (glm::vec3& c : mesh.corners) c *= static_cast<float>(uniform(random, .8, 1.6));
    const Scene scene = sceneOf(mesh);
    const Traced<float> traced(scene, Accel::bvh, test);
    int out = 0;
    for (int i = 0; i < 200'000; ++i) {
        const MeshRay r = meshRay(mesh, .3, random, 2 + i % 2);
        if (traced(r.origin, r.direction).shape < 0) ++out;
    }
    return out;
}

TEST(Triangle, OnlyOneTestIsWatertight) {
    EXPECT_EQ(raysThatGetOut(TriangleTest::watertight), 0);
    for (const TriangleTest leaky : {TriangleTest::mollerTrumbore, TriangleTest::woop}) {
        const int out = raysThatGetOut(leaky);
        EXPECT_GT(out, 0);
        EXPECT_LT(out, 50'000);
    }
}

TEST(Triangle, WhatIsNoTriangleIsNotHit) {
    Mesh mesh;
    mesh.materials = {materialOfKind(MaterialKind::lambert, .8)};
    mesh.corners = {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
    for (const auto& corners : {std::array{0, 0, 0}, std::array{0, 1, 2}, std::array{0, 1, 1}})
        mesh.faces.push_back({corners, 0});
    for (const TriangleTest test : kTests) {
        const Traced<float> traced(sceneOf(mesh), Accel::brute, test);
        for (const double x : {0., .5, 1., 1.5})
            EXPECT_EQ(traced({x, 1e-3, 0}, {0, 0, 1}).shape, kNoShape) << static_cast<int>(test);
    }
}

Scene ballAndSpheres() {
    Scene scene = sceneOf(ball(3, true));
    scene.sky = {SkyKind::gradient, {1, 1, 1}, {.5, .7, 1}};
    scene.spheres = {{{0, -101, 0}, 100, materialOfKind(MaterialKind::lambert, .5)},
                     {{1, 1, 1}, .4, materialOfKind(MaterialKind::metal, .9)}};
    return scene;
}

TEST(Triangle, EachTestMakesAboutTheSamePictureOnACpu) {
    const Scene scene = ballAndSpheres();
    constexpr const char* kSingle = "precision=float";
    for (const char* precision : {kSingle, "precision=double"}) {
        for (const char* accel : {"accel=bvh", "accel=brute"}) {
            const auto render = [&](const char* test) {
                return renderCpu(scene, cpuSettings(scene, {precision, accel, test}), 48, 36, 64);
            };
            const Rendered base = render("triangle=watertight");
            for (const char* test : {"triangle=moller_trumbore", "triangle=woop"}) {
                const Rendered other = render(test);
                const bool another = precision == kSingle;  // formula shows in the picture's bits
                EXPECT_EQ(sameBits(base, other), !another) << test;
                EXPECT_NEAR(other.mean().g / base.mean().g, 1, 1e-3) << test;
            }
        }
    }
}

/// As on a GPU, on warps of one lane.
struct Followed {
    std::vector<Pixel> pixels;
    RayCounts<true> counts;
    unsigned long long counters[kCounters] = {};
};

constexpr Variant followedVariant(Engine engine, SamplesFrom from) {
    Variant v = meshVariant(Precision::float32, Accel::bvh8);
    v.engine = engine;
    v.samplesFrom = from;
    v.lightSampling = true;
    v.countDepths = true;
    return v;
}

/// The stages of a wavefront, with one of the forms that paths have in memory.
constexpr Variant waveVariant(Record record, StateLayout state, Access access) {
    Variant v = followedVariant(Engine::wavefront, SamplesFrom::pixel);
    v.record = record;
    v.stateLayout = state;
    v.access = access;
    v.sampleLayout = state == StateLayout::aos ? SampleLayout::aos : SampleLayout::split;
    v.stages = Stages::separate;
    v.raySource = RaySource::kernel;
    v.compaction = Compaction::off;
    return v;
}

template <Variant V>
Followed followed(const Scene& scene) {
    constexpr int kWidth = 24, kHeight = 18, kSamples = 16;
    Followed result;
    result.pixels.resize(kWidth * kHeight);
    Settings settings = defaultSettings(Backend::cuda, scene);
    settings.variant = V;
    LaunchParams<float> launch = launchParams<float>(
        settings, scene, scene.camera, {kWidth, kHeight, result.pixels.data()}, {kSamples});
    const PackedScene packed = packScene<float>(scene, SceneLayout::aos, V.accel, nullptr,
                                                Hierarchy::sah, trianglePacking(V));
    launch.scene = packed.data();
    launch.counters = result.counters;
    if constexpr (V.engine == Engine::wavefront) {
        std::vector<unsigned char> memory(blockBytes(pathBytes(V), 1024));
        launch.x1 = kWidth, launch.y1 = kHeight;
        const CpuWaveMemory wave{layOut(pathBytes(V), 1024, memory.data()), {}, {}};
        WaveTracer<V>(launch, wave, result.counts).render();
        return result;
    }
    const SceneView<float, V> view{launch.scene, launch.params};
    if constexpr (pools(V)) {
        const int warps =
            V.samplesFrom == SamplesFrom::queue ? 1 : piecesOf(V, kWidth, kHeight, kSamples);
        for (int warp = 0; warp < warps; ++warp) renderPieces(launch, view, warp, result.counts);
    } else {
        for (int i = 0; i < kWidth * kHeight; ++i) {
            GeneratorOf<V> rng{};
            renderPixel<float, V>(launch, i % kWidth, i / kWidth, true, rng, result.counts);
        }
    }
    return result;
}

TEST(Triangle, EveryEngineFollowsTheSamePaths) {
    Scene scene = ballAndSpheres();
    Mesh lamp = cube();
    for (glm::vec3& c : lamp.corners) c = c * .3f + glm::vec3(-1.5f, 1.5f, 1);
    lamp.materials = {materialOfKind(MaterialKind::lambert, .5, 4)};
    scene.meshes.push_back(placed(std::move(lamp)));
    using enum SamplesFrom;
    using enum StateLayout;
    using enum Access;
    constexpr Engine kAnew = Engine::regeneration;
    constexpr Record kWide = Record::wide, kCompact = Record::compact;
    const Followed whole = followed<followedVariant(Engine::megakernel, pixel)>(scene);
    EXPECT_GT(whole.counts.shadow, 0u);
    for (const Followed& other : {followed<followedVariant(kAnew, pixel)>(scene),
                                  followed<followedVariant(kAnew, warp)>(scene),
                                  followed<followedVariant(kAnew, queue)>(scene),
                                  followed<waveVariant(kWide, aos, reference)>(scene),
                                  followed<waveVariant(kWide, soa, copyAll)>(scene),
                                  followed<waveVariant(kCompact, aos, copyState)>(scene),
                                  followed<waveVariant(kCompact, soa, copyAll)>(scene)}) {
        EXPECT_EQ(other.counts.camera, whole.counts.camera);
        EXPECT_EQ(other.counts.closest, whole.counts.closest);
        EXPECT_EQ(other.counts.shadow, whole.counts.shadow);
        for (std::size_t i = 0; i < whole.pixels.size(); ++i) {
            ASSERT_EQ(other.pixels[i].samples, whole.pixels[i].samples);
            ASSERT_NEAR(other.pixels[i].g, whole.pixels[i].g, 1e-3) << i;
        }
    }
}

TEST(Triangle, ARenderingSaysHowLargeTheHierarchyIs) {
    const Scene triangles = ballAndSpheres(), spheres = sceneNamed("weekend");
    const auto bytes = [](const Scene& scene, const char* accel) {
        return renderCpu(scene, cpuSettings(scene, {accel}), 8, 6, 1).stats.hierarchyBytes;
    };
    const std::size_t list = sizeof(ListedShape<float>) * shapeCount(triangles);
    const std::size_t nodes = sizeof(BvhNode) * buildBvh(boxesOf(triangles)).nodes.size();
    EXPECT_GE(bytes(triangles, "accel=bvh"), list + nodes);
    EXPECT_LT(bytes(triangles, "accel=bvh"), list + nodes + 128);  // what aligns them
    EXPECT_EQ(bytes(triangles, "accel=brute"), 0u);
    EXPECT_EQ(bytes(spheres, "accel=bvh"), 0u);
}

TEST(Triangle, ChoicesAreForScenesThatHaveSome) {
    const Scene triangles = ballAndSpheres(), spheres = sceneNamed("weekend");
    const Axis& test = *findAxis("triangle");
    const Axis& layout = *findAxis("vertex_layout");
    const auto settings = [](Backend backend, const Scene& scene,
                             std::initializer_list<const char*> choices) {
        Settings s = defaultSettings(backend, scene);
        assignAll(s, {choices.begin(), choices.end()});
        return s;
    };
    EXPECT_TRUE(test.matters(settings(Backend::cpu, triangles, {})));
    EXPECT_TRUE(test.matters(settings(Backend::cuda, triangles, {})));
    EXPECT_FALSE(test.matters(settings(Backend::cuda, spheres, {})));
    EXPECT_TRUE(layout.matters(settings(Backend::cpu, triangles, {})));
    EXPECT_TRUE(layout.matters(settings(Backend::cuda, triangles, {})));
    EXPECT_FALSE(layout.matters(settings(Backend::cuda, triangles, {"triangle=woop"})));
    EXPECT_FALSE(layout.matters(settings(Backend::cuda, spheres, {})));
    const auto refusal = [&](Backend backend, std::initializer_list<const char*> choices) {
        return unsupported(settings(backend, triangles, choices), triangles);
    };
    EXPECT_EQ(refusal(Backend::cuda, {"engine=regeneration", "samples_from=queue"}), "");
    EXPECT_EQ(refusal(Backend::cuda, {"engine=wavefront"}), "");
    EXPECT_EQ(refusal(Backend::cpu, {"engine=wavefront"}), "");
    EXPECT_EQ(refusal(Backend::cpu, {"engine=regeneration", "samples_from=queue"}), "");
    EXPECT_NE(refusal(Backend::cpu, {"vertex_layout=soa", "accel=bvh8"}).find("blocks"),
              std::string::npos);
    for (const char* wide : {"accel=bvh4", "accel=bvh8"}) {
        EXPECT_NE(refusal(Backend::cpu, {"triangle=woop", wide}).find("eight triangles"),
                  std::string::npos);
    }
    EXPECT_NE(refusal(Backend::cpu, {"triangle=moller_trumbore", "accel=embree"}), "");
    EXPECT_EQ(refusal(Backend::cpu, {"triangle=moller_trumbore"}), "");
    for (const char* accel : {"accel=brute", "accel=bvh", "accel=bvh8"}) {
        EXPECT_EQ(refusal(Backend::cuda, {"triangle=woop", accel}), "");
        EXPECT_EQ(refusal(Backend::cuda, {"vertex_layout=soa", accel}), "");
    }
}

/// Packed scenes are no larger than announced, which constant memory relies on.
TEST(Triangle, PackedScenesAreAsLargeAsAnnounced) {
    for (const Scene& scene : {ballAndSpheres(), sceneOf(cube()), sceneNamed("city-1000")}) {
        for (const Accel accel : {Accel::brute, Accel::bvh, Accel::bvh8}) {
            for (const TriangleTest test : kTests) {
                for (const VertexLayout layout :
                     {VertexLayout::unrolled, VertexLayout::indexed, VertexLayout::soa}) {
                    Variant v;
                    v.accel = accel;
                    v.triangle = test;
                    v.vertexLayout = layout;
                    const auto bytes = [&]<class Real>(Real) {
                        return packScene<Real>(scene, SceneLayout::soa, accel, nullptr,
                                               Hierarchy::sah, trianglePacking(v))
                            .size();
                    };
                    EXPECT_LE(bytes(0.f), packedBytes(scene, v));
                    v.precision = Precision::float64;
                    EXPECT_LE(bytes(0.), packedBytes(scene, v));
                }
            }
        }
    }
}

}  // namespace
}  // namespace rayscope
