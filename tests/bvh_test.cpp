// Hierarchies and the grid give the hits of brute force, to the bit, on ten million rays.

#include "renderer/scene/bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <random>
#include <thread>

#include "renderer/core/intersect.h"
#include "renderer/scene/bvh4.h"
#include "renderer/scene/bvh_build.h"
#include "renderer/scene/json.h"
#include "renderer/scene/structures.h"
#include "renderer/scene/to_kernel.h"
#include "tests/random_points.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr Variant variantOf(Accel accel, Precision precision, SceneLayout layout, bool walls) {
    Variant v;
    v.accel = accel;
    v.precision = precision;
    v.sceneLayout = layout;
    v.sceneMemory = SceneMemory::global;
    v.math = Math::precise;
    v.traits.features = walls ? kAllFeatures : kAllFeatures & ~kWalls;
    return v;
}

int below(Twister& random, size_t n) {
    return static_cast<int>(random() % n);
}

Scene spheresOnly(std::vector<Sphere> spheres) {
    Scene scene;
    scene.name = "made for this test";
    scene.spheres = std::move(spheres);
    return scene;
}

Scene randomSpheres(int count, double size, double radius, unsigned seed) {
    Twister random(seed);
    std::vector<Sphere> spheres(count);
    for (Sphere& s : spheres) {
        s.center = pointIn(random, size);
        s.radius = radius * uniform(random, .05, 1);
    }
    return spheresOnly(spheres);
}

/// The half diagonal of what is of ordinary size.
double sizeOf(const Scene& scene) {
    double size = 1;
    for (const Sphere& s : scene.spheres) {
        if (s.radius > 50) continue;
        const Point& c = s.center;
        size = std::max({size, std::abs(c.x), std::abs(c.y), std::abs(c.z)});
    }
    return size;
}

struct TestRay {
    Point origin, direction;
    int from = -1;
};

/// All the kinds of rays that slab tests have got wrong, one after the other.
TestRay testRay(const Scene& scene, double size, Twister& random, int kind) {
    const int id = below(random, scene.spheres.size());
    const Sphere& s = scene.spheres[id];
    TestRay ray{pointIn(random, size), direction(random)};
    double* const d = &ray.direction.x;
    double* const o = &ray.origin.x;
    const double* const c = &s.center.x;
    const int axis = below(random, 3);
    switch (kind) {
        case 0:  // anywhere
            return ray;
        case 1: {  // from outside to a point on a sphere, grazing ones among them
            ray.origin = direction(random) * (size * 3);
            const Point target = s.center + direction(random) * s.radius - ray.origin;
            const double length = glm::length(target);
            if (length > 0) ray.direction = target * (1 / length);
            return ray;
        }
        case 2:  // along an axis, through a sphere's centre or past its edge to the bit
            ray.direction = {0, 0, random() % 2 ? -0. : 0.};
            d[axis] = random() % 2 ? 1 : -1;
            for (int a = 0; a < 3; ++a) {
                const int edge = below(random, 4) - 1;
                if (a != axis && edge < 2) o[a] = c[a] + edge * s.radius;
            }
            return ray;
        case 3: {  // one component zero
            d[axis] = random() % 2 ? 0. : -0.;
            const double length = glm::length(ray.direction);
            ray.direction = ray.direction * (1 / std::max(length, 1e-3));
            if (random() % 2) o[axis] = c[axis];
            return ray;
        }
        case 4:  // from inside
            ray.origin = s.center + direction(random) * (s.radius * uniform(random, 0, 1));
            return ray;
        case 5:  // leaving its surface, into the sphere too
            ray.origin = s.center + direction(random) * s.radius;
            ray.from = id;
            return ray;
        case 6:  // along an axis from a face of its box
            ray.origin = s.center;
            o[axis] += s.radius * (random() % 2 ? 1 : -1);
            ray.direction = {0, 0, 0};
            d[below(random, 3)] = random() % 2 ? 1 : -1;
            return ray;
        case 7: {  // from far away to the edge of a sphere, where rounding is as large as that is
            ray.origin = direction(random) * (size * std::exp2(uniform(random, 1, 10)));
            const Point target = s.center + direction(random) * s.radius - ray.origin;
            ray.direction = glm::normalize(target);
            return ray;
        }
        default:  // nearly along an axis
            for (int a = 0; a < 3; ++a) {
                if (a != axis) d[a] *= std::pow(10, uniform(random, -42, -3));
            }
            ray.direction = glm::normalize(ray.direction);
            return ray;
    }
}

