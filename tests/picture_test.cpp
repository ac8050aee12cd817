// Pictures on triangles and as the sky: their files, and what is seen of them.

#include "renderer/scene/picture.h"

#include <cstdio>
// after what it needs
#include <jpeglib.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "renderer/film/image_files.h"
#include "renderer/scene/model_formats.h"
#include "renderer/scene/picture_formats.h"
#include "renderer/scene/sky.h"
#include "tests/model_files.h"
#include "tests/pictured_square.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

/// red green / blue grey
Picture8 fourColours() {
    return {2, 2, {kRed, kGreen, kBlue, kGrey}};
}

std::string pngOf(const Picture8& picture) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(picture.width);
    image.height = static_cast<png_uint_32>(picture.height);
    image.format = PNG_FORMAT_RGBA;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    EXPECT_NE(png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.texels.data(), 0,
                                        nullptr),
              0);
    bytes.resize(size);
    return bytes;
}

std::string jpegOf(const Picture8& picture, bool progressive = false) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* memory = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&jpeg, &memory, &size);
    jpeg.image_width = static_cast<JDIMENSION>(picture.width);
    jpeg.image_height = static_cast<JDIMENSION>(picture.height);
    jpeg.input_components = 4;
    jpeg.in_color_space = JCS_EXT_RGBA;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 95, TRUE);
    if (progressive) jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    std::vector<std::uint32_t> texels = picture.texels;
    while (jpeg.next_scanline < jpeg.image_height) {
        auto* row =
            reinterpret_cast<unsigned char*>(&texels[jpeg.next_scanline * jpeg.image_width]);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::string bytes(reinterpret_cast<char*>(memory), size);
    std::free(memory);
    return bytes;
}

/// A smooth one, which JPEG hardly changes.
Picture8 slope(int width, int height) {
    Picture8 picture{width, height};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x)
            picture.texels.push_back(0xff000000u | (x * 200u / width) | (y * 200u / height) << 8 |
                                     100u << 16);
    }
    return picture;
}

std::string hdrOf(int width, int height, const std::string& pixels) {
    return "#?RADIANCE\n# a comment\nFORMAT=32-bit_rle_rgbe\n\n-Y " + std::to_string(height) +
           " +X " + std::to_string(width) + "\n" + pixels;
}
TEST(PictureFile, PngKeepsItsBytes) {
    const auto read = pictureFrom(pngOf(fourColours()));
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(*read, fourColours());
    const auto sky = skyPictureFrom(pngOf(fourColours()));
    ASSERT_TRUE(sky) << sky.reason();
    EXPECT_EQ(sky->rgb[0], 1);
    EXPECT_EQ(sky->rgb[1], 0);
    EXPECT_NEAR(sky->rgb[9], .21586, 1e-5);  // 128 in sRGB
}

/// Of metal and roughness, a file that says its numbers are linear would be read as in sRGB.
TEST(PictureFile, PngKeepsItsBytesWhateverItsGamma) {
    std::string bytes = pngOf(fourColours());
    const std::string gamma("\0\0\0\4gAMA\0\1\x86\xa0\x31\xe8\x96\x5f", 16);  // 1
    bytes.insert(33, gamma);                                                  // behind IHDR
    const auto read = pictureFrom(bytes);
    ASSERT_TRUE(read) << read.reason();
    EXPECT_EQ(*read, fourColours());
}

TEST(PictureFile, JpegIsReadInBothOrders) {
    const Picture8 picture = slope(40, 24);
    for (const bool progressive : {false, true}) {
        const auto read = pictureFrom(jpegOf(picture, progressive));
        ASSERT_TRUE(read) << read.reason();
        ASSERT_EQ(read->texels.size(), picture.texels.size());
        for (std::size_t i = 0; i < picture.texels.size(); ++i) {
            for (const int shift : {0, 8, 16})
                ASSERT_NEAR(static_cast<int>(read->texels[i] >> shift & 255),
                            static_cast<int>(picture.texels[i] >> shift & 255), 6);
        }
    }
}

TEST(PictureFile, HdrIsReadPackedOrNot) {
    // 128 * 2^(129 - 136) = 1, and half a step
    const std::string pixel("\x80\x40\x20\x81", 4);
    const auto flat = skyPictureFrom(hdrOf(2, 1, pixel + std::string("\0\0\0\0", 4)));
    ASSERT_TRUE(flat) << flat.reason();
    EXPECT_EQ(flat->rgb,
              (std::vector<float>{1 + .5f / 128, .5f + .5f / 128, .25f + .5f / 128, 0, 0, 0}));
    std::string packed("\x02\x02\x00\x08", 4);
    packed += std::string("\x88\x80", 2) + std::string("\x02\x40\x40\x86\x40", 5) +
              std::string("\x88\x20", 2) + std::string("\x88\x81", 2);
    const auto runs = skyPictureFrom(hdrOf(8, 1, packed));
    ASSERT_TRUE(runs) << runs.reason();
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(runs->rgb[i], flat->rgb[i % 3]);
    expectWords(skyPictureFrom(hdrOf(8, 2, packed)).reason(), "cut off");
    packed[4] = '\x89';
    expectWords(skyPictureFrom(hdrOf(8, 1, packed)).reason(), "a row that is too long");
    expectWords(skyPictureFrom("#?RADIANCE\n\n+Z 1 +X 1\n").reason(), "a line of its size");
    expectWords(skyPictureFrom("#?RADIANCE\nFORMAT=float\n\n-Y 1 +X 1\n").reason(),
                "32-bit_rle_rgbe");
}

