// Pictures that say where a surface is metal, how rough, and where it shines.

#include <tuple>

#include "renderer/core/picture.h"
#include "renderer/scene/lamp_power.h"
#include "tests/pictured_square.h"

namespace rayscope {
namespace {

/// A square of a metal under a sky that is black below, seen from above: a mirror shows .1 of its
/// albedo, a matt surface half of it.
Scene underASky(const Textures& textures, double roughness) {
    Mesh mesh = squareWith({1, 1, {kWhite8}});
    mesh.textures[0] = textures;
    mesh.materials[0] = materialOfKind(MaterialKind::metal, .5);
    mesh.materials[0].roughness = roughness;
    Scene scene = sceneOf(std::move(mesh));
    scene.sky.top = {1, 1, 1};
    scene.camera.from = {0, 400, 300};
    scene.camera.vfov = .3;
    return scene;
}

TEST(SurfaceTexture, SaysWhereAMetalIsMatt) {
    const Scene scene = underASky({{}, {halves(kBlue, kBlack8)}}, 0);
    EXPECT_EQ(traitsOf(scene).features & (kLambert | kMetal | kPictures),
              kLambert | kMetal | kTextures | kSurfaceTextures);
    for (const char* precision : {"precision=float", "precision=double"}) {
        for (const char* engine : {"engine=megakernel", "engine=wavefront"}) {
            const Rendered seen =
                renderCpu(scene, cpuSettings(scene, {precision, engine}), 8, 8, 1024);
            const auto at = [&](int x) { return seen.pixels[4 * 8 + x].g / 1024; };
            EXPECT_NEAR(at(2), .05, 1e-3);
            EXPECT_NEAR(at(5), .25, .02);
        }
    }
}

/// The green is a root, as files mean it by "roughness".
TEST(SurfaceTexture, SaysHowRoughAMetalIs) {
    const auto pictureOf = [](const Scene& scene) {
        return renderCpu(scene, cpuSettings(scene), 8, 8, 16);
    };
    const std::uint32_t half = kBlue | 128u << 8;
    const double root = 128 / 255.;
    const Rendered textured = pictureOf(underASky({{}, {halves(half, half)}}, .5));
    const Rendered plain = pictureOf(underASky({}, .5 * root * root));
    EXPECT_LT(largestDifference(textured, plain), 1e-6);
    EXPECT_GT(largestDifference(textured, pictureOf(underASky({}, .5))), 1e-2);
    const Rendered smooth = pictureOf(underASky({{}, {halves(kBlue, kBlue)}}, .5));
    EXPECT_TRUE(sameBits(smooth, pictureOf(underASky({}, 0))));
}

TEST(SurfaceTexture, SaysWhereASurfaceShines) {
    Mesh mesh = squareWith({1, 1, {kWhite8}});
    mesh.textures[0] = {{}, {}, {halves(kGrey, kBlack8)}};
    mesh.materials[0].emission = {3, 2, 1};
    const glm::dvec3 grey(3 * linearOf(128), 2 * linearOf(128), linearOf(128));
    expectColour(colourAt(mesh, -.5, .5), glm::dvec3(1) + grey, 1e-2);
    expectColour(colourAt(mesh, .5, .5), {1, 1, 1});
}

TEST(SurfaceTexture, SamplingTheLampsKeepsTheMean) {
    for (const Wrap wrap : {Wrap::repeat, Wrap::clamp, Wrap::mirror}) {
        const Scene scene = underALamp(halves(kRed, kBlack8), wrap);
        const auto mean = [&](const std::string& lights, int spp, const char* precision) {
            return renderCpu(scene, cpuSettings(scene, {lights, precision}), 32, 32, spp).mean();
        };
        const glm::dvec3 off = mean("light_sampling=off", 2048, "precision=float");
        EXPECT_GT(off.r, .05);
        EXPECT_EQ(off.g, 0);
        for (const char* precision : {"precision=float", "precision=double"})
            EXPECT_NEAR(mean("light_sampling=on", 256, precision).r / off.r, 1, .01);
    }
}

TEST(SurfaceTexture, AllBlackIsALampThatDoesNotShine) {
    const Scene scene = underALamp(halves(kBlack8, kBlack8));
    EXPECT_TRUE(hasLampOfTriangles(scene));
    const Rendered seen = renderCpu(scene, cpuSettings(scene, {"light_sampling=on"}), 16, 16, 4);
    EXPECT_EQ(seen.mean(), glm::dvec3(0));
}

/// No triangle on which some point shines may be left out, wherever the picture's edges are: a
/// triangle without power would have its light taken away where lamps are sampled.
TEST(SurfaceTexture, EveryTriangleThatShinesHasPower) {
    Twister random(3);
    int shining = 0, dark = 0;
    for (int i = 0; i < 4000; ++i) {
        const int size = i % 4 == 0 ? 1500 : 5;  // the larger in cells of several texels
        auto picture = std::make_shared<Picture8>(Picture8{size, 7});
        picture->texels.resize(static_cast<std::size_t>(size) * 7, kBlack8);
        picture->texels[random() % picture->texels.size()] = 0xff010000;
        const auto wrap = [&] { return static_cast<Wrap>(random() % 3); };
        Mesh mesh = squareWith({1, 1, {kWhite8}});
        mesh.faces.resize(1);
        mesh.materials[0].emission = {1, 1, 1};
        mesh.textures[0] = {{}, {}, {picture, wrap(), wrap()}};
        const double extent = uniform(random, .01, .7);
        // some of the larger so far off that single precision does not tell texels apart
        const double away = uniform(random, -3, 3) + (i % 8 == 0 ? 20'000 : 0);
        for (glm::vec2& uv : mesh.uvs)
            uv = {away + uniform(random, 0, extent), away + uniform(random, 0, extent)};
        const SceneMesh placedMesh = placed(mesh);
        const double power = LampPower(placedMesh).of(mesh.faces[0]);
        const Texture& texture = mesh.textures[0].emission;
        const TextureRecord record{
            0, size, 7, static_cast<int>(texture.wrapU) + 4 * static_cast<int>(texture.wrapV)};
        bool shines = false;
        for (int point = 0; point < 300 && !shines; ++point) {
            float v = static_cast<float>(uniform(random, 0, 1));
            float w = static_cast<float>(uniform(random, 0, 1));
            if (v + w > 1) std::tie(v, w) = std::pair(1 - v, 1 - w);
            const glm::vec2 at = mesh.uvs[0] * (1 - v - w) + mesh.uvs[1] * v + mesh.uvs[2] * w;
            const Vec3<float> seen =
                seenAt(record, picture->texels.data(), TexturePlace<float>{at.x, at.y},
                       [](unsigned byte) { return static_cast<float>(byte); });
            shines = seen.z > 0;
        }
        if (shines) {
            ++shining;
            ASSERT_GT(power, 0) << i;
        } else if (power == 0) {
            ++dark;
        }
    }
    EXPECT_GT(shining, 300);
    EXPECT_GT(dark, 300);
}

/// Bytes of a picture whose part around a triangle is four times as bright as the rest.
TEST(SurfaceTexture, BrightTrianglesAreChosenMoreOften) {
    Mesh mesh = squareWith({1, 1, {kWhite8}});
    mesh.uvs = {{.1, .9}, {.4, .9}, {.4, .1}, {.1, .1}};
    mesh.materials[0].emission = {2, 2, 2};
    mesh.textures[0] = {{}, {}, {halves(kGrey, kWhite8)}};
    const auto power = [&] {
        const SceneMesh m = placed(mesh);
        return LampPower(m).of(mesh.faces[0]);
    };
    // twice the area is 4; red, green and blue of 2
    EXPECT_NEAR(power(), 4 * 6 * linearOf(128), 1e-3);
    for (glm::vec2& uv : mesh.uvs) uv.x += .5f;
    EXPECT_NEAR(power(), 4 * 6, 1e-3);
    mesh.textures.clear();
    EXPECT_NEAR(power(), 4 * 6, 1e-9);
}

TEST(SurfaceTexture, APackedSceneIsNoLargerThanAnnounced) {
    Scene scene = underALamp(halves(kRed, kBlack8));
    scene.meshes.push_back(underASky({{}, {halves(kBlue, kBlack8)}}, 0).meshes[0]);
    Variant v;
    EXPECT_LE(packScene<float>(scene, SceneLayout::soa, v.accel).size(), packedBytes(scene, v));
}

}  // namespace
}  // namespace rayscope