/// A structure over a scene as one variant's rays walk it.
template <class Real, SceneLayout L, bool Walls>
struct Walked {
    static constexpr Precision kPrecision =
        sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
    template <Accel A>
    using ViewBy = SceneView<Real, variantOf(A, kPrecision, L, Walls)>;

    Walked(const Scene& scene, Accel accel, Structures& structures,
           Hierarchy hierarchy = Hierarchy::sah)
        : packed(packScene<Real>(scene, L, accel, &structures, hierarchy)),
          params(sceneParams<Real>(scene, false)),
          accel(accel),
          name(std::string(isLinear(hierarchy) ? "linear " : "") +
               kNames[static_cast<int>(accel)]) {}
    template <Accel A>
    ViewBy<A> view() const {
        return {packed.data(), params};
    }
    /// Calls search() with the scene as a kernel for its structure sees it.
    template <class Search>
    auto visit(Search search) const {
        switch (accel) {
            case Accel::bvh:
                return search(view<Accel::bvh>());
            case Accel::grid:
                return search(view<Accel::grid>());
            case Accel::bvh4:
                return search(view<Accel::bvh4>());
            default:
                return search(view<Accel::brute>());
        }
    }
    Hit<Real> closest(const Ray<Real>& ray) const {
        if constexpr (!Walls) {
            if (evenly) return closestEvenly(view<Accel::grid>(), ray);
        }
        return visit([&](const auto& scene) { return closestHit(scene, ray); });
    }
    bool blocked(const Ray<Real>& ray, Real distance, int except) const {
        return visit([&](const auto& scene) { return occluded(scene, ray, distance, except); });
    }
    static Hit<Real> closestEvenly(const ViewBy<Accel::grid>& scene, const Ray<Real>& ray) {
        Hit<Real> hit = startsAfar(scene, ray.origin)
                            ? closestSphereEvenly<Walk::gridFromAfar>(scene, ray)
                            : closestSphereEvenly<Walk::grid>(scene, ray);
        meetUnbounded(scene, ray, hit);
        return hit;
    }

    static constexpr const char* kNames[] = {"all spheres", "bvh", "grid", "bvh4"};
    PackedScene packed;
    SceneParams<Real> params;
    Accel accel;
    std::string name;
    bool evenly = false;  ///< spheres of a grid are tested as by a GPU
};

constexpr int kRayKinds = 9;

/// Rays for which a hit or an occlusion differs; `what` is told of one of them.
template <class Real, SceneLayout L, bool Walls>
long countDifferences(const Scene& scene, Structures structures, int rays, unsigned seed,
                      std::string& what) {
    using Structure = Walked<Real, L, Walls>;
    const Structure brute(scene, Accel::brute, structures);
    std::vector<Structure> walks;
    for (const Accel accel : {Accel::bvh, Accel::grid, Accel::bvh4})
        walks.emplace_back(scene, accel, structures);
    if (!Walls) {
        Structure& grid = walks.emplace_back(scene, Accel::grid, structures);
        grid.evenly = true;
        grid.name += ", evenly";
    }
    walks.emplace_back(scene, Accel::bvh, structures, Hierarchy::lbvh);
    walks.emplace_back(scene, Accel::bvh4, structures, Hierarchy::lbvh60);
    const double size = sizeOf(scene);
    Twister random(seed);
    long differences = 0;
    for (int i = 0; i < rays; ++i) {
        const TestRay t = testRay(scene, size, random, i % kRayKinds);
        const Ray<Real> ray{toKernel<Real>(t.origin), toKernel<Real>(t.direction), t.from};
        const Hit<Real> a = brute.closest(ray);
        const Real distance =
            random() % 2 ? a.distance : static_cast<Real>(uniform(random, 0, size));
        const int except = random() % 2 ? a.shape : -1;
        const bool blocked = brute.blocked(ray, distance, except);
        for (const Structure& walk : walks) {
            const Hit<Real> b = walk.closest(ray);
            const bool closest = a.shape == b.shape && a.distance == b.distance;
            if (closest && blocked == walk.blocked(ray, distance, except)) continue;
            ++differences;
            what = scene.name + (closest ? ", any hit" : ", closest hit") + ", kind " +
                   std::to_string(i % kRayKinds) + ": sphere " + std::to_string(a.shape) + " at " +
                   std::to_string(a.distance) + ", by " + walk.name + " " +
                   std::to_string(b.shape) + " at " + std::to_string(b.distance);
        }
    }
    return differences;
}