TEST(PictureFile, ExrKeepsItsRadiance) {
    const Image image{2, 2, {1, 2, 3, 4, 5, 6, NAN, -1, 1e9f, 0, .5f, .25f}};
    const std::string path = testing::TempDir() + "picture_test.exr";
    ASSERT_TRUE(writeExr(path, image));
    const Result<Sky> sky = skyFromFile(path);
    ASSERT_TRUE(sky) << sky.reason();
    EXPECT_EQ(sky->picture->rgb,
              (std::vector<float>{1, 2, 3, 4, 5, 6, 0, 0, kMaxRadiance, 0, .5f, .25f}));
    EXPECT_EQ(sky->source, path);
    fs::remove(path);
}

TEST(PictureFile, DamagedOnesAreRefused) {
    std::vector<std::string> files{pngOf(slope(30, 20)), jpegOf(slope(30, 20)),
                                   hdrOf(3, 3, std::string(36, '\x81'))};
    const std::string path = testing::TempDir() + "picture_test_damaged.exr";
    ASSERT_TRUE(writeExr(path, {8, 8, std::vector<float>(192, .3f)}));
    std::ifstream exr(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(exr), std::istreambuf_iterator<char>());
    fs::remove(path);
    for (const std::string& whole : files) {
        ASSERT_TRUE(skyPictureFrom(whole));
        for (std::size_t size = 0; size + 20 < whole.size(); size += 1 + size / 16)
            EXPECT_FALSE(skyPictureFrom(whole.substr(0, size))) << whole.substr(0, 3) << size;
    }
    expectWords(pictureFrom("GIF89a").reason(), "neither a PNG nor a JPEG file");
    expectWords(skyPictureFrom("GIF89a").reason(), "no EXR, HDR, PNG or JPEG file");
    std::string large = files[0];
    large[16] = 1;  // 2^24 pixels wide; the CRC is wrong, too
    EXPECT_FALSE(pictureFrom(large));
    expectWords(wrongSize(kMaxPictureSide + 1, 1, 1u << 30), "at most 16384 along a side");
    expectWords(wrongSize(100, 100, 9999), "too short for 100 x 100 pixels");
    expectWords(wrongSize(0, 100, 9999), "0 x 100");
    EXPECT_EQ(wrongSize(100, 100, 10000), "");
}

// --- On triangles
// ---------------------------------------------------------------------------------

/// Of texels 128 wide, so that there is one colour near each place.
Picture8 quarters() {
    Picture8 picture{256, 256};
    for (int y = 0; y < 256; ++y) {
        for (int x = 0; x < 256; ++x)
            picture.texels.push_back(fourColours().texels[x / 128 + 2 * (y / 128)]);
    }
    return picture;
}

TEST(Texture, LiesOnTrianglesAsItsCoordinatesSay) {
    const double grey = linearOf(128);
    for (const char* precision : {"precision=float", "precision=double"}) {
        for (const char* layout : {"scene_layout=aos", "scene_layout=soa"}) {
            const auto seen = [&](double x, double y) {
                return colourAt(squareWith(quarters()), x, y, {precision, layout});
            };
            expectColour(seen(-.5, .5), {1, 0, 0});
            expectColour(seen(.5, .5), {0, 1, 0});
            expectColour(seen(-.5, -.5), {0, 0, 1});
            expectColour(seen(.5, -.5), glm::dvec3(grey));
        }
    }
}

/// On a smooth mesh, too, whose normals are interpolated.
TEST(Texture, IsTheSameOnASmoothMesh) {
    Mesh mesh = squareWith(quarters());
    mesh.normals = std::vector<glm::vec3>(4, {0, 0, 1});
    expectColour(colourAt(mesh, -.5, .5), {1, 0, 0});
    expectColour(colourAt(mesh, .3, .7), {0, 1, 0});
}

TEST(Texture, IsFilteredInLinearLight) {
    const Mesh mesh = squareWith(Picture8{2, 1, {kRed, kGreen}}, Wrap::clamp);
    expectColour(colourAt(mesh, 0, 0), {.5, .5, 0}, .02);
    expectColour(colourAt(mesh, -.25, 0), {.75, .25, 0}, .02);
    expectColour(colourAt(mesh, -.9, 0), {1, 0, 0}, .02);
}

TEST(Texture, WrapsAtItsEdges) {
    const auto seen = [](Wrap wrap, double x, double y) {
        return colourAt(squareWith(quarters(), wrap, 2, -.5f), x, y);
    };
    // u is from -.5 to 1.5 and so is v, downwards
    expectColour(seen(Wrap::repeat, -.75, .25), {0, 1, 0});  // u -.25
    expectColour(seen(Wrap::mirror, -.75, .25), {1, 0, 0});
    expectColour(seen(Wrap::clamp, -.75, .25), {1, 0, 0});
    expectColour(seen(Wrap::repeat, .75, .25), {1, 0, 0});  // u 1.25
    expectColour(seen(Wrap::mirror, .75, .25), {0, 1, 0});
    expectColour(seen(Wrap::clamp, .75, .25), {0, 1, 0});
    expectColour(seen(Wrap::repeat, -.25, -.75), {1, 0, 0});  // v 1.25
    expectColour(seen(Wrap::clamp, -.25, -.75), {0, 0, 1});
}

TEST(Texture, MultipliesTheColourOfItsMaterial) {
    Mesh mesh = squareWith(quarters());
    mesh.materials[0].albedo = {.5, .5, .25};
    expectColour(colourAt(mesh, -.5, .5), {.5, 0, 0});
    expectColour(colourAt(mesh, -.5, -.5), {0, 0, .25});
}

