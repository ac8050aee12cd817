// Meshes that stand in several places: rays hit what they hit where all triangles are copied.

#include "renderer/scene/places.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "renderer/choices/axes.h"
#include "renderer/core/shade.h"
#include "renderer/scene/json.h"
#include "renderer/scene/shared_mesh.h"
#include "tests/embree_hits.h"
#include "tests/model_files.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

template <class Real, Accel Tree = Accel::bvh, VertexLayout Layout = VertexLayout::unrolled,
          Traversal Turns = Traversal::ifIf>
using TracedPlaces = Traced<Real, Tree, Layout, Turns, kPlaces | kWalls>;

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
    Mesh small = ball(0);
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
    expectSameHits(
        brute, TracedPlaces<float, Accel::bvh, VertexLayout::indexed, Traversal::whileWhile>(scene),
        all, kRays, 2);
    expectSameHits(brute, TracedPlaces<float, Accel::bvh, VertexLayout::soa>(scene), all, kRays, 3);
    const TracedPlaces<double> exactly(scene, Accel::brute);
    expectSameHits(exactly, TracedPlaces<double>(scene), all, kRays, 4);
    for (const Accel wide : {Accel::bvh4, Accel::bvh8}) {
        expectSameHits(brute, TracedPlaces<float>(scene, wide), all, kRays, 5);
        expectSameHits(exactly, TracedPlaces<double>(scene, wide), all, kRays, 6);
    }
}

/// Those around turned boxes would be up to 1.7 times as wide.
TEST(Places, TurnedMeshesHaveTightBoxes) {
    for (const int levels : {2, 4}) {  // few corners, and many
        Scene scene = sceneOf(ball(levels));
        const Mesh& mesh = *scene.meshes[0].mesh;
        Twister random(61);
        for (int i = 0; i < 20; ++i) scene.meshes[0].places.push_back(anyPlace(random, i, 20, 1));
        const std::vector<Box> boxes = boxesOfPlaces(scene);
        ASSERT_EQ(boxes.size(), 20u);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            for (const glm::vec3& corner : mesh.corners) {
                const glm::dvec3 p = atPlace(scene.meshes[0].places[i], corner);
                EXPECT_EQ(p, glm::clamp(p, boxes[i].low, boxes[i].high));
            }
            const glm::dvec3 edges = boxes[i].high - boxes[i].low;
            EXPECT_LT(std::max({edges.x, edges.y, edges.z}), levels == 2 ? 2.01 : 2.6);
        }
    }
}

/// Without slivers and pieces.
Scene clear(Scene scene) {
    for (SceneMesh& mesh : scene.meshes) {
        Mesh kept = *mesh.mesh;
        kept.pieces.clear();
        mesh.mesh = std::make_shared<const Mesh>(withoutSlivers(std::move(kept)));
    }
    return scene;
}

