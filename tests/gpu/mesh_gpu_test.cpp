// Triangles on a real device, each choice against the CPU.

#include "renderer/scene/half_corners.h"
#include "tests/gpu/compile_ahead.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/pictured_square.h"

#ifdef RAYSCOPE_CUDA

namespace rayscope {
namespace {

class MeshOnGpu : public Gpu {
protected:
    void take(const Scene& scene) {
        scene_ = scene;
        renderer_->setScene(scene_);
        settings_ = defaultSettings(Backend::cuda, scene_);
        settings_.variant.countDepths = true;
        settings_.samples = kFewSpp;
    }

    /// Renders with each list of assignments, in both precisions.
    void compare(const std::vector<std::vector<std::string>>& choices) {
        for (const Precision precision : {Precision::float64, Precision::float32}) {
            Settings base = settings_;
            base.variant.precision = precision;
            const Rendering reference = renderOnCpu(base, scene_, kFewSpp);
            std::vector<Settings> supported;
            for (const std::vector<std::string>& assignments : choices) {
                Settings settings = base;
                for (const std::string& a : assignments)
                    ASSERT_EQ(assign(settings, a).reason(), "");
                EXPECT_EQ(renderer_->unsupported(settings), "");
                supported.push_back(settings);
            }
            compileAhead(supported, scene_, renderer_->device().architecture);
            for (const Settings& settings : supported) {
                expectPictureOf(settings, reference, 2e-3);
                ++compared_;
                if (HasFatalFailure()) return;
            }
        }
    }

    /// Of a scene, without light sampling and with it.
    void compareLit(const Scene& scene, const std::vector<std::vector<std::string>>& choices) {
        take(scene);
        for (const bool lights : {false, true}) {
            settings_.variant.lightSampling = lights;
            compare(choices);
        }
    }