TEST(Texture, GivesWayToAnotherMaterial) {
    Scene scene = sceneOf(squareWith(quarters()), 1);
    EXPECT_EQ(traitsOf(scene).features & (kTextures | kBlack), kTextures | kBlack);
    scene.meshes[0].material = materialOfKind(MaterialKind::lambert, .5);
    EXPECT_EQ(traitsOf(scene).features & (kTextures | kBlack), 0u);
    EXPECT_NEAR(renderCpu(scene, cpuSettings(scene), 8, 8, 4).pixels[27].g / 4, .5, 1e-3);
}

TEST(Texture, ScenesWithoutOneKeepTheirKernels) {
    for (const char* name : {"cornell-box", "terrain-1000", "vt9", "weekend"})
        EXPECT_EQ(traitsOf(sceneNamed(name)).features & (kTextures | kPictureSky), 0u) << name;
    EXPECT_EQ(traitsOf(sceneNamed("globe")).features & (kTextures | kPictureSky),
              kTextures | kPictureSky);
}

/// Stages that refer to a material in memory cannot colour it.
TEST(Texture, ColoursACopyOfItsMaterial) {
    for (const char* access : {"access=reference", "access=copy_state"}) {
        const auto refusal = [&](const Scene& scene) {
            Settings settings = defaultSettings(Backend::cuda, scene);
            assignAll(settings, {"engine=wavefront", access});
            return unsupported(settings, scene);
        };
        expectWords(refusal(sceneNamed("globe")), "texture in this scene (access=copy_all)");
        EXPECT_EQ(refusal(sceneNamed("cornell-box")), "");
    }
}

TEST(Texture, APackedSceneIsNoLargerThanAnnounced) {
    const Scene scene = sceneNamed("globe");
    for (const Accel accel : {Accel::brute, Accel::bvh}) {
        Variant v;
        v.accel = accel;
        EXPECT_LE(packScene<float>(scene, SceneLayout::soa, accel).size(), packedBytes(scene, v));
        v.precision = Precision::float64;
        EXPECT_LE(packScene<double>(scene, SceneLayout::soa, accel).size(), packedBytes(scene, v));
    }
}

TEST(Texture, MaterialsShareAPicture) {
    Mesh one = squareWith(slope(64, 64)), two = one;
    two.materials.push_back(two.materials[0]);
    two.textures.push_back(two.textures[0]);
    two.faces[1].material = 1;
    const auto bytes = [](const Mesh& mesh) {
        return packScene<float>(sceneOf(mesh), SceneLayout::soa).size();
    };
    EXPECT_LT(bytes(two), bytes(one) + 1000);
}

// --- As the sky
// -----------------------------------------------------------------------------------

/// Of eight directions around, above and below the horizon.
Sky skyOf(int width, int height, std::vector<float> rgb) {
    return skyOf(
        std::make_shared<const RadiancePicture>(RadiancePicture{width, height, std::move(rgb)}));
}

double seenTowards(const Sky& sky, const glm::dvec3& direction,
                   const std::vector<std::string>& choices = {}) {
    Scene scene;
    scene.spheres = {{{0, 1000, 0}, 1, {}}};
    scene.sky = sky;
    scene.camera.from = {0, 0, 0};
    scene.camera.to = direction;
    scene.camera.up = {.3, .2, .9};
    scene.camera.vfov = 1;
    return renderCpu(scene, cpuSettings(scene, choices), 2, 2, 4).mean().r;
}

/// The middle of the picture is at -z, its right half at +x.
TEST(PictureSky, IsSeenInItsDirections) {
    std::vector<float> rgb;
    for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 4; ++x) rgb.insert(rgb.end(), 3, static_cast<float>(1 + x + 4 * y));
    }
    Sky sky = skyOf(4, 2, rgb);
    for (const char* precision : {"precision=float", "precision=double"}) {
        const auto seen = [&](const glm::dvec3& d) { return seenTowards(sky, d, {precision}); };
        sky.turn = 0;
        // the middles of texels: 45 degrees from the axes, 45 degrees up and down
        EXPECT_NEAR(seen({1, std::sqrt(2), -1}), 3, .05);
        EXPECT_NEAR(seen({-1, std::sqrt(2), -1}), 2, .05);
        EXPECT_NEAR(seen({1, std::sqrt(2), 1}), 4, .05);
        EXPECT_NEAR(seen({-1, std::sqrt(2), 1}), 1, .05);
        EXPECT_NEAR(seen({1, -std::sqrt(2), -1}), 7, .05);
        EXPECT_NEAR(seen({0, std::sqrt(2), -1.4142}), 2.5, .05);
        sky.turn = 90;  // what was ahead is at the right
        EXPECT_NEAR(seen({1, std::sqrt(2), 1}), 3, .05);
        sky.turn = -90;
        EXPECT_NEAR(seen({-1, std::sqrt(2), -1}), 3, .05);
        sky.strength = 2;
        EXPECT_NEAR(seen({-1, std::sqrt(2), -1}), 6, .1);
        sky.strength = 1;
    }
}

/// Whatever reflects all light is not seen under a sky of one radiance.
TEST(PictureSky, IsAFurnace) {
    const Sky sky = skyOf(3, 2, std::vector<float>(18, .7f));
    Scene scene;
    for (const MaterialKind kind :
         {MaterialKind::lambert, MaterialKind::metal, MaterialKind::dielectric}) {
        scene.spheres = {{{0, 0, 0}, 1, materialOfKind(kind, 1)}};
        scene.sky = sky;
        scene.depth = kMaxDepth;
        for (const char* accel : {"accel=brute", "accel=bvh"}) {
            const Rendered r = renderCpu(scene, cpuSettings(scene, {accel}), 32, 32, 8);
            EXPECT_NEAR(r.mean().g, .7, 1e-4);
        }
    }
}