template <class Real>
long countDifferences(const Scene& scene, const Structures& structures, int rays, unsigned seed,
                      std::string& what) {
    if (traitsOf(scene).features & kWalls)
        return countDifferences<Real, SceneLayout::aos, true>(scene, structures, rays, seed, what);
    if (seed % 2 == 0)
        return countDifferences<Real, SceneLayout::aos, false>(scene, structures, rays, seed, what);
    return countDifferences<Real, SceneLayout::soa, false>(scene, structures, rays, seed, what);
}

/// Half of the rays in each precision, in pieces for as many threads as there are cores.
void expectSameHits(const Scene& scene, int rays, const Structures& structures = {}) {
    constexpr int kPieces = 8;
    std::atomic<int> next = 0;
    std::vector<long> differences(kPieces);
    std::vector<std::string> what(kPieces);
    const auto work = [&] {
        for (int i = next++; i < kPieces; i = next++) {
            const int share = rays / kPieces;
            differences[i] = i < kPieces / 2
                                 ? countDifferences<float>(scene, structures, share, i, what[i])
                                 : countDifferences<double>(scene, structures, share, i, what[i]);
        }
    };
    std::vector<std::thread> threads(std::max(1u, std::thread::hardware_concurrency()));
    for (std::thread& t : threads) t = std::thread(work);
    for (std::thread& t : threads) t.join();
    for (int i = 0; i < kPieces; ++i) EXPECT_EQ(differences[i], 0) << what[i];
}