TEST(Places, HaveTheLeakyTestsToo) {
    const Scene scene = clear(placedSoup(2, 2));
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
/// As the copies' corners are rounded, a few rays differ, at edges and on slivers.
void expectHitsOfCopies(const Scene& scene, int mostOther) {
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
        const bool same =
            a.shape == b.shape && std::abs(a.distance - b.distance) <= 1e-5 * (1 + a.distance);
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
    EXPECT_LE(other, mostOther);
}

TEST(Places, HitsAreThoseOfCopies) {
    for (const double stretch : {1., 2., 10.}) {
        expectHitsOfCopies(placedSoup(3, stretch), 60);
        expectHitsOfCopies(clear(placedSoup(3, stretch)), 3);
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

/// A town of a few towers that shine, on matt ground, with pieces that shine and such as do not.
Scene lit() {
    Scene scene = sceneOf(ball(2, true));
    scene.sky = {SkyKind::gradient, {.1, .1, .1}, {.2, .3, .5}};
    scene.camera.from = {0, 6, 16};
    Twister random(31);
    for (int i = 0; i < 12; ++i) scene.meshes[0].places.push_back(anyPlace(random, 2, 5, 1));
    scene.meshes[0].material = materialOfKind(MaterialKind::lambert, .7);
    Mesh mixed = cube();
    mixed.materials = {materialOfKind(MaterialKind::lambert, .3),
                       materialOfKind(MaterialKind::lambert, .3, 4)};
    const int faces = static_cast<int>(mixed.faces.size());
    for (int i = 0; i < faces; ++i) {
        Triangle shining = mixed.faces[i];
        shining.material = 1;
        mixed.faces.push_back(shining);
    }
    const auto moved = [](double x, double y, double z) {
        return Placement(glm::dmat4x3(
            glm::scale(glm::translate(glm::dmat4(1), {x, y, z}), glm::dvec3(.5, .5, .5))));
    };
    mixed.pieces = {{faces, {moved(3, 0, 0), moved(-3, 1, 0)}},
                    {faces, {moved(0, 3, 2), moved(2, -3, 1), moved(-4, -2, 3)}}};
    scene.meshes.push_back(placed(std::move(mixed)));
    scene.spheres.push_back({{0, -104, 0}, 100, materialOfKind(MaterialKind::lambert, .5)});
    return scene;
}

TEST(Places, MakeThePictureOfCopies_long) {
    const Scene scene = lit(), flat = flattened(scene);
    for (const char* lights : {"light_sampling=off", "light_sampling=on"}) {
        const auto render = [&](const Scene& s, std::vector<std::string> choices) {
            choices.emplace_back(lights);
            return renderCpu(s, cpuSettings(s, choices), 48, 36, 64);
        };
        const Rendered tree = render(scene, {}), copies = render(flat, {});
        const auto rays = static_cast<double>(copies.stats.rays.total());
        EXPECT_NEAR(static_cast<double>(tree.stats.rays.total()) / rays, 1, 2e-3) << lights;
        EXPECT_NEAR(tree.mean().r / copies.mean().r, 1, 5e-3) << lights;
        EXPECT_NEAR(tree.mean().b / copies.mean().b, 1, 5e-3) << lights;
        EXPECT_TRUE(sameBits(tree, render(scene, {"accel=brute"})));
        EXPECT_TRUE(sameBits(tree, render(scene, {"scene_layout=aos"})));
        EXPECT_NEAR(render(scene, {"precision=double"}).mean().g / tree.mean().g, 1, 5e-3);
        if (!hasEmbree()) continue;
        EXPECT_NEAR(render(scene, {"accel=embree"}).mean().g / tree.mean().g, 1, 5e-3);
    }
}

/// Embree has instances where ours are in places, some of them mirrored or stretched.
TEST(Places, EmbreeFindsWhatOursFind) {
    if (!hasEmbree()) GTEST_SKIP() << "built without Embree";
    Scene scene = lit();
    const Placement mirrored({-1, 0, .2f}, {0, 2, 0}, {.3f, 0, .7f}, {1, 1, -3});
    scene.meshes.push_back(placed(cube()));
    scene.meshes.back().places = {mirrored, Placement(1)};
    const Traced<float, Accel::bvh, VertexLayout::unrolled, Traversal::ifIf, kPlaces | kWalls> own(
        scene);
    Twister random(71);
    MeshRay ray;
    // every other ray leaves what the one before has hit; a sphere of radius 100 rounds to some
    // 1e-5
    expectEmbreesHits(scene, own, 100'000, 1e-5f, [&](int i) {
        const Hit<float> hit = i % 2 ? own(ray.origin, ray.direction) : Hit<float>{0, kNoShape};
        const bool leaves = kindOf(hit.shape) == ShapeKind::triangle;
        const Point there = ray.origin + ray.direction * double(hit.distance);
        ray = {leaves ? there : pointIn(random, 6), direction(random),
               leaves ? hit.shape : kNoShape};
        return ray;
    });
}

/// Every value that an axis has is rendered, or refused in a sentence about places or triangles.
TEST(Places, EachChoiceWorksOrSaysWhyNot) {
    const Scene scene = lit();
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        EXPECT_EQ(unsupported(defaultSettings(backend, scene), scene), "");
        for (const std::string choice :
             {"accel=bvh4", "accel=bvh8", "hierarchy=lbvh", "hierarchy=ploc", "hierarchy=sbvh"}) {
            Settings settings = defaultSettings(backend, scene);
            assignAll(settings, {choice});
            const bool works = backend == Backend::cpu && choice.starts_with("accel=");
            EXPECT_EQ(unsupported(settings, scene).empty(), works) << choice;
        }
    }
    int rendered = 0;
    for (const Axis& axis : axes()) {
        if (axis.kind == AxisKind::number || !axis.appliesTo(Backend::cpu)) continue;
        for (int value = 0; value <= axis.maximum; ++value) {
            Settings settings = defaultSettings(Backend::cpu, scene);
            choose(settings, axis, value);
            if (!renderer->unsupported(settings).empty()) continue;
            ++rendered;
            const Rendered r = renderWith(*renderer, settings, scene.camera, 16, 12, 2);
            EXPECT_GT(r.mean().g, 0) << axis.id;
        }
    }
    EXPECT_GE(rendered, 15);
}

/// A sphere that is edited leaves the tree, and finds its way among places.
TEST(Places, SpheresBetweenThemAreEdited) {
    Scene scene = lit();
    for (int i = 0; i < 30; ++i) scene.spheres.push_back({{0, 0, 0}, .1, {}});
    Scene edited = scene;
    Twister random(51);
    for (int i = 1; i < 31; ++i) edited.spheres[i].center = pointIn(random, 5);
    for (const char* accel : {"accel=bvh", "accel=bvh8"}) {
        const Settings settings = cpuSettings(scene, {"light_sampling=off", accel});
        const Rendered r = renderEdited(scene, edited, settings, 48, 36, 4);
        EXPECT_TRUE(sameBits(r, renderCpu(edited, settings, 48, 36, 4))) << accel;
    }
}

TEST(Places, AreWrittenAndRead) {
    Scene scene = sceneOf(cube());
    Twister random(41);
    for (int i = 0; i < 5; ++i) scene.meshes[0].places.push_back(anyPlace(random, i, 20, 3));
    const auto again = sceneFromJson(toJson(scene), "");
    ASSERT_TRUE(again) << again.reason();
    EXPECT_TRUE(*again == scene);
    Scene other = scene;
    other.meshes[0].places[4][3].x += 1;
    EXPECT_FALSE(other == scene);

    const auto reason = [&](const char* places) {
        nlohmann::json json = toJson(scene);
        json["meshes"][0]["places"] = nlohmann::json::parse(places);
        const auto read = sceneFromJson(json, "");
        return read ? "" : read.reason();
    };
    EXPECT_EQ(reason("[[1,0,0,0, 0,1,0,0, 0,0,1,0]]"), "");
    for (const char* bad : {"[]", "{}", "[[1,0,0,0, 0,1,0,0, 0,0,1]]",
                            "[[1,0,0,0, 0,1,0,0, 0,0,0,0]]", "[[1,0,0,1e8, 0,1,0,0, 0,0,1,0]]",
                            "[[1,0,0,\"0\", 0,1,0,0, 0,0,1,0]]", "[[1,0,0,0, 2,0,0,0, 0,0,1,0]]"})
        EXPECT_NE(reason(bad).find("meshes[0].places"), std::string::npos) << bad << reason(bad);
}

TEST(Places, HaveLimits) {
    const auto problem = [](std::size_t triangles, std::size_t places, bool lamp) {
        MeshOutline outline{triangles, triangles, {materialOfKind(MaterialKind::lambert, .5)}};
        SceneMesh mesh{SharedMesh(outline, [] { return Mesh(); })};
        mesh.places.resize(places, Placement(1));
        if (lamp) mesh.material = materialOfKind(MaterialKind::lambert, .5, 1);
        return MeshCount().add(mesh);
    };
    EXPECT_EQ(problem(1000, 100'000, false), "");
    EXPECT_NE(problem(1000, 200'000, false).find("134217727"), std::string::npos);
    EXPECT_NE(problem(1, 2'000'000, false).find("1048576 places"), std::string::npos);
    EXPECT_EQ(problem(1000, 10'000, true), "");
    EXPECT_NE(problem(1000, 20'000, true).find("that shine"), std::string::npos);
}

TEST(Places, ScenesByNameTakeLittleMemory) {
    const std::pair<const char*, double> scenes[] = {
        {"forest-1000", 1000 * 100.}, {"blocks-1000000", 990'000}, {"blocks-50000", 45'000}};
    for (const auto& [name, least] : scenes) {
        const Scene scene = sceneNamed(name);
        const SharedMesh& shared = scene.meshes[0].mesh;
        const MeshOutline outline = shared.outline();
        EXPECT_GT(triangleCount(scene), least) << name;
        const Mesh& mesh = *shared;
        const MeshOutline found = SharedMesh(std::make_shared<const Mesh>(mesh)).outline();
        EXPECT_EQ(found.triangles, outline.triangles) << name;
        EXPECT_EQ(found.corners, outline.corners) << name;
        EXPECT_EQ(found.places, outline.places) << name;
        EXPECT_EQ(found.placed, outline.placed) << name;
        EXPECT_EQ(found.materials, outline.materials) << name;
        Mesh tidied = mesh;
        tidy(tidied);
        EXPECT_TRUE(tidied == mesh) << name;
        for (const MeshPiece& piece : mesh.pieces) {
            for (const Placement& place : piece.places) ASSERT_TRUE(isPlace(place)) << name;
        }
        const auto again = sceneFromJson(toJson(scene), "");
        ASSERT_TRUE(again) << again.reason();
        EXPECT_TRUE(*again == scene);
        const SharedMesh copies = sceneNamed(std::string("copied-") + name).meshes[0].mesh;
        EXPECT_EQ(copies.outline().triangles, outline.placed) << name;
        EXPECT_EQ(copies->faces.size(), outline.placed) << name;
        EXPECT_EQ(copies->corners.size(), copies.outline().corners) << name;
        EXPECT_EQ(copies->materials, copies.outline().materials) << name;
        EXPECT_EQ(copies.outline().places, 0u) << name;
        EXPECT_LT(packScene<float>(scene, SceneLayout::aos, Accel::bvh).size(), 12e6) << name;
    }
    for (const char* bad :
         {"forest-9", "forest-250001", "blocks-9999", "blocks-134217728", "copied-blocks-16777217"})
        EXPECT_FALSE(findScene(bad)) << bad;
}

/// A file of one mesh in many nodes, and of another in one.
class PlacesOfModel : public ModelFile {
protected:
    Mesh modelOf(int triangles, int nodes, const char* emission) {
        std::string bytes;
        Twister random(61);
        for (int i = 0; i < 9 * triangles; ++i) {
            const auto number = static_cast<float>(uniform(random, -1, 1));
            bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
        }
        write("data.bin", bytes);
        nlohmann::json json;
        json["asset"]["version"] = "2.0";
        json["buffers"] = {{{"uri", "data.bin"}, {"byteLength", bytes.size()}}};
        json["bufferViews"] = {{{"buffer", 0}, {"byteLength", bytes.size()}}};
        const auto accessor = [](int count) {
            return nlohmann::json{
                {"bufferView", 0}, {"componentType", 5126}, {"count", count}, {"type", "VEC3"}};
        };
        json["accessors"] = {accessor(3 * triangles), accessor(9)};
        json["materials"] = {{{"emissiveFactor", nlohmann::json::parse(emission)}}};
        for (const int a : {0, 1})
            json["meshes"].push_back(
                {{"primitives", {{{"attributes", {{"POSITION", a}}}, {"material", 0}}}}});
        json["nodes"].push_back({{"mesh", 1}, {"translation", {5, 0, 0}}});
        for (int i = 0; i < nodes; ++i)
            json["nodes"].push_back({{"mesh", 0},
                                     {"translation", {i % 100, i / 100, 0}},
                                     {"scale", {i % 2 ? 1 : -1, 1, 1}}});
        for (int i = 0; i <= nodes; ++i) json["scenes"][0]["nodes"].push_back(i);
        return read("many.gltf", json.dump());
    }
};

TEST_F(PlacesOfModel, AreNodesThatShareAMesh) {
    const Mesh shared = modelOf(600, 300, "[0,0,0]");
    ASSERT_EQ(shared.pieces.size(), 2u);
    EXPECT_EQ(shared.faces.size(), 603u);
    EXPECT_EQ(shared.pieces[0].faces, 3);
    EXPECT_EQ(shared.pieces[1].places.size(), 300u);
    const Scene copied = flattened(sceneOf(shared));
    const Mesh& flat = *copied.meshes[0].mesh;
    EXPECT_EQ(flat.faces.size(), 3 + 600u * 300);
    const Mesh copies = modelOf(600, 300, "[1,1,1]");
    EXPECT_TRUE(copies.pieces.empty()) << "lamps are copied";
    ASSERT_EQ(copies.faces.size(), flat.faces.size());
    for (std::size_t i = 0; i < flat.faces.size(); i += 97) {
        for (int k = 0; k < 3; ++k) {
            const Point a(flat.corners[flat.faces[i].corners[k]]);
            const Point b(copies.corners[copies.faces[i].corners[k]]);
            ASSERT_LT(glm::distance(a, b), 1e-4) << i;
        }
    }
    EXPECT_TRUE(modelOf(600, 30, "[0,0,0]").pieces.empty()) << "copies are small";
}

}  // namespace
}  // namespace rayscope