TEST(PictureSky, LightsSpheresAsTheGradientItShows) {
    Scene scene = sceneNamed("vt9");
    scene.sky = {SkyKind::gradient, {.1, .2, .3}, {.9, .8, .7}};
    Scene pictured = scene;
    std::vector<float> rgb;
    constexpr int kRows = 512;
    for (int y = 0; y < kRows; ++y) {
        const double height = std::cos(M_PI * (y + .5) / kRows), t = .5 * (height + 1);
        for (const double v : {.1 + t * .8, .2 + t * .6, .3 + t * .4})
            rgb.push_back(static_cast<float>(v));
    }
    pictured.sky = skyOf(1, kRows, rgb);
    const Rendered a = renderCpu(scene, cpuSettings(scene, {"accel=bvh"}), 64, 36, 64);
    const Rendered b = renderCpu(pictured, cpuSettings(pictured, {"accel=bvh"}), 64, 36, 64);
    EXPECT_NEAR(b.mean().r / a.mean().r, 1, .01);
    EXPECT_NEAR(b.mean().b / a.mean().b, 1, .01);
}

/// Every default renders spheres under one; what cannot says so.
TEST(PictureSky, IsTracedAsTrianglesAre) {
    Scene scene = sceneNamed("vt9");
    scene.sky = skyOf(1, 1, {1, 1, 1});
    EXPECT_EQ(unsupported(defaultSettings(Backend::cpu, scene), scene), "");
    EXPECT_EQ(unsupported(defaultSettings(Backend::cuda, scene), scene), "");
    const auto render = [&](std::vector<std::string> choices) {
        return renderCpu(scene, cpuSettings(scene, choices), 32, 24, 4);
    };
    EXPECT_TRUE(sameBits(render({}), render({"engine=wavefront"})));
    for (const char* choice : {"engine=packets", "accel=grid"}) {
        expectWords(unsupported(cpuSettings(scene, {choice}), scene),
                    "this scene's sky is a picture");
    }
    Settings constants = defaultSettings(Backend::cuda, scene);
    ASSERT_TRUE(assign(constants, "scene_memory=constant"));
    scene.sky = skyOf(256, 128, std::vector<float>(3 * 256 * 128));
    expectWords(unsupported(constants, scene), "with the picture of its sky");
}

/// Radiance 1 all around, and a sun of 2 x 2 texels whose sum is four times that of the others.
Sky sunAt(int x, int y) {
    constexpr int kWidth = 64, kHeight = 32;
    std::vector<float> rgb(3 * kWidth * kHeight, 1.f);
    for (int k = 0; k < 4; ++k) {
        const int texel = (y + k / 2) * kWidth + (x + k % 2) % kWidth;
        for (int c = 0; c < 3; ++c) rgb[3 * texel + c] = 2000;
    }
    return skyOf(kWidth, kHeight, rgb);
}

/// What a horizontal matt surface of reflectance 1 reflects, in red, by the midpoint rule.
double reflected(const Sky& sky) {
    const RadiancePicture& p = *sky.picture;
    constexpr int kParts = 8;
    double sum = 0;
    const auto texel = [&](int x, int y) {
        return double{
            p.rgb[3 * (std::clamp(y, 0, p.height - 1) * p.width + (x + p.width) % p.width)]};
    };
    for (int j = 0; j < p.height * kParts / 2; ++j) {
        const double y = (j + .5) / kParts - .5, angle = M_PI * (j + .5) / (p.height * kParts);
        const int row = static_cast<int>(std::floor(y));
        for (int i = 0; i < p.width * kParts; ++i) {
            const double x = (i + .5) / kParts - .5;
            const int column = static_cast<int>(std::floor(x));
            const auto inRow = [&](int of) {
                return std::lerp(texel(column, of), texel(column + 1, of), x - column);
            };
            sum +=
                std::lerp(inRow(row), inRow(row + 1), y - row) * std::sin(angle) * std::cos(angle);
        }
    }
    return sum * 2 * M_PI / (p.width * kParts) / (p.height * kParts);
}

Scene underSky(const Sky& sky) {
    Mesh ground;
    ground.corners = {{-9, 0, -9}, {-9, 0, 9}, {9, 0, 9}, {9, 0, -9}};
    ground.faces = {{{0, 1, 2}, 0}, {{0, 2, 3}, 0}};
    ground.materials = {materialOfKind(MaterialKind::lambert, 1)};
    Scene scene = sceneOf(std::move(ground));
    scene.spheres.clear();
    scene.sky = sky;
    scene.camera.from = {0, 3, 0};
    scene.camera.to = {0, 0, 0};
    scene.camera.up = {0, 0, 1};
    scene.depth = 2;
    return scene;
}

/// The pixels' mean, and their RMS distance from the value that all should have.
struct Evenness {
    double mean, error;
};
Evenness evenness(const Rendered& r, double expected) {
    double squares = 0;
    for (const Pixel& p : r.pixels) squares += std::pow(p.r / p.samples - expected, 2);
    return {r.mean().r, std::sqrt(squares / r.pixels.size())};
}

