// Meshes that stand in several places: rays hit what they hit where all triangles are copied.

#include "renderer/scene/places.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "renderer/core/shade.h"
#include "renderer/scene/json.h"
#include "tests/mesh_rays.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

constexpr Variant placesVariant(Variant v) {
    v.traits.features |= kPlaces | kWalls;
    return v;
}

/// As kernels see a scene with places.
template <class Real, Accel Tree = Accel::bvh, VertexLayout Layout = VertexLayout::unrolled,
          Traversal Turns = Traversal::ifIf>
class TracedPlaces {
public:
    explicit TracedPlaces(const Scene& scene, Accel accel = Tree,
                          TriangleTest test = TriangleTest::watertight)
        : packed_(packScene<Real>(scene, SceneLayout::aos, accel, nullptr, Hierarchy::sah,
                                  {test, Layout})),
          params_(sceneParams<Real>(scene, false)) {}

    Hit<Real> operator()(const Point& origin, const Point& direction, int from = kNoShape) const {
        return closestHit(view(), rayOf(origin, direction, from));
    }
    bool blocked(const Point& origin, const Point& direction, double distance, int from = kNoShape,
                 int except = kNoShape) const {
        return occluded(view(), rayOf(origin, direction, from), static_cast<Real>(distance),
                        except);
    }
    Surface<Real> surface(const Point& origin, const Point& direction, const Hit<Real>& hit) const {
        return surfaceAt(view(), rayOf(origin, direction, kNoShape), hit);
    }

private:
    static constexpr Variant kVariant = placesVariant(meshVariant(
        sizeof(Real) == 4 ? Precision::float32 : Precision::float64, Tree, Layout, Turns));

    SceneView<Real, kVariant> view() const { return {packed_.data(), params_}; }
    static Ray<Real> rayOf(const Point& origin, const Point& direction, int from) {
        return {toKernel<Real>(origin), toKernel<Real>(direction), from};
    }

    PackedScene packed_;
    SceneParams<Real> params_;
};

/// Turned, moved, stretched along its axes and, every third time, mirrored.
Placement anyPlace(Twister& random, int i, double distance, double mostStretch) {
    glm::dmat4 m = glm::translate(glm::dmat4(1), pointIn(random, distance));
    m = glm::rotate(m, uniform(random, 0, 7), direction(random));
    glm::dvec3 stretch(1);
    for (int k = 0; k < 3; ++k) stretch[k] = std::pow(mostStretch, uniform(random, -1, 1));
    if (i % 3 == 1) stretch.x = -stretch.x;
    return Placement(glm::dmat4x3(glm::scale(m, stretch)));
}

/// Some meshes, of which one has pieces, in many places that overlap, and spheres between them.
Scene placedSoup(unsigned seed, double mostStretch) {
    Twister random(seed);
    Scene scene = soup(60, seed);
    const auto places = [&](int count) {
        std::vector<Placement> all;
        for (int i = 0; i < count; ++i) all.push_back(anyPlace(random, i, 20, mostStretch));
        return all;
    };
    scene.meshes[0].places = places(9);
    Mesh pieces = *soup(50, seed + 1).meshes[0].mesh;
    pieces.pieces = {{13, places(4)}, {7, {}}, {30, places(3)}};
    scene.meshes.push_back(placed(std::move(pieces)));
    scene.meshes.back().places = places(2);
    scene.meshes.push_back(placed(*soup(20, seed + 2).meshes[0].mesh));
    Mesh small = ball(1);
    scene.meshes.push_back(placed(std::move(small)));
    scene.meshes.back().places = places(200);
    return scene;
}

TEST(Places, FlattenedTrianglesHaveTheSameNumbers) {
    const Scene scene = placedSoup(1, 3), flat = flattened(scene);
    EXPECT_TRUE(hasPlaces(scene));
    EXPECT_FALSE(hasPlaces(flat));
    EXPECT_EQ(triangleCount(scene), triangleCount(flat));
    EXPECT_EQ(shapeCount(scene), shapeCount(flat));
    EXPECT_TRUE(traitsOf(scene).features & kPlaces);
    EXPECT_FALSE(traitsOf(flat).features & kPlaces);
}

/// All meshes as one, so that rays can aim at any triangle.
Mesh allOf(const Scene& flat) {
    Mesh all;
    for (const SceneMesh& mesh : flat.meshes) {
        const int first = static_cast<int>(all.corners.size());
        all.corners.insert(all.corners.end(), mesh.mesh->corners.begin(), mesh.mesh->corners.end());
        for (Triangle face : mesh.mesh->faces) {
            for (int& c : face.corners) c += first;
            all.faces.push_back(face);
        }
    }
    return all;
}