    int compared_ = 0;
};

/// Triangles and spheres of all materials, with a lamp.
Scene mixed() {
    Mesh mesh = ball(3, true);
    mesh.materials = {materialOfKind(MaterialKind::lambert, .7)};
    Scene scene = sceneOf(mesh, .2);
    int at = -2;
    for (const MaterialKind kind :
         {MaterialKind::metal, MaterialKind::dielectric, MaterialKind::glass}) {
        Mesh other = ball(2, kind != MaterialKind::metal);
        for (glm::vec3& c : other.corners) c = c * .5f + glm::vec3(at, 1.2f, .5f);
        other.materials = {materialOfKind(kind, .9)};
        other.materials[0].roughness = .2;
        scene.meshes.push_back(placed(std::move(other)));
        scene.spheres.push_back({{at, -1.2, .7}, .4, materialOfKind(kind, .8)});
        at += 2;
    }
    scene.spheres.push_back({{0, 3, 2}, .5, materialOfKind(MaterialKind::lambert, .5, 20)});
    scene.spheres.push_back({{0, -102, 0}, 100, materialOfKind(MaterialKind::lambert, .5)});
    return scene;
}

TEST_F(MeshOnGpu, EveryChoiceFindsWhatTheCpuFinds) {
    for (const char* name : {"cornell-box", "terrain-2000", "city-2000", "globe"}) {
        take(load(name));
        compare({{},
                 {"accel=brute"},
                 {"accel=bvh8"},
                 {"accel=bvh8", "vertex_layout=indexed"},
                 {"accel=bvh8", "vertex_layout=soa"},
                 {"vertex_layout=indexed"},
                 {"vertex_layout=soa"},
                 {"traversal=if_if"},
                 {"traversal=while_while"},
                 {"traversal=if_if", "accel=bvh8"},
                 {"traversal=while_while", "accel=bvh8"},
                 {"stack=registers"},
                 {"stack=shared"},
                 {"stack=shared", "traversal=while_while", "block=1024x1"},
                 {"stack=none"},
                 {"stack=none", "traversal=if_if", "engine=wavefront"},
                 {"node_memory=texture"},
                 {"node_memory=texture", "accel=bvh8"},
                 {"node_memory=shared"},
                 {"node_memory=shared", "accel=bvh8"},
                 {"node_memory=shared", "stack=shared", "block=1024x1"},
                 {"node_memory=shared", "stack=none", "engine=wavefront"},
                 {"node_memory=shared", "engine=wavefront", "kernels=separate",
                  "ray_source=kernel"},
                 {"node_memory=texture", "hierarchy=ploc"},
                 {"hierarchy=lbvh"},
                 {"hierarchy=lbvh60", "vertex_layout=indexed"},
                 {"hierarchy=lbvh60", "vertex_layout=soa"},
                 {"hierarchy=lbvh", "accel=bvh8"},
                 {"hierarchy=ploc"},
                 {"hierarchy=sbvh"},
                 {"hierarchy=sbvh", "accel=bvh8"},
                 {"hierarchy=sbvh", "vertex_layout=soa"},
                 {"engine=regeneration"},
                 {"engine=regeneration", "samples_from=warp", "accel=bvh8"},
                 {"engine=regeneration", "samples_from=queue", "accel=bvh8"},
                 {"engine=wavefront"},
                 {"engine=wavefront", "accel=bvh8", "record=wide"},
                 {"engine=wavefront", "kernels=separate", "ray_source=kernel"},
                 {"engine=wavefront", "kernels=separate", "ray_source=kernel", "record=wide",
                  "state_layout=aos", "sample_layout=float3"},
                 {"engine=wavefront", "kernels=separate", "ray_source=host", "compaction=off"},
                 {"engine=wavefront", "kernels=fused_primary", "compaction=host",
                  "accumulate=host_split"},
                 {"engine=wavefront", "ray_order=origin"},
                 {"engine=wavefront", "ray_order=octant", "accel=bvh8"},
                 {"engine=wavefront", "kernels=separate", "ray_source=kernel", "ray_order=origin",
                  "material_order=sorted"},
                 {"engine=wavefront", "kernels=separate", "ray_source=kernel", "ray_order=octant",
                  "material_order=sorted", "compaction=off", "record=wide"},
                 {"math=precise"},
                 {"scene_layout=soa"},
                 {"path=stack"},
                 {"path=recursive"},
                 {"samples_as=threads"},
                 {"material_dispatch=single"}});
    }
    take(load("cornell-box"));
    compare({{"scene_memory=constant"},
             {"scene_memory=constant", "accel=brute"},
             {"scene_memory=constant", "accel=bvh8"}});
    settings_.variant.lightSampling = true;
    compare({{},
             {"accel=brute"},
             {"accel=bvh8"},
             {"engine=wavefront"},
             {"engine=wavefront", "kernels=separate", "ray_source=kernel", "state_layout=aos",
              "sample_layout=aos", "access=reference"},
             {"engine=wavefront", "record=wide", "state_layout=aos", "sample_layout=aos",
              "access=reference"}});
    EXPECT_EQ(compared_, 2 * (4 * 51 + 9));
}

/// A square of which half is cut out hides a lamp from a floor.
TEST_F(MeshOnGpu, RaysGoThroughHoles) {
    Scene scene = underALamp(halves(kWhite8, kWhite8));
    Mesh square = squareWith({1, 1, {kWhite8}});
    for (glm::vec3& c : square.corners) c = {c.x, .2f * c.x, -c.y};
    square.textures[0].albedo.picture = halves(kWhite8 & 0xffffff, kWhite8);
    cutHoles(square.textures[0], .5);
    scene.meshes.push_back(placed(std::move(square)));
    ASSERT_TRUE(traitsOf(scene).features & kHoles);
    compareLit(scene, {{},
                       {"accel=brute"},
                       {"accel=bvh8"},
                       {"triangle=woop"},
                       {"vertex_layout=soa"},
                       {"path=recursive"},
                       {"engine=regeneration", "samples_from=queue"},
                       {"engine=wavefront"}});
}

/// A lamp whose brightness is a picture shines on a metal with matt and with rough parts.
TEST_F(MeshOnGpu, PicturesSayWhereSurfacesAreMetalAndShine) {
    Scene scene = underALamp(halves(kGreen, kRed));
    Mesh metal = squareWith({1, 1, {kWhite8}});
    metal.textures[0] = {{}, {halves(kBlue | 200u << 8, kWhite8 & ~kBlue)}};
    metal.materials[0] = materialOfKind(MaterialKind::metal, .7);
    metal.materials[0].roughness = .5;
    for (glm::vec3& c : metal.corners) c.z -= 1;
    scene.meshes.push_back(placed(std::move(metal)));
    ASSERT_TRUE(traitsOf(scene).features & kSurfaceTextures);
    compareLit(scene, {{},
                       {"accel=brute"},
                       {"accel=bvh8"},
                       {"path=stack"},
                       {"path=recursive"},
                       {"engine=regeneration", "samples_from=queue"},
                       {"engine=wavefront"},
                       {"engine=wavefront", "kernels=separate", "ray_source=kernel",
                        "material_order=sorted"},
                       {"material_dispatch=single"}});
}

TEST_F(MeshOnGpu, ASkysLampsAreThoseOfTheCpu) {
    const Scene globe = load("globe");
    ASSERT_TRUE(hasLampsInSky(globe));
    take(globe);
    settings_.variant.lightSampling = true;
    compare({{},
             {"accel=bvh8"},
             {"path=stack"},
             {"path=recursive"},
             {"engine=regeneration"},
             {"engine=regeneration", "samples_from=queue"},
             {"engine=wavefront"},
             {"engine=wavefront", "kernels=separate", "ray_source=kernel", "compaction=off"},
             {"material_dispatch=single"}});
}

/// Meshes that stand in several places; some mirrored, some lamps.
TEST_F(MeshOnGpu, PlacesHaveWhatTheCpuFinds) {
    const std::vector<std::vector<std::string>> choices{
        {},
        {"accel=brute"},
        {"vertex_layout=indexed"},
        {"vertex_layout=soa"},
        {"traversal=if_if"},
        {"node_memory=texture"},
        {"node_memory=shared"},
        {"triangle=woop"},
        {"triangle=moller_trumbore"},
        {"engine=regeneration"},
        {"engine=regeneration", "samples_from=queue"},
        {"engine=wavefront"},
        {"engine=wavefront", "kernels=separate", "ray_source=kernel", "record=wide"},
        {"engine=wavefront", "kernels=separate", "ray_source=kernel", "ray_order=origin",
         "material_order=sorted"},
        {"math=precise"},
        {"scene_layout=soa"},
        {"path=stack"},
        {"path=recursive"},
        {"samples_as=threads"}};
    for (const char* name : {"blocks-20000", "forest-20"}) {
        take(load(name));
        compare(choices);
    }
    Scene scene = mixed();
    const auto placed = [](float x, float y, float turn) {
        return Placement({turn, 0, 0}, {0, 1, .3f}, {0, 0, 1}, {x, y, -1});
    };
    scene.meshes[0].places = {placed(-1, 0, 1), placed(1, 0, -1)};
    scene.meshes[1].places = {placed(0, 0, .5f), placed(0, 1, 1)};
    Mesh lamp = cube();
    for (glm::vec3& c : lamp.corners) c *= .2f;
    lamp.materials = {materialOfKind(MaterialKind::lambert, .5, 9)};
    scene.meshes.push_back(rayscope::placed(std::move(lamp)));
    scene.meshes.back().places = {placed(-2, 2, 1), placed(2, 2, 2)};
    take(scene);
    settings_.variant.lightSampling = true;
    compare({{}, {"accel=brute"}, {"engine=regeneration"}, {"engine=wavefront"}});
    EXPECT_EQ(compared_, 2 * (2 * 19 + 4));
}

TEST_F(MeshOnGpu, EveryTestFindsWhatItFindsOnTheCpu) {
    for (const char* name : {"terrain-2000", "city-2000"}) {
        for (const TriangleTest test : {TriangleTest::mollerTrumbore, TriangleTest::woop}) {
            take(load(name));
            settings_.variant.triangle = test;  // of the reference, too
            compare({{}, {"accel=brute"}, {"accel=bvh8"}, {"hierarchy=lbvh60"}});
        }
    }
    EXPECT_EQ(compared_, 2 * 2 * 2 * 4);
}

/// The CPU has no corners in half precision, but renders the scene that is rounded to them.
TEST_F(MeshOnGpu, HalfPrecisionIsTheRoundedScene) {
    for (const char* name : {"terrain-2000", "city-2000", "blocks-20000"}) {
        const Scene scene = load(name);
        const HalfFrame frame = halfFrame(scene);
        for (const Precision precision : {Precision::float64, Precision::float32}) {
            take(scene);
            settings_.variant.precision = precision;
            const Rendering reference =
                renderOnCpu(settings_, withHalfCorners(scene, frame), kFewSpp);
            std::vector<std::vector<std::string>> choices{{}, {"node_memory=shared"}};
            if (std::string_view(name) != "blocks-20000")
                choices.insert(choices.end(), {{"accel=bvh8"},
                                               {"accel=brute"},
                                               {"hierarchy=lbvh"},
                                               {"hierarchy=ploc"},
                                               {"hierarchy=sbvh"}});
            for (const std::vector<std::string>& assignments : choices) {
                Settings settings = settings_;
                for (const std::string& a : assignments)
                    ASSERT_EQ(assign(settings, a).reason(), "");
                ASSERT_EQ(assign(settings, "vertex_precision=half").reason(), "");
                expectPictureOf(settings, reference, 2e-3);
                ++compared_;
            }
        }
    }
    EXPECT_EQ(compared_, 2 * (2 * 7 + 2));
}

TEST_F(MeshOnGpu, SpheresAndTrianglesTogether) {
    take(mixed());
    compare({{}});
    settings_.variant.lightSampling = true;  // of the reference, too: its paths are others
    compare({{},
             {"accel=brute"},
             {"accel=bvh8"},
             {"accel=bvh8", "vertex_layout=indexed"},
             {"accel=bvh8", "vertex_layout=soa"},
             {"hierarchy=lbvh"},
             {"hierarchy=lbvh", "vertex_layout=soa"}});
    settings_.variant.triangle = TriangleTest::woop;
    compare({{"accel=bvh8"}, {"hierarchy=lbvh60"}});
    EXPECT_EQ(compared_, 2 * 10);
}

TEST_F(MeshOnGpu, AMillionTriangles) {
    take(load("terrain-1000000"));
    compare({{}, {"accel=bvh8"}, {"hierarchy=lbvh"}, {"hierarchy=lbvh60"}, {"hierarchy=ploc"}});
}

TEST_F(MeshOnGpu, ABoxThatShinesAndReflectsIsAFurnace) {
    const Scene scene = furnace();
    take(scene);
    for (const char* accel : {"accel=bvh", "accel=brute", "accel=bvh8"}) {
        Settings settings = settings_;
        ASSERT_TRUE(assign(settings, accel));
        const Rendering r = render(settings, kFewSpp);
        const auto dark = pixelsNotOne(r.pixels);
        EXPECT_LE(dark, 10);
        EXPECT_NEAR(static_cast<double>(r.rays.camera + r.rays.bounce) /
                        (1. * kWidth * kHeight * kFewSpp * kMaxDepth),
                    1, 1e-4);
    }
}

}  // namespace
}  // namespace rayscope

#endif