/// Also with the sun at the picture's edges, and with the sky turned.
TEST(SkyLamps, BringTheLightOfTheirSquares) {
    for (const auto& [x, y] : {std::pair{20, 4}, std::pair{63, 9}, std::pair{5, 0}}) {
        Sky sky = sunAt(x, y);
        sky.turn = 7 * x;
        const double expected = reflected(sky);
        const Scene scene = underSky(sky);
        for (const char* precision : {"precision=float", "precision=double"}) {
            const auto render = [&](const char* lights, int samples) {
                const Settings s = cpuSettings(scene, {precision, lights});
                return evenness(renderCpu(scene, s, 32, 24, samples), expected);
            };
            const Evenness on = render("light_sampling=on", 64);
            const Evenness off = render("light_sampling=off", 1024);
            EXPECT_NEAR(on.mean / expected, 1, .003) << x;
            EXPECT_NEAR(off.mean / expected, 1, .15) << x;
            EXPECT_LT(on.error, .4 * off.error) << x;
        }
    }
}

/// With a matt and a metal sphere under the sun.
TEST(SkyLamps, KeepThePicture) {
    Scene scene = underSky(sunAt(20, 8));
    scene.depth = 6;
    scene.spheres = {{{1, .6, .5}, .6, materialOfKind(MaterialKind::lambert, .6)},
                     {{-1, .7, 0}, .5, materialOfKind(MaterialKind::metal, .9)}};
    const auto render = [&](std::vector<std::string> choices, int samples) {
        return renderCpu(scene, cpuSettings(scene, choices), 32, 24, samples);
    };
    const Rendered off = render({}, 8000);
    const std::string on = "light_sampling=on";
    const Rendered sampled = render({on}, 250);
    EXPECT_GT(sampled.stats.rays.shadow, 0u);
    EXPECT_NEAR(sampled.mean().g / off.mean().g, 1, .02);
    for (const char* choice : {"engine=wavefront", "accel=brute", "accel=bvh"}) {
        const Rendered other = render({on, choice}, 250);
        EXPECT_EQ(other.stats.rays.shadow, sampled.stats.rays.shadow) << choice;
        EXPECT_NEAR(other.mean().g / sampled.mean().g, 1, 1e-4) << choice;
    }
}

TEST(SkyLamps, AreWhereTheSkyIsBright) {
    const auto refusal = [](const Sky& sky) {
        const Scene scene = underSky(sky);
        return unsupported(cpuSettings(scene, {"light_sampling=on"}), scene);
    };
    EXPECT_EQ(refusal(sunAt(20, 4)), "");
    expectWords(refusal(skyOf(8, 4, std::vector<float>(3 * 8 * 4, .7f))), "no bright spot");
    expectWords(refusal(skyOf(8, 4, std::vector<float>(3 * 8 * 4))), "no bright spot");
    const Scene scene = underSky(sunAt(20, 4));
    EXPECT_EQ(sceneParams<float>(scene, true).lightCount, 1);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        Variant v;
        v.precision = precision;
        const std::size_t bytes = precision == Precision::float32
                                      ? packScene<float>(scene, SceneLayout::soa).size()
                                      : packScene<double>(scene, SceneLayout::soa).size();
        EXPECT_LE(bytes, packedBytes(scene, v));
    }
}

// --- In files
// -------------------------------------------------------------------------------------

class PicturedFile : public ModelFile {};

constexpr const char* kObj =
    "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt .25\n"
    "usemtl pictured\nf 1/1 2/2 3/3\nf 1/1 3/3 4/-1\nusemtl plain\nf 1/9 2/9 3/9\n";

TEST_F(PicturedFile, ObjNamesPicturesOfItsMaterials) {
    write("below/four colours.png", pngOf(fourColours()));
    write("a.mtl",
          "newmtl pictured\nKd .5 .5 .5\nmap_Kd -s 1 1 1 -clamp on below\\four colours.png\n"
          "newmtl plain\nmap_Kd missing.png\n");
    const Mesh mesh = read("a.obj", kObj);
    ASSERT_EQ(mesh.textures.size(), 2u);
    ASSERT_TRUE(mesh.textures[0].albedo.picture);
    EXPECT_EQ(*mesh.textures[0].albedo.picture, fourColours());
    EXPECT_EQ(mesh.textures[0].albedo.wrapU, Wrap::clamp);
    EXPECT_FALSE(mesh.textures[1].albedo.picture);
    EXPECT_EQ(mesh.materials[0].albedo, glm::dvec3(.5));
    EXPECT_EQ(mesh.corners.size(), 7u);
    EXPECT_EQ(mesh.uvs[mesh.faces[0].corners[0]], glm::vec2(0, 1));
    EXPECT_EQ(mesh.uvs[mesh.faces[0].corners[2]], glm::vec2(1, 0));
    EXPECT_EQ(mesh.uvs[mesh.faces[1].corners[2]], glm::vec2(.25, 1));
    write("a.mtl", "newmtl pictured\nmap_Kd a.mtl\n");
    const auto unreadable = readModel(write("a.obj", kObj));
    ASSERT_TRUE(unreadable) << unreadable.reason();
    EXPECT_TRUE(unreadable->mesh.textures.empty());
    expectRemark(*unreadable, "'a.mtl': not shown, as it is neither a PNG nor a JPEG file");
    write("a.mtl", "newmtl pictured\nmap_Kd ../four.png\n");
    write("four.png", pngOf(fourColours()));
    EXPECT_TRUE(read("below/a.obj", kObj).textures.empty());
    write("a.mtl", "newmtl pictured\nmap_Kd four.png\n");
    const auto remarkOn = [&](const std::string& lines) {
        const auto model = readModel(write("a.obj", kObj + lines));
        EXPECT_EQ(model->mesh.uvs[model->mesh.faces.back().corners[0]], glm::vec2(0));
        return remarksOf(*model);
    };
    const std::string face = "usemtl pictured\nf 1/5 2/5 4/5\n";
    expectWords(remarkOn("vt 1e9 0\n" + face), "a place in a texture");
    expectWords(remarkOn(face), "texture coordinates are missing");
}