TEST(Places, ATreeFindsWhatBruteForceFinds) {
    const Scene scene = placedSoup(1, 4);
    const Mesh all = allOf(flattened(scene));
    constexpr int kRays = 3000;
    const TracedPlaces<float> brute(scene, Accel::brute);
    expectSameHits(brute, TracedPlaces<float>(scene), all, kRays, 1);
    expectSameHits(brute, TracedPlaces<float, Accel::bvh, VertexLayout::indexed,
                                       Traversal::whileWhile>(scene),
                   all, kRays, 2);
    expectSameHits(brute, TracedPlaces<float, Accel::bvh, VertexLayout::soa>(scene), all, kRays, 3);
    expectSameHits(TracedPlaces<double>(scene, Accel::brute), TracedPlaces<double>(scene), all,
                   kRays, 4);
}

TEST(Places, HaveTheLeakyTestsToo) {
    Scene scene = placedSoup(2, 2);
    for (SceneMesh& mesh : scene.meshes) {
        Mesh clear = *mesh.mesh;
        clear.pieces.clear();
        mesh.mesh = std::make_shared<const Mesh>(withoutSlivers(std::move(clear)));
    }
    const Mesh all = allOf(flattened(scene));
    for (const TriangleTest test : {TriangleTest::woop, TriangleTest::mollerTrumbore}) {
        const TracedPlaces<double> brute(scene, Accel::brute, test), tree(scene, Accel::bvh, test);
        const TracedPlaces<double> watertight(scene, Accel::brute);
        Twister random(6);
        int hits = 0;
        for (int i = 0; i < 3000; ++i) {
            const MeshRay r = meshRay(all, 25, random, i % 2);
            const Hit<double> a = brute(r.origin, r.direction), b = tree(r.origin, r.direction);
            ASSERT_EQ(a.shape, b.shape) << i;
            ASSERT_EQ(a.distance, b.distance) << i;
            const Hit<double> c = watertight(r.origin, r.direction);
            ASSERT_EQ(a.shape, c.shape) << i;
            hits += a.shape >= 0 ? 1 : 0;
        }
        EXPECT_GT(hits, 1000);
    }
}

/// Copies of the triangles, each tested in the scene's own space.
TEST(Places, HitsAreThoseOfCopies) {
    for (const double stretch : {1., 2., 10.}) {
        Scene scene = placedSoup(3, stretch);
        const Scene flat = flattened(scene);
        const TracedPlaces<double> placed(scene);
        const Traced<double> copies(flat, Accel::brute);
        const Mesh all = allOf(flat);
        Twister random(5);
        int hits = 0, other = 0;
        const int rays = 3000;
        for (int i = 0; i < rays; ++i) {
            const MeshRay r = meshRay(all, 25, random, i % 2 ? 5 : i / 2 % 2);
            const Hit<double> a = copies(r.origin, r.direction, r.from);
            const Hit<double> b = placed(r.origin, r.direction, r.from);
            const bool same = a.shape == b.shape &&
                              std::abs(a.distance - b.distance) <= 1e-5 * (1 + a.distance);
            other += same ? 0 : 1;
            if (!same || kindOf(a.shape) != ShapeKind::triangle) continue;
            ++hits;
            const auto face = all.faces[a.shape - kTriangleShape];
            const auto corner = [&](int k) { return Point(all.corners[face.corners[k]]); };
            const Point across = glm::cross(corner(1) - corner(0), corner(2) - corner(0));
            const Vec3<double> n = placed.surface(r.origin, r.direction, b).normal;
            if (glm::length(across) < 1e-4) continue;
            ASSERT_GT(glm::dot(glm::normalize(across), Point(n.x, n.y, n.z)), .99) << i;
        }
        EXPECT_GT(hits, rays / 4);
        EXPECT_LE(other, rays / 200);  // corners of copies are rounded: slivers, edges
    }
}

TEST(Places, IsWatertightInAPlace) {
    Twister random(21);
    for (int i = 0; i < 12; ++i) {
        Scene scene = sceneOf(ball(3));
        scene.meshes[0].places = {anyPlace(random, i, 1000, i < 6 ? 1.5 : 20)};
        const Placement place = scene.meshes[0].places[0];
        const TracedPlaces<float> traced(scene);
        for (int k = 0; k < 20'000; ++k) {
            MeshRay r = meshRay(*scene.meshes[0].mesh, .3, random, 2 + k % 2);
            const Point origin = atPlace(place, r.origin * .5);
            const Point target = atPlace(place, r.origin * .5 + r.direction);
            const Hit<float> hit = traced(origin, glm::normalize(target - origin));
            ASSERT_EQ(kindOf(hit.shape), ShapeKind::triangle) << "ray " << k << " got out " << i;
        }
    }
}

}  // namespace
}  // namespace rayscope
