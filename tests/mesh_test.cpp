// Triangles: what rays hit, with a hierarchy and without, and what they look like.

#include "renderer/core/mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "renderer/devices/starting.h"
#include "tests/embree_hits.h"
#include "tests/mesh_rays.h"
#include "tests/pictured_square.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

/// The hierarchies of scenes with triangles.
constexpr Accel kTrees[] = {Accel::bvh, Accel::bvh4, Accel::bvh8};
constexpr const char* kTreeNames[] = {"accel=bvh", "accel=bvh4", "accel=bvh8"};

template <class Real>
void expectSameShapes(const Scene& scene, Accel accel, int rays, unsigned seed) {
    expectSameHits(Traced<Real>(scene, Accel::brute), Traced<Real>(scene, accel),
                   *scene.meshes[0].mesh, rays, seed);
}

TEST(Mesh, AHierarchyFindsWhatBruteForceFinds) {
    for (const Accel accel : kTrees) {
        expectSameShapes<float>(soup(300, 1), accel, 200'000, 2);
        expectSameShapes<double>(soup(300, 3), accel, 100'000, 4);
        expectSameShapes<float>(soup(3, 5), accel, 50'000, 6);
    }
    Scene far = soup(200, 7);
    Mesh moved = *far.meshes[0].mesh;
    for (glm::vec3& c : moved.corners) c += glm::vec3(0, 5000, 0);
    far.spheres.clear();
    far.meshes = {placed(std::move(moved))};
    for (const Accel accel : kTrees) expectSameShapes<float>(far, accel, 50'000, 8);
}

/// Against a second implementation: rays that pass all edges clearly have the same hit.
template <class Real>
void expectTextbookHits(int rays) {
    const Scene scene = sceneOf(withoutSlivers(*soup(250, 11).meshes[0].mesh));
    const Traced<Real> traced(scene, Accel::bvh);
    const Mesh& mesh = *scene.meshes[0].mesh;
    Twister random(12);
    int compared = 0;
    for (int i = 0; i < rays; ++i) {
        const MeshRay r = meshRay(mesh, 12, random, i % 2);
        const TextbookHit textbook = textbookHit(scene, r);
        if (!textbook.clear) continue;
        ++compared;
        const Hit<Real> hit = traced(r.origin, r.direction);
        ASSERT_EQ(hit.shape, textbook.shape) << "ray " << i;
        if (textbook.shape < 0) continue;
        ASSERT_NEAR(hit.distance / textbook.distance, 1, sizeof(Real) == 4 ? 1e-3 : 1e-6);
    }
    EXPECT_GT(compared, rays / 5);
}

TEST(Mesh, HitsAreTheTextbooks) {
    expectTextbookHits<float>(40'000);
    expectTextbookHits<double>(40'000);
}

/// From inside a closed surface every ray hits it, at edges and corners too.
template <class Real>
void expectWatertight(Mesh mesh, int rays) {
    Twister random(21);
    const Scene scene = sceneOf(mesh);
    const Traced<Real> traced(scene, Accel::bvh);
    for (int i = 0; i < rays; ++i) {
        MeshRay r = meshRay(mesh, .3, random, 2 + i % 2);
        if (i % 3 == 0) r = {pointIn(random, .5), direction(random)};
        const Hit<Real> hit = traced(r.origin, r.direction);
        ASSERT_EQ(kindOf(hit.shape), ShapeKind::triangle) << "ray " << i << " got out";
    }
}

TEST(Mesh, IsWatertight) {
    expectWatertight<float>(ball(4), 400'000);
    expectWatertight<double>(ball(4), 100'000);
    Mesh dented = ball(3);
    Twister random(22);
    for (glm::vec3& c : dented.corners) c *= static_cast<float>(uniform(random, .8, 1.6));
    expectWatertight<float>(dented, 200'000);
    Mesh stretched = ball(4);  // slivers
    for (glm::vec3& c : stretched.corners) c *= glm::vec3(1, 200, 1);
    expectWatertight<float>(stretched, 200'000);
}

TEST(Mesh, WhatIsNoTriangleIsNotHit) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    const Vec3<float> a{0, 0, 1}, b{1, 0, 1}, c{0, 1, 1};
    constexpr Variant kVariant = meshVariant(Precision::float32);
    const auto hit = [&](Vec3<float> p, Vec3<float> q, Vec3<float> r) {
        const auto across = acrossRay<kVariant>(Vec3<float>{.25f, .25f, 0}, Vec3<float>{0, 0, 1});
        return distanceTo<kVariant>(ListedShape<float>{p, kTriangleShape, q, 0, r, 0}, across) > 0;
    };
    EXPECT_TRUE(hit(a, b, c));
    EXPECT_TRUE(hit(a, c, b));
    for (const float bad : {nan, infinity}) {
        EXPECT_FALSE(hit({bad, 0, 1}, b, c));
        EXPECT_FALSE(hit(a, {1, bad, 1}, c));
        EXPECT_FALSE(hit(a, b, {0, 1, bad}));
    }
    EXPECT_FALSE(hit(a, a, a));
    EXPECT_FALSE(hit({.25f, .25f, 1}, {.25f, .25f, 1}, {.25f, .25f, 1}));
}

TEST(Mesh, ABoxThatShinesAndReflectsIsAFurnace) {
    const Scene scene = furnace();
    for (const char* accel : {"accel=bvh", "accel=brute", "accel=bvh8"}) {
        for (const char* precision : {"precision=float", "precision=double"}) {
            const Rendered r = renderCpu(scene, cpuSettings(scene, {accel, precision}), 32, 32, 16);
            const auto dark = pixelsNotOne(r.pixels);
            EXPECT_LE(dark, 2);
            EXPECT_NEAR(r.mean().g, 1, 1e-5);
            const auto rays = static_cast<double>(r.stats.rays.bounce + r.stats.rays.camera);
            EXPECT_NEAR(rays / (32. * 32 * 16 * kMaxDepth), 1, 1e-4);
        }
    }
}

TEST(Mesh, WhiteSurfacesInAUniformSkyAreInvisible) {
    for (const MaterialKind kind : {MaterialKind::lambert, MaterialKind::metal}) {
        Mesh mesh = ball(3);
        mesh.materials = {materialOfKind(kind, 1)};
        Scene scene = sceneOf(mesh, .7);
        const Rendered r = renderCpu(scene, cpuSettings(scene), 32, 32, 16);
        for (const Pixel& p : r.pixels) ASSERT_NEAR(p.g / p.samples, .7, 1e-5);
    }
    Mesh glass = ball(3);
    glass.materials = {materialOfKind(MaterialKind::dielectric, 1)};
    Scene scene = sceneOf(glass, .7);
    scene.depth = kMaxDepth;
    const Rendered r = renderCpu(scene, cpuSettings(scene), 32, 32, 16);
    EXPECT_NEAR(r.mean().g, .7, 1e-3);
}

/// With interpolated normals a fine mesh of a sphere looks like the sphere, of any material.
TEST(Mesh, AFineBallLooksLikeASphere) {
    for (const MaterialKind kind :
         {MaterialKind::lambert, MaterialKind::metal, MaterialKind::dielectric}) {
        Mesh mesh = ball(6, true);
        mesh.materials = {materialOfKind(kind, .7)};
        Scene triangles = sceneOf(mesh);
        triangles.sky = {SkyKind::gradient, {.1, .2, .9}, {1, .8, .3}};
        Scene sphere = triangles;
        sphere.meshes.clear();
        sphere.spheres = {{{0, 0, 0}, 1, mesh.materials[0]}};
        const Rendered a = renderCpu(triangles, cpuSettings(triangles), 48, 48, 64);
        const Rendered b = renderCpu(sphere, cpuSettings(sphere), 48, 48, 64);
        EXPECT_NEAR(a.mean().r, b.mean().r, 2e-3) << static_cast<int>(kind);
        EXPECT_NEAR(a.mean().b, b.mean().b, 2e-3) << static_cast<int>(kind);
        double sum = 0;
        for (std::size_t i = 0; i < a.pixels.size(); ++i)
            sum += std::abs(a.pixels[i].r - b.pixels[i].r) / a.pixels[i].samples;
        EXPECT_LT(sum / static_cast<double>(a.pixels.size()), .01) << static_cast<int>(kind);
    }
}

Scene mixed() {
    Scene scene = soup(400, 31);
    scene.sky = {SkyKind::gradient, {1, 1, 1}, {.5, .7, 1}};
    scene.camera.from = {0, 3, 25};
    scene.spheres[0].material = materialOfKind(MaterialKind::lambert, .5, 8);
    scene.spheres[0].radius = 2;
    return scene;
}

TEST(Mesh, ChoicesMakeTheSamePicture) {
    const Scene scene = mixed();
    const auto render = [&](std::vector<std::string> choices) {
        return renderCpu(scene, cpuSettings(scene, choices), 64, 48, 8);
    };
    for (const char* lights : {"light_sampling=off", "light_sampling=on"}) {
        const Rendered base = render({lights, "scene_layout=soa", "accel=bvh"});
        EXPECT_TRUE(sameBits(base, render({lights, "scene_layout=aos", "accel=bvh"})));
        EXPECT_TRUE(sameBits(base, render({lights, "scene_layout=soa", "accel=brute"})));
        EXPECT_TRUE(sameBits(base, render({lights, "scene_layout=aos", "accel=bvh4"})));
        EXPECT_TRUE(sameBits(base, render({lights, "scene_layout=soa", "accel=bvh8"})));
        const Rendered wide = render({lights, "precision=double"});
        EXPECT_NEAR(wide.mean().g / base.mean().g, 1, 1e-2);
    }
}

/// Of triangles, also of those with textures or in places, and of spheres that are walls.
TEST(Mesh, WavesMakeTheSamePicture_nightly) {
    Scene walls = mixed();
    walls.spheres.push_back({{0, -1e6 - 9, 0}, 1e6, materialOfKind(MaterialKind::metal, .5)});
    for (const Scene& scene : {mixed(), walls, sceneNamed("globe"), sceneNamed("blocks-20000"),
                               sceneNamed("cornell-box")}) {
        const char* lights = hasLampOfTriangles(scene) ? "light_sampling=on" : "light_sampling=off";
        for (const char* precision : {"precision=float", "precision=double"}) {
            const auto render = [&](std::vector<std::string> choices) {
                choices.insert(choices.end(), {lights, precision});
                return renderCpu(scene, cpuSettings(scene, choices), 48, 36, 4);
            };
            const Rendered base = render({});
            for (const char* stages : {"kernels=fused", "kernels=separate"}) {
                for (const char* state : {"state_layout=aos", "state_layout=soa"}) {
                    EXPECT_TRUE(sameBits(base, render({"engine=wavefront", stages, state})));
                }
            }
            EXPECT_TRUE(sameBits(base, render({"engine=wavefront", "compaction=off"})));
            EXPECT_TRUE(sameBits(base, render({"engine=wavefront", "scene_layout=aos"})));
            EXPECT_TRUE(sameBits(base, render({"engine=wavefront", "accel=brute"})));
        }
    }
}

TEST(Mesh, SamplingLampsKeepsTheMean) {
    Scene scene = mixed();
    scene.sky = {};
    const auto mean = [&](const char* lights) {
        return renderCpu(scene, cpuSettings(scene, {lights}), 64, 48, 256).mean().g;
    };
    const double on = mean("light_sampling=on");
    EXPECT_GT(on, 0);
    EXPECT_NEAR(mean("light_sampling=off") / on, 1, .05);
}

/// Lamps of triangles and a sphere together; some shine through a mesh with interpolated normals.
TEST(Mesh, SamplingLampsOfTrianglesKeepsTheMean) {
    Scene box = sceneNamed("cornell-box");
    box.spheres.push_back({{2, 3.5, 1}, .3, materialOfKind(MaterialKind::lambert, .2, 6)});
    Mesh smooth = ball(2, true);
    for (glm::vec3& c : smooth.corners) c = c * .7f + glm::vec3(4, 4.2, 1.5);
    smooth.materials = {materialOfKind(MaterialKind::lambert, .7)};
    box.meshes.push_back(placed(std::move(smooth)));
    Mesh lamp = cube();
    for (glm::vec3& c : lamp.corners) c = c * glm::vec3(.1, .8, .3) + glm::vec3(1, 2, 4);
    lamp.materials = {materialOfKind(MaterialKind::lambert, .5, 2)};
    box.meshes.push_back(placed(std::move(lamp)));
    const auto render = [&](const char* lights, int spp) {
        return renderCpu(box, cpuSettings(box, {lights}), 48, 48, spp);
    };
    const Rendered on = render("light_sampling=on", 128), off = render("light_sampling=off", 2048);
    EXPECT_GT(on.stats.rays.shadow, on.stats.rays.camera);
    EXPECT_EQ(off.stats.rays.shadow, 0u);
    EXPECT_NEAR(on.mean().r / off.mean().r, 1, .01);
    EXPECT_NEAR(on.mean().b / off.mean().b, 1, .01);
    Settings wide = cpuSettings(box, {"light_sampling=on", "precision=double"});
    EXPECT_NEAR(renderCpu(box, wide, 48, 48, 128).mean().g / on.mean().g, 1, 2e-3);
}

/// Its cosine from there would be rounding alone.
TEST(Mesh, ALampIsNotSampledFromItsOwnPlane) {
    Mesh lamp = squareWith({1, 1, {kWhite8}});
    for (glm::vec3& c : lamp.corners) c += glm::vec3(.1, .2, c.x * .3f + c.y * .7f);
    lamp.materials[0] = materialOfKind(MaterialKind::lambert, .5, 5);
    const Scene scene = sceneOf(std::move(lamp));
    for (const char* test : {"triangle=watertight", "triangle=moller_trumbore", "triangle=woop"}) {
        for (const char* precision : {"precision=float", "precision=double"}) {
            const Settings settings =
                cpuSettings(scene, {"accel=bvh", "light_sampling=on", test, precision});
            const Rays rays = renderCpu(scene, settings, 64, 64, 16).stats.rays;
            EXPECT_GT(rays.bounce, 1000u);
            EXPECT_EQ(rays.shadow, 0u) << test << " " << precision;
        }
    }
}

TEST(Mesh, OpensWithTheBestOfWhatIsAllowed) {
    const Scene scene = sceneOf(cube(), 1);
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        const Settings settings = startingSettings(backend, scene);
        EXPECT_EQ(unsupported(settings, scene), "");
        EXPECT_EQ(settings.variant.accel, backend == Backend::cpu ? Accel::bvh8 : Accel::bvh);
    }
    const Scene before = sceneNamed("weekend");
    Settings settings = startingSettings(Backend::cpu, before);
    assignAll(settings, {"accel=grid"});
    std::string reason;
    const Settings after = forScene(settings, before, scene, &reason);
    EXPECT_EQ(unsupported(after, scene), "");
    EXPECT_NE(reason.find("triangles"), std::string::npos) << reason;
}

void expectTheSamePictures(const std::vector<std::string>& levels) {
    for (const char* name : {"terrain-1000", "city-1000", "cornell-box"}) {
        Scene scene = sceneNamed(name);
        scene.spheres.push_back({{1, 2, 1}, .3, materialOfKind(MaterialKind::dielectric, 1)});
        const char* lights = hasLampOfTriangles(scene) ? "light_sampling=on" : "light_sampling=off";
        for (const char* precision : {"precision=float", "precision=double"}) {
            for (const std::string& opt : levels) {
                std::vector<Rendered> pictures;
                for (const char* engine : {"engine=megakernel", "engine=wavefront"}) {
                    for (const char* accel : kTreeNames) {
                        const Settings settings =
                            cpuSettings(scene, {engine, accel, lights, precision, opt});
                        pictures.push_back(renderCpu(scene, settings, 32, 24, 4));
                        EXPECT_TRUE(sameBits(pictures[0], pictures.back()))
                            << name << ' ' << engine << ' ' << accel << ' ' << precision << ' '
                            << opt;
                    }
                }
            }
        }
    }
}

TEST(Mesh, HierarchiesMakeTheSamePicture) {
    expectTheSamePictures({"opt=native"});
}

/// In each build of the kernels, whose vectors differ.
TEST(Mesh, HierarchiesMakeTheSamePictureAtEachLevel_nightly) {
    expectTheSamePictures({"opt=O0", "opt=O1", "opt=O2", "opt=O3"});
}

TEST(Mesh, NodesOfFourAndEightAreForTriangles) {
    const Scene triangles = mixed(), spheres = sceneNamed("weekend");
    const auto refusal = [](const Scene& scene, Backend backend, const char* accel) {
        Settings settings = defaultSettings(backend, scene);
        assignAll(settings, {accel});
        return unsupported(settings, scene);
    };
    EXPECT_EQ(refusal(triangles, Backend::cpu, "accel=bvh4"), "");
    EXPECT_EQ(refusal(triangles, Backend::cpu, "accel=bvh8"), "");
    EXPECT_NE(refusal(triangles, Backend::cuda, "accel=bvh4").find("nodes of eight"),
              std::string::npos);
    EXPECT_EQ(refusal(triangles, Backend::cuda, "accel=bvh8"), "");
    EXPECT_NE(refusal(spheres, Backend::cpu, "accel=bvh8").find("no triangles"), std::string::npos);
}

/// Spheres that are edited leave the hierarchy, and may be anywhere.
TEST(Mesh, NodesOfFourAndEightFollowEditedSpheres) {
    Scene scene = mixed();
    while (scene.spheres.size() < 100) scene.spheres.push_back({{0, 0, 0}, .1, {}});
    Scene edited = scene;
    Twister random(51);
    for (Sphere& sphere : edited.spheres) sphere.center = pointIn(random, 15);
    for (const char* accel : {"accel=bvh4", "accel=bvh8"}) {
        const Settings settings = cpuSettings(scene, {accel, "light_sampling=off"});
        const Rendered r = renderEdited(scene, edited, settings, 48, 36, 4);
        EXPECT_TRUE(sameBits(r, renderCpu(edited, settings, 48, 36, 4))) << accel;
        EXPECT_GE(r.stats.buildMs, 0);
    }
}

void expectEmbreesMeshHits(const Scene& scene, int rays, unsigned seed) {
    Twister random(seed);
    expectEmbreesHits(scene, Traced<float>(scene, Accel::bvh), rays, 0, [&](int i) {
        return meshRay(*scene.meshes[0].mesh, 12, random, i % 2 ? i / 2 % 2 : 5);
    });
}

TEST(Mesh, EmbreeFindsWhatOursFind) {
    if (!hasEmbree()) GTEST_SKIP() << "built without Embree";
    Scene scene = soup(300, 41);
    scene.meshes = {placed(withoutSlivers(*scene.meshes[0].mesh))};
    expectEmbreesMeshHits(scene, 300'000, 42);
    scene.spheres.push_back({{0, -5012, 0}, 5000, {}});
    scene.meshes.push_back(placed(Mesh{}));  // without triangles
    expectEmbreesMeshHits(scene, 100'000, 43);
}

TEST(Mesh, EmbreeMakesTheSamePicture) {
    if (!hasEmbree()) GTEST_SKIP() << "built without Embree";
    for (const char* name : {"city-1000", "cornell-box"}) {
        Scene scene = sceneNamed(name);
        scene.spheres.push_back({{1, 2, 1}, .3, materialOfKind(MaterialKind::dielectric, 1)});
        if (!hasLampOfTriangles(scene))  // a wall
            scene.spheres.push_back(
                {{0, -2e4 - 1, 0}, 2e4, materialOfKind(MaterialKind::lambert, .5)});
        const char* lights = hasLampOfTriangles(scene) ? "light_sampling=on" : "light_sampling=off";
        const auto render = [&](const char* accel) {
            return renderCpu(scene, cpuSettings(scene, {accel, lights}), 64, 48, 32);
        };
        const Rendered ours = render("accel=bvh"), theirs = render("accel=embree");
        const auto rays = static_cast<double>(ours.stats.rays.total());
        EXPECT_NEAR(static_cast<double>(theirs.stats.rays.total()) / rays, 1, 2e-3) << name;
        EXPECT_NEAR(theirs.mean().g / ours.mean().g, 1, 1e-2) << name;
        EXPECT_GE(theirs.stats.buildMs, 0);
        const Settings waves = cpuSettings(scene, {"engine=wavefront", "accel=embree", lights});
        EXPECT_TRUE(sameBits(theirs, renderCpu(scene, waves, 64, 48, 32))) << name;
    }
}

TEST(Mesh, EmbreeIsForTrianglesOfAProgramThatHasIt) {
    const Scene scene = mixed();
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    renderer->setScene(scene);
    const auto refusal = [&](std::vector<std::string> choices) {
        choices.emplace_back("accel=embree");
        return renderer->unsupported(cpuSettings(scene, choices));
    };
    if (hasEmbree())
        EXPECT_EQ(refusal({}), "");
    else
        EXPECT_EQ(refusal({}), "accel=embree: this program was built without Embree (accel=bvh)");
    EXPECT_NE(refusal({"precision=double"}), "");
    const Scene spheres = sceneNamed("weekend");
    EXPECT_NE(unsupported(cpuSettings(spheres, {"accel=embree"}), spheres).find("no triangles"),
              std::string::npos);
}

/// A sphere that is edited moves in Embree's hierarchy too.
TEST(Mesh, EmbreeFollowsAnEditedSphere) {
    if (!hasEmbree()) GTEST_SKIP() << "built without Embree";
    Scene scene = sceneOf(cube(), 1);
    scene.spheres = {{{3, 0, 0}, .5, materialOfKind(MaterialKind::lambert, .2)}};
    const Settings settings = cpuSettings(scene, {"accel=embree"});
    Scene edited = scene;
    edited.spheres[0].center = {0, 0, 2};
    EXPECT_TRUE(sameBits(renderEdited(scene, edited, settings, 32, 32, 4),
                         renderCpu(edited, settings, 32, 32, 4)));
}

/// Every value that an axis has is rendered, or refused in a sentence about triangles.
TEST(Mesh, EachChoiceWorksOrSaysWhyNot) {
    const Scene scene = mixed();
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer(), spheres = makeCpuRenderer();
    renderer->setScene(scene);
    spheres->setScene(sceneNamed("vt9"));
    int refused = 0, rendered = 0;
    for (const Axis& axis : axes()) {
        if (axis.kind == AxisKind::number || !axis.appliesTo(Backend::cpu)) continue;
        for (int value = 0; value <= axis.maximum; ++value) {
            Settings settings = defaultSettings(Backend::cpu, scene);
            choose(settings, axis, value);
            if (!spheres->unsupported(settings).empty()) continue;
            const std::string why = renderer->unsupported(settings);
            if (why.empty()) {
                ++rendered;
                const Rendered r = renderWith(*renderer, settings, scene.camera, 16, 12, 2);
                EXPECT_GT(r.mean().g, 0) << axis.id;
            } else {
                ++refused;
                EXPECT_NE(why.find("triangles"), std::string::npos) << why;
            }
        }
    }
    EXPECT_GE(refused, 4);  // recursion, regeneration and a shared generator are not any more
    EXPECT_GE(rendered, 20);
}

/// A window that asks meanwhile gets an answer at once.
TEST(Mesh, ManyTrianglesArePackedBesideTheCaller) {
    const Scene many = *findScene("terrain-200000"), fewer = *findScene("city-30000");
    ASSERT_TRUE(takesLongToPack(fewer));
    const std::unique_ptr<Renderer> renderer = makeCpuRenderer();
    std::vector<Pixel> pixels(16 * 9);
    Film film{16, 9, pixels.data()};
    const std::unique_ptr<Session> session = renderer->open(film);
    session->setTarget(2);
    const auto advance = [&](const Scene& scene, const char* accel, double ms) {
        return session->advance(cpuSettings(scene, {accel}), scene.camera, ms).launches;
    };
    renderer->setScene(many);
    EXPECT_EQ(advance(many, "accel=bvh", 0), 0);
    EXPECT_FALSE(session->kernel().ready);
    EXPECT_TRUE(session->kernel().packing);
    renderer->setScene(fewer);  // while the other is being packed
    session->clear();
    while (!session->done()) advance(fewer, "accel=bvh8", 1);
    EXPECT_TRUE(session->kernel().ready);
    EXPECT_FALSE(session->kernel().packing);
    const Rendered alone = renderCpu(fewer, cpuSettings(fewer, {"accel=bvh8"}), 16, 9, 2);
    EXPECT_TRUE(sameBits({pixels, {}}, alone));
}

}  // namespace
}  // namespace rayscope