TEST_F(PicturedFile, ObjNamesPicturesOfLamps) {
    write("four.png", pngOf(fourColours()));
    const auto lampOf = [&](const std::string& lines) {
        write("a.mtl", "newmtl pictured\nKd .5 .5 .5\n" + lines);
        const Mesh mesh = read("a.obj", kObj);
        return std::pair(mesh.materials.at(0),
                         mesh.textures.empty() ? Textures{} : mesh.textures.at(0));
    };
    const auto [factor, textured] = lampOf("Ke 2 2 2\nmap_Ke four.png\n");
    EXPECT_EQ(factor.emission, glm::dvec3(2));
    ASSERT_TRUE(textured.emission.picture);
    EXPECT_EQ(*textured.emission.picture, fourColours());
    EXPECT_FALSE(textured.albedo.picture);
    EXPECT_EQ(lampOf("map_Ke four.png\n").first.emission, glm::dvec3(1));
    EXPECT_EQ(lampOf("map_Ke missing.png\n").first.emission, glm::dvec3(0));
    EXPECT_EQ(lampOf("Ke 2 2 2\nmap_Ke missing.png\n").first.emission, glm::dvec3(2));
    const auto [black, unread] = lampOf("Ke 0 0 0\nmap_Ke four.png\n");
    EXPECT_EQ(black.emission, glm::dvec3(0));
    EXPECT_FALSE(unread.emission.picture);
    write("four.tga", "no picture");
    EXPECT_EQ(lampOf("Ke 0 0 0\nmap_Ke four.tga\n").first.emission, glm::dvec3(0));
}

std::string base64Of(const std::string& bytes) {
    constexpr const char* kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u;
        };
        const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        for (int shift = 18; shift >= 0; shift -= 6) text += kDigits[three >> shift & 63];
    }
    return text;
}

/// A triangle; the picture is behind the numbers.
std::string triangleBytes() {
    const float numbers[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, .5f, 1};
    return {reinterpret_cast<const char*>(numbers), sizeof numbers};
}

std::string texturedGltf(const std::string& image, const std::string& reference,
                         const std::string& sampler = "{}") {
    const std::string bytes = triangleBytes() + pngOf(fourColours());
    const std::string all = std::to_string(bytes.size());
    return R"({"asset": {"version": "2.0"},
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": )" +
           reference + R"(}}], "textures": [{"source": 0, "sampler": 0}],
        "samplers": [)" +
           sampler + R"(], "images": [)" + image + R"(],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                      {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36},
                        {"buffer": 0, "byteOffset": 36, "byteLength": 24},
                        {"buffer": 0, "byteOffset": 60, "byteLength": )" +
           std::to_string(bytes.size() - 60) + R"(}],
        "buffers": [{"byteLength": )" +
           all + R"(, "uri": "data:application/octet-stream;base64,)" + base64Of(bytes) + "\"}]}";
}

TEST_F(PicturedFile, GltfHasPicturesInBuffersUrisAndFiles) {
    write("below/four colours.png", pngOf(fourColours()));
    const std::string inside = R"({"bufferView": 2, "mimeType": "image/png"})";
    for (const std::string& image :
         {inside, R"({"uri": "below/four%20colours.png"})" + std::string(),
          R"({"uri": "data:image/png;base64,)" + base64Of(pngOf(fourColours())) + "\"}"}) {
        const Mesh mesh = read("a.gltf", texturedGltf(image, R"({"index": 0})",
                                                      R"({"wrapS": 33071, "wrapT": 33648})"));
        ASSERT_EQ(mesh.textures.size(), 1u);
        ASSERT_TRUE(mesh.textures[0].albedo.picture);
        EXPECT_EQ(*mesh.textures[0].albedo.picture, fourColours());
        EXPECT_EQ(mesh.textures[0].albedo.wrapU, Wrap::clamp);
        EXPECT_EQ(mesh.textures[0].albedo.wrapV, Wrap::mirror);
        EXPECT_EQ(mesh.uvs, (std::vector<glm::vec2>{{0, 0}, {1, 0}, {.5, 1}}));
        EXPECT_EQ(mesh.materials[0].albedo, glm::dvec3(1));
    }
    expectWords(reasonOf("a.gltf", texturedGltf(inside, R"({"index": 1})")),
                "textures[1] is not there");
}

/// The material's own colour is seen, and a remark says why.
TEST_F(PicturedFile, GltfPicturesThatCannotBeReadLeaveTheColour) {
    const std::pair<const char*, const char*> table[] = {
        {R"({"bufferView": 1})", "it is neither a PNG nor a JPEG file"},
        {R"({"bufferView": 3})", "bufferViews[3] is not there"},
        {R"({"uri": "../x.png"})", "only files in its folder"},
        {R"({"uri": "missing.png"})", "missing.png"}};
    for (const auto& [image, words] : table) {
        const auto model = readModel(write("a.gltf", texturedGltf(image, R"({"index": 0})")));
        ASSERT_TRUE(model) << model.reason();
        EXPECT_TRUE(model->mesh.textures.empty());
        ASSERT_EQ(model->remarks.all().size(), 1u);
        expectWords(model->remarks.all()[0].what, words);
        EXPECT_EQ(model->remarks.all()[0].where, "images[0]");
    }
}