TEST(Bvh, SameHitsInEveryScene_long) {
    expectSameHits(sceneNamed("vt9"), 3'500'000);
    expectSameHits(sceneNamed("vt46"), 2'000'000);
    expectSameHits(sceneNamed("cornell"), 2'000'000);
    expectSameHits(sceneNamed("card"), 2'000'000);
    expectSameHits(sceneNamed("weekend"), 400'000);
}

/// Equal ones, nested ones, points, and a thousand in one place: the lowest index wins.
TEST(Bvh, SameHitsInDegenerateScenes) {
    expectSameHits(spheresOnly({{{1, 2, 3}, 1, {}}}), 20'000);
    expectSameHits(spheresOnly({{{1, 2, 3}, 1, {}}, {{-1, 0, 2}, .5, {}}}), 20'000);
    expectSameHits(spheresOnly({{{1, 2, 3}, 1, {}}, {{1, 2, 3}, 1, {}}}), 20'000);
    expectSameHits(spheresOnly(std::vector<Sphere>(1000, {{.5, .25, -1}, 1, {}})), 10'000);
    expectSameHits(spheresOnly(std::vector<Sphere>(20, {{0, 0, 0}, .5, {}})), 20'000);
    std::vector<Sphere> nested, points, line;
    for (int i = 0; i < 60; ++i) nested.push_back({{0, 0, 0}, std::pow(1.3, i % 30 - 15), {}});
    for (int i = 0; i < 60; ++i)
        points.push_back({{i % 4 - 1., i / 4 % 4 - 1., i / 16 - 1.}, 1e-30, {}});
    for (int i = 0; i < 60; ++i) line.push_back({{0, i * .5, 0}, i % 3 == 0 ? 1e-6 : .4, {}});
    expectSameHits(spheresOnly(nested), 40'000);
    expectSameHits(spheresOnly(points), 40'000);
    expectSameHits(spheresOnly(line), 40'000);
}

TEST(Bvh, SameHitsAmongManySpheres_long) {
    expectSameHits(randomSpheres(300, 10, 3, 1), 40'000);
    expectSameHits(randomSpheres(20000, 10, .2, 2), 8'000);
    expectSameHits(sceneNamed("field-2000"), 40'000);
    expectSameHits(sceneNamed("grid-2000"), 40'000);
}

bool contains(const BvhNode& n, int child, const float* low, const float* high) {
    const float* const axes[3] = {n.x, n.y, n.z};
    for (int a = 0; a < 3; ++a) {
        if (!(axes[a][2 * child] <= low[a] && high[a] <= axes[a][2 * child + 1])) return false;
    }
    return true;
}

/// Walks the tree and counts how often each box is in it.
void visit(std::span<const Box> boxes, const Bvh& bvh, int index, int level,
           std::vector<int>& seen) {
    ASSERT_LT(level, kBvhLevels);
    const BvhNode& node = bvh.nodes[index];
    for (int c = 0; c < 2; ++c) {
        const int reference = node.child[c];
        if (reference < 0) {
            const int first = leafFirst(reference), count = leafCount(reference);
            ASSERT_LE(count, kMaxLeafSpheres);
            ASSERT_LE(first + count, static_cast<int>(bvh.list.size()));
            for (int k = first; k < first + count; ++k) {
                const auto& [low, high] = boxes[bvh.list[k]];
                ++seen[bvh.list[k]];
                const float lows[] = {float(low.x), float(low.y), float(low.z)};
                const float highs[] = {float(high.x), float(high.y), float(high.z)};
                ASSERT_TRUE(contains(node, c, lows, highs));
            }
            continue;
        }
        ASSERT_GT(reference, index);
        const BvhNode& below = bvh.nodes[reference];
        for (int g = 0; g < 2; ++g) {
            const float lows[] = {below.x[2 * g], below.y[2 * g], below.z[2 * g]};
            const float highs[] = {below.x[2 * g + 1], below.y[2 * g + 1], below.z[2 * g + 1]};
            ASSERT_TRUE(contains(node, c, lows, highs));
        }
        visit(boxes, bvh, reference, level + 1, seen);
        if (testing::Test::HasFatalFailure()) return;
    }
}

void expectSound(std::span<const Box> boxes, const Bvh& bvh) {
    const int count = static_cast<int>(boxes.size());
    EXPECT_EQ(static_cast<int>(bvh.list.size()), count);
    EXPECT_LE(static_cast<int>(bvh.nodes.size()), mostBvhNodes(count));
    std::vector<int> seen(count);
    for (int k = 0; k < bvh.header.outside; ++k) ++seen[bvh.list[k]];
    EXPECT_TRUE(std::is_sorted(bvh.list.begin(), bvh.list.begin() + bvh.header.outside));
    if (!bvh.nodes.empty()) visit(boxes, bvh, 0, 0, seen);
    EXPECT_EQ(seen, std::vector<int>(count, 1));
}

void expectSound(const Scene& scene) {
    SCOPED_TRACE(scene.name);
    const std::vector<Box> boxes = boxesOf(scene);
    expectSound(boxes, buildBvh(boxes));
}

TEST(Bvh, EverySphereIsInOneLeafOrOutside) {
    for (const char* name : {"vt9", "vt46", "cornell", "card", "weekend"})
        expectSound(sceneNamed(name));
    for (int count = 0; count < 40; ++count) expectSound(randomSpheres(count, 5, 1, count));
    expectSound(spheresOnly(std::vector<Sphere>(5000, {{1, 2, 3}, 1, {}})));
    std::vector<Sphere> spiral;  // each split in bins would take few from the rest
    for (int i = 0; i < 20000; ++i)
        spiral.push_back(
            {{std::exp2(-i * .004), std::exp2(-i * .003), 0}, std::exp2(-i * .004), {}});
    expectSound(spheresOnly(spiral));
}

/// As those of triangles are: flat along an axis, long, or both.
TEST(Bvh, BoxesNeedNotBeThoseOfSpheres) {
    Twister random(1);
    std::vector<Box> boxes(3000);
    for (Box& box : boxes) {
        box.low = pointIn(random, 10);
        box.high = box.low + glm::abs(pointIn(random, 1));
        box.high[below(random, 3)] += random() % 8 == 0 ? 5 : 0;
        const int flat = below(random, 6);
        if (flat < 3) box.high[flat] = box.low[flat];
    }
    const Bvh bvh = buildBvh(boxes);
    expectSound(boxes, bvh);
    EXPECT_EQ(bvh.header.outside, 0);
    EXPECT_EQ(bvh.header.smallest, 0);
}

/// Rays compute with planes, and most that start near one of zero would compute with its neighbour.
TEST(Bvh, PlanesAreNoSubnormalNumbers) {
    std::vector<Box> boxes;
    for (const double x : {0., 1e-45, -1e-45, 1.2e-38, -1.2e-38, 1e-30}) {
        boxes.push_back({{x, 0, -1}, {x + 1, 1, 0}});
        boxes.push_back({{-1, x - 1, 3}, {0, x, 4}});
    }
    const Bvh bvh =
        buildBvh(boxes, [](std::span<const Box> s) { return static_cast<int>(s.size()); });
    expectSound(boxes, bvh);
    const std::vector<Box> weekend = boxesOf(sceneNamed("weekend"));
    int planes = 0;
    for (const Bvh& each : {bvh, buildBvh(weekend)}) {
        for (const BvhNode& node : each.nodes) {
            for (const float* axis : {node.x, node.y, node.z}) {
                for (int i = 0; i < 4; ++i) {
                    EXPECT_NE(std::fpclassify(axis[i]), FP_SUBNORMAL) << axis[i];
                    ++planes;
                }
            }
        }
    }
    EXPECT_GT(planes, 1000);
}

/// Of four children each, with the leaves of the binary tree, and a stack that is deep enough.
void expectSoundCollapse(const Scene& scene) {
    SCOPED_TRACE(scene.name);
    const Bvh bvh = buildBvh(boxesOf(scene));
    const Bvh4 wide = collapsed(bvh);
    EXPECT_LE(stackOf(wide), kBvh4Stack);
    EXPECT_LE(wide.nodes.size(), bvh.nodes.size());
    std::vector<int> expected, leaves, nodes;
    for (const BvhNode& n : bvh.nodes) {
        for (const int child : n.child) {
            if (child < 0 && leafCount(child) > 0) expected.push_back(child);
        }
    }
    for (const Bvh4Node& n : wide.nodes) {
        for (const int child : n.child) {
            if (child != kNoChild) (child < 0 ? leaves : nodes).push_back(child);
        }
    }
    std::sort(expected.begin(), expected.end());
    std::sort(leaves.begin(), leaves.end());
    EXPECT_EQ(leaves, expected);
    EXPECT_EQ(nodes.size() + 1, std::max<size_t>(1, wide.nodes.size()));
}

TEST(Bvh, FourChildrenToANodeHaveTheSameLeaves) {
    for (const char* name : {"vt9", "weekend", "field-20000"})
        expectSoundCollapse(sceneNamed(name));
    for (int count = 0; count < 20; ++count) expectSoundCollapse(randomSpheres(count, 5, 1, count));
    std::vector<Sphere> spiral;  // the deepest tree
    for (int i = 0; i < 20000; ++i)
        spiral.push_back(
            {{std::exp2(-i * .004), std::exp2(-i * .003), 0}, std::exp2(-i * .004), {}});
    expectSoundCollapse(spheresOnly(spiral));
}

TEST(Bvh, GroundsAndWallsAreLeftOutside) {
    const auto outside = [](const Scene& scene) { return buildBvh(boxesOf(scene)).header.outside; };
    EXPECT_EQ(outside(sceneNamed("weekend")), 1);
    EXPECT_EQ(outside(sceneNamed("cornell")), 7);
    EXPECT_EQ(outside(randomSpheres(1000, 10, .2, 3)), 0);
}

TEST(Bvh, WhatIsLeftOutsideIsTheCallersToSay) {
    const std::vector<Box> boxes = boxesOf(sceneNamed("weekend"));
    const Bvh all =
        buildBvh(boxes, [](std::span<const Box> s) { return static_cast<int>(s.size()); });
    EXPECT_EQ(all.header.outside, 0);
    expectSound(boxes, all);
    const Bvh none = buildBvh(boxes, [](std::span<const Box>) { return 0; });
    EXPECT_EQ(none.header.outside, static_cast<int>(boxes.size()));
    EXPECT_TRUE(none.nodes.empty());
    expectSound(boxes, none);
}

std::uint64_t fnv1a(std::uint64_t hash, const void* data, size_t size) {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/// Kernel times of one build can be compared with those of another only where rays walk one tree.
/// (Its planes of zero were the smallest subnormal number off until the planes were normal
/// numbers.)
TEST(Bvh, TheTreesAreThoseThatFiguresWereMeasuredWith) {
    struct Known {
        const char* scene;
        std::uint64_t nodes, list;
    };
    for (const auto& [name, nodes, list] :
         {Known{"vt46", 0x6fefd237d3f2aff1, 0xc6abbb4fe8a54f64},
          Known{"card", 0xa369d5bc849c529d, 0x18e101e513fa36c5},
          Known{"weekend", 0x7d1bacab087495eb, 0x802efc653de0f9b9},
          Known{"field-20000", 0x35e04c4f0ca7559b, 0x78f564f8b0ac11b5},
          Known{"grid-1000", 0x65b6ea7b1da03040, 0xf96849e83c344c31}}) {
        const Bvh bvh = buildBvh(boxesOf(sceneNamed(name)));
        constexpr std::uint64_t kBasis = 0xcbf29ce484222325u;
        std::uint64_t hash = kBasis;
        for (const BvhNode& n : bvh.nodes) hash = fnv1a(hash, &n, offsetof(BvhNode, unused));
        EXPECT_EQ(hash, nodes) << name;
        EXPECT_EQ(fnv1a(kBasis, bvh.list.data(), bvh.list.size() * sizeof(int)), list) << name;
    }
}

TEST(Bvh, SpheresTakenOutsideMayGoAnywhere) {
    for (const int count : {1, 2, 3, 5, 300}) {
        Scene scene = randomSpheres(count, 10, 3, count);
        Bvh bvh = buildBvh(boxesOf(scene));
        for (const int sphere : {count - 1, count / 2, 0}) {
            moveOutside(bvh, sphere);
            scene.spheres[sphere].center.x += 50;
            scene.spheres[sphere].radius *= 20;
            expectSound(boxesOf(scene), bvh);
            const auto outside = bvh.list.begin() + bvh.header.outside;
            EXPECT_TRUE(std::binary_search(bvh.list.begin(), outside, sphere));
        }
        moveOutside(bvh, 0);  // again
        expectSound(boxesOf(scene), bvh);
    }
    const std::vector<Box> boxes = boxesOf(sceneNamed("weekend"));
    Bvh bvh = buildBvh(boxes);
    for (size_t i = 0; i < boxes.size(); ++i) {
        moveOutside(bvh, static_cast<int>(i));
        expectSound(boxes, bvh);
    }
    EXPECT_EQ(bvh.header.outside, static_cast<int>(boxes.size()));
}

TEST(Bvh, SameHitsWhileSpheresMove) {
    Scene scene = sceneNamed("weekend");
    Structures edited;
    edited.bvh.of(scene);
    edited.grid.of(scene);
    const auto move = [&](int i, const Point& by, double grow) {
        edited.move(i);
        scene.spheres[i].center = scene.spheres[i].center + by;
        scene.spheres[i].radius *= grow;
    };
    move(40, {3, .5, 0}, 1);
    expectSameHits(scene, 20'000, edited);
    move(40, {100, 0, 0}, 200);
    expectSameHits(scene, 20'000, edited);
    move(40, {0, 0, 0}, 1e-7);
    move(0, {0, .2, 0}, 1);  // the ground
    move(41, {0, 4, 0}, 5);
    expectSameHits(scene, 20'000, edited);
}

TEST(Bvh, ChangesWithTheFirstMoveOfASphere) {
    Scene scene = randomSpheres(2000, 10, .1, 5);
    EditedBvh edited;
    EXPECT_EQ(edited.of(scene).header.outside, 0);
    EXPECT_TRUE(edited.move(7));
    EXPECT_FALSE(edited.move(7));
    EXPECT_EQ(edited.of(scene).header.outside, 1);
    EXPECT_TRUE(edited.move(8));
    EXPECT_FALSE(edited.move(7));
    EXPECT_EQ(edited.of(scene).header.outside, 2);
    edited.change();
    EXPECT_EQ(edited.of(scene).header.outside, 0) << "what is measured has its own tree";
    EXPECT_TRUE(edited.move(7)) << "as for the first time";
}

TEST(Bvh, OneBuiltElsewhereIsTakenAlsoAfterMoves) {
    Scene scene = randomSpheres(2000, 10, .1, 5);
    Bvh marked = buildBvh(boxesOf(scene));
    marked.header.reach += 1;
    EditedBvh edited;
    edited.change();
    edited.give(std::make_shared<const Bvh>(marked));
    EXPECT_EQ(edited.of(scene).header.reach, marked.header.reach) << "it was built anew";
    edited.change();
    edited.move(7);
    scene.spheres[7].center.x += 1000;
    edited.give(std::make_shared<const Bvh>(marked));  // of before the move
    EXPECT_EQ(edited.of(scene).header.reach, marked.header.reach);
    EXPECT_EQ(edited.of(scene).header.outside, 1);
    expectSound(boxesOf(scene), edited.of(scene));
}

TEST(Bvh, TheLargestSceneIsBuiltWhileOneWaits) {
    const Scene scene = randomSpheres(kMaxSpheres, 100, .5, 4);
    const auto start = std::chrono::steady_clock::now();
    const Bvh bvh = buildBvh(boxesOf(scene));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    RecordProperty("build_ms", std::to_string(took.count()));
    expectSound(boxesOf(scene), bvh);
}

TEST(BvhBuild, BuildsLargeScenesBesideTheCaller) {
    std::vector<size_t> sizes;  // of what was given
    const auto give = [&](const SharedBvh& built) { sizes.push_back(built->list.size()); };
    BvhBuild build;
    EXPECT_TRUE(build.ready(*findScene("vt9"), 0, give)) << "left to the renderer";
    Scene scene = *findScene("field-30000");
    const auto wait = [&] {
        while (!build.ready(scene, 1, give)) {
        }
    };
    build.sceneChanged();
    EXPECT_FALSE(build.ready(scene, 0, give));
    wait();
    EXPECT_EQ(sizes, std::vector<size_t>{30000});
    scene.spheres.pop_back();
    build.sceneChanged();
    EXPECT_FALSE(build.ready(scene, 0, give));
    scene.spheres.pop_back();  // while that is under way
    build.sceneChanged();
    wait();
    EXPECT_EQ(sizes, (std::vector<size_t>{30000, 29998})) << "a scene before is no scene";
    EXPECT_TRUE(build.ready(scene, 0, give));
    EXPECT_EQ(sizes.size(), 2u) << "once is enough";
}

}  // namespace
}  // namespace rayscope