/// The picture is the only texture, named by some of these.
std::string materialGltf(const std::string& material) {
    std::string text = texturedGltf(R"({"bufferView": 2})", R"({"index": 0})");
    const std::size_t first = text.find(R"("materials": [)");
    const std::size_t end = text.find(R"(], "textures")");
    return text.replace(first, end - first, R"("materials": [)" + material);
}

TEST_F(PicturedFile, GltfSaysWhereSurfacesAreMetalAndShine) {
    const auto materialOf = [&](const std::string& text) {
        const Mesh mesh = read("a.gltf", materialGltf(text));
        EXPECT_EQ(mesh.materials.size(), 1u);
        return std::pair(mesh.materials.at(0),
                         mesh.textures.empty() ? Textures{} : mesh.textures.at(0));
    };
    const auto [plain, all] = materialOf(
        R"({"pbrMetallicRoughness": {"metallicRoughnessTexture": {"index": 0}, "roughnessFactor": 0.5},
            "emissiveTexture": {"index": 0}, "emissiveFactor": [1, 0.5, 0],
            "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}}})");
    EXPECT_EQ(plain.kind, MaterialKind::metal);
    EXPECT_EQ(plain.roughness, .25);
    EXPECT_EQ(plain.emission, glm::dvec3(4, 2, 0));
    EXPECT_FALSE(all.albedo.picture);
    ASSERT_TRUE(all.metal.picture && all.emission.picture);
    EXPECT_EQ(all.metal.picture, all.emission.picture);  // once in memory
    EXPECT_EQ(*all.metal.picture, fourColours());

    const auto [partly, scaled] = materialOf(
        R"({"pbrMetallicRoughness": {"metallicRoughnessTexture": {"index": 0}, "metallicFactor": 0.6}})");
    EXPECT_EQ(partly.kind, MaterialKind::metal);
    ASSERT_TRUE(scaled.metal.picture);
    EXPECT_EQ(scaled.metal.picture->texels,
              (std::vector<std::uint32_t>{kRed, kGreen, 0xff990000, 0xff4d8080}));

    for (const char* matt : {R"("metallicRoughnessTexture": {"index": 0}, "metallicFactor": 0.5)",
                             R"("metallicRoughnessTexture": {"index": 0, "texCoord": 1},
             "baseColorTexture": {"index": 0})"}) {
        const auto [material, textures] =
            materialOf(std::string(R"({"pbrMetallicRoughness": {)") + matt + "}}");
        EXPECT_EQ(material.kind, MaterialKind::lambert) << matt;
        EXPECT_FALSE(textures.metal.picture) << matt;
    }
    const auto [dark, none] = materialOf(R"({"emissiveTexture": {"index": 0}})");
    EXPECT_EQ(dark.emission, glm::dvec3(0));
    EXPECT_FALSE(none.emission.picture);
    const auto [elsewhere, other] = materialOf(
        R"({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, "metallicFactor": 0},
            "emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0, "extensions":
            {"KHR_texture_transform": {"scale": [2, 2]}}}})");
    EXPECT_EQ(elsewhere.emission, glm::dvec3(0));
    EXPECT_TRUE(other.albedo.picture);
    EXPECT_FALSE(other.emission.picture);
    // a texture that is not read has no say in where the others lie
    const auto [lamp, lit] = materialOf(
        R"({"pbrMetallicRoughness": {"metallicRoughnessTexture": {"index": 0, "texCoord": 1}, "metallicFactor": 0},
            "emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0}})");
    EXPECT_EQ(lamp.emission, glm::dvec3(1));
    EXPECT_TRUE(lit.emission.picture);
}

/// A white picture whose texels have these alphas.
Picture8 withAlpha(const std::vector<std::uint32_t>& alphas) {
    Picture8 picture{static_cast<int>(alphas.size()), 1};
    for (const std::uint32_t alpha : alphas) picture.texels.push_back(0xffffff | alpha << 24);
    return picture;
}

TEST_F(PicturedFile, GltfCutsHoles) {
    write("leaf.png", pngOf(withAlpha({255, 100, 0})));
    const auto limitOf = [&](const std::string& more, const std::string& factor = "") {
        std::string file = texturedGltf(R"({"uri": "leaf.png"})", R"({"index": 0})");
        const std::string begin = R"("materials": [{)";
        file.insert(file.find(begin) + begin.size(), more);
        const std::string pbr = R"("metallicFactor": 0, )";
        file.insert(file.find(pbr) + pbr.size(), factor);
        return read("a.gltf", file).textures.at(0).holesBelow;
    };
    EXPECT_EQ(limitOf(""), 0);
    EXPECT_EQ(limitOf(R"("alphaMode": "OPAQUE", )"), 0);
    EXPECT_EQ(limitOf(R"("alphaMode": "MASK", )"), 128);
    EXPECT_EQ(limitOf(R"("alphaMode": "MASK", "alphaCutoff": 0.25, )"), 64);
    EXPECT_EQ(limitOf(R"("alphaMode": "MASK", )", R"("baseColorFactor": [1, 1, 1, 0.625], )"), 204);
    EXPECT_EQ(limitOf(R"("alphaMode": "MASK", )", R"("baseColorFactor": [1, 1, 1, 0], )"), 256);
    EXPECT_EQ(limitOf(R"("alphaMode": "BLEND", )"), 128);
}

TEST_F(PicturedFile, ObjCutsHoles) {
    Picture8 mask{2, 1, {0xff0000ff, 0xff000000}};  // red, black
    write("mask.png", pngOf(mask));
    write("four.png", pngOf(fourColours()));
    const auto textured = [&](const std::string& lines) {
        write("a.mtl", "newmtl pictured\n" + lines);
        return read("a.obj", kObj).textures.at(0);
    };
    const Textures own = textured("map_Kd four.png\nmap_d mask.png\n");
    EXPECT_EQ(own.holesBelow, 128);
    std::vector<std::uint32_t> expected = fourColours().texels;  // two by two
    expected[1] &= 0xffffff;
    expected[3] &= 0xffffff;
    EXPECT_EQ(own.albedo.picture->texels, expected);
    const Textures alone = textured("map_d mask.png\n");
    EXPECT_EQ(alone.holesBelow, 128);
    EXPECT_EQ(alone.albedo.picture->texels, (std::vector<std::uint32_t>{0xffffffff, 0x00ffffff}));
    EXPECT_EQ(textured("map_Kd four.png\nmap_d missing.png\n").holesBelow, 0);
}

TEST_F(PicturedFile, GltfMaterialsShareWhatTheyMakeOfPictures) {
    std::string file = texturedGltf(R"({"bufferView": 2})", R"({"index": 0})");
    const std::string one = R"({"pbrMetallicRoughness":
        {"metallicRoughnessTexture": {"index": 0}, "metallicFactor": 0.6}})";
    const auto put = [&](const std::string& key, const std::string& list) {
        const std::size_t first = file.find(key) + key.size();
        file.replace(first, file.find("],", first) - first, list);
    };
    put(R"("materials": [)", one + ", " + one);
    put(R"("primitives": [)",
        R"({"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0},
           {"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 1}]})");
    const Mesh mesh = read("a.gltf", file);
    ASSERT_EQ(mesh.textures.size(), 2u);
    ASSERT_TRUE(mesh.textures[0].metal.picture);
    EXPECT_EQ(mesh.textures[0].metal.picture, mesh.textures[1].metal.picture);
}

/// Shifted, turned by a quarter counter-clockwise, twice as large.
TEST_F(PicturedFile, GltfTransformsTextures) {
    const std::string reference = R"({"index": 0, "extensions": {"KHR_texture_transform":
        {"offset": [0.25, 0.5], "rotation": 1.5707963267948966, "scale": [2, 3]}}})";
    const Mesh mesh = read("a.gltf", texturedGltf(R"({"bufferView": 2})", reference));
    ASSERT_EQ(mesh.uvs.size(), 3u);
    const std::vector<glm::dvec2> expected{{.25, .5}, {.25, -1.5}, {3.25, -.5}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(mesh.uvs[i].x, expected[i].x, 1e-6);
        EXPECT_NEAR(mesh.uvs[i].y, expected[i].y, 1e-6);
    }
}

TEST_F(PicturedFile, ScenesNameTheirSky) {
    write("below/sky.png", pngOf(fourColours()));
    const auto scene = findScene(write("scene.json", R"({"camera": {}, "spheres": [],
        "sky": {"picture": "below/sky.png", "turn": -30, "strength": 0.5}})"));
    ASSERT_TRUE(scene) << scene.reason();
    ASSERT_TRUE(scene->sky.picture);
    EXPECT_EQ(scene->sky.picture->width, 2);
    EXPECT_EQ(scene->sky.turn, -30);
    EXPECT_EQ(scene->sky.strength, .5);
    State state;
    state.scene = *scene;
    state.camera = scene->camera;
    state.settings = defaultSettings(Backend::cpu, *scene);
    const auto again = stateFromJson(toJson(state));
    ASSERT_TRUE(again) << again.reason();
    EXPECT_TRUE(*again == state);
    write("below/sky.png", pngOf(slope(2, 2)));
    expectWords(stateFromJson(toJson(state)).reason(), "is not the one this was saved with");
}

TEST_F(PicturedFile, ScenesNameNoSkyElsewhere) {
    const std::string sky = write("sky.png", pngOf(fourColours()));
    write("below/text.png", "no picture");
    const auto reasonFor = [&](const std::string& members, const std::string& more = "") {
        const auto scene =
            findScene(write("below/scene.json", R"({"camera": {}, "spheres": [], )" + more +
                                                    R"("sky": {)" + members + "}}"));
        return scene ? "" : scene.reason();
    };
    expectWords(reasonFor(R"("picture": "../sky.png")"), "in the scene's folder");
    expectWords(reasonFor(R"("picture": ")" + sky + "\""), "in the scene's folder");
    expectWords(reasonFor(R"("picture": "scene.json")"), "an .exr, .hdr, .png or .jpg");
    expectWords(reasonFor(R"("picture": "missing.hdr")"), "missing.hdr");
    expectWords(reasonFor(R"("picture": "text.png")"), "no EXR, HDR, PNG or JPEG file");
    write("below/sky.png", pngOf(fourColours()));
    EXPECT_EQ(reasonFor(R"("picture": "sky.png")"), "");
    expectWords(reasonFor(R"("picture": "sky.png", "turn": 361)"), "sky.turn");
    expectWords(reasonFor(R"("picture": "sky.png", "strength": -1)"), "sky.strength");
    expectWords(reasonFor(R"("picture": "sky.png", "top": [1, 1, 1])"), "sky.top");
    expectWords(reasonFor(R"("kind": "picture")"), "sky.kind");
    expectWords(reasonFor(R"("picture": "sky.png")", R"("simulation": {"start": "cube"}, )"),
                "beside a simulation");
}

}  // namespace
}  // namespace rayscope
