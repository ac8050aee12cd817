// What glTF files ask for by the specification (Khronos 2021) and its extensions, in files that are
// made here: positions, colours and remarks by a calculation beside each.

#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <meshoptimizer.h>
#include <webp/encode.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>

#include "renderer/core/types.h"
#include "renderer/scene/model_formats.h"
#include "tests/model_files.h"
#include "tests/pictured_square.h"

namespace rayscope {
namespace {

using nlohmann::json;

enum Component { kI8 = 5120, kU8 = 5121, kI16 = 5122, kU16 = 5123, kU32 = 5125, kF32 = 5126 };

template <class T>
std::string bytesOfAll(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A .glb file that is put together here.
struct Glb {
    json root{{"asset", {{"version", "2.0"}}}, {"buffers", json::array({json::object()})}};
    std::string binary;

    int view(const std::string& bytes) {
        binary.resize((binary.size() + 3) / 4 * 4);
        root["bufferViews"].push_back(
            {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes.size()}});
        binary += bytes;
        return static_cast<int>(root["bufferViews"].size()) - 1;
    }
    template <class T>
    int accessor(const std::vector<T>& values, Component component, const char* type, int parts,
                 bool normalised = false) {
        root["accessors"].push_back({{"bufferView", view(bytesOfAll(values))},
                                     {"componentType", component},
                                     {"type", type},
                                     {"normalized", normalised},
                                     {"count", values.size() / static_cast<std::size_t>(parts)}});
        return static_cast<int>(root["accessors"].size()) - 1;
    }
    /// A square from -1 to 1 at z = 0, as the mesh 0 with one primitive.
    json& square() {
        const std::vector<float> corners{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
        const std::vector<std::uint16_t> indices{0, 1, 2, 0, 2, 3};
        const int positions = accessor(corners, kF32, "VEC3", 3);
        root["meshes"] = {{{"primitives",
                            {{{"attributes", {{"POSITION", positions}}},
                              {"indices", accessor(indices, kU16, "SCALAR", 1)}}}}}};
        return root["meshes"][0]["primitives"][0];
    }
    /// Shown by these nodes, of which the first is the scene's.
    void nodes(const json& all) {
        root["nodes"] = all;
        root["scenes"] = {{{"nodes", {0}}}};
    }
    std::string bytes(const std::string& behind = {}, char padding = ' ') const {
        std::string text = root.dump(), packed = binary;
        text.resize((text.size() + 7) / 4 * 4, padding);
        packed.resize((packed.size() + 3) / 4 * 4);
        const auto word = [](std::size_t n) {
            const auto value = static_cast<std::uint32_t>(n);
            return std::string(reinterpret_cast<const char*>(&value), 4);
        };
        return "glTF" + word(2) + word(28 + text.size() + packed.size()) + word(text.size()) +
               "JSON" + text + word(packed.size()) + std::string("BIN\0", 4) + packed + behind;
    }
};

Model modelOf(const Glb& file) {
    Companions nothing("");
    Result<Model> model = gltfModel(file.bytes(), nothing);
    if (!model) {
        ADD_FAILURE() << model.reason();
        return {};
    }
    tidy(model->mesh);
    return *std::move(model);
}

std::string reasonFor(const Glb& file) {
    Companions nothing("");
    const Result<Model> model = gltfModel(file.bytes(), nothing);
    return model ? "" : model.reason();
}

bool hasRemark(const Model& model, const std::string& words) {
    return std::ranges::any_of(model.remarks.all(), [&](const Remark& remark) {
        return remark.what.find(words) != std::string::npos;
    });
}

void expectCorners(const Model& model, const std::vector<glm::vec3>& corners) {
    ASSERT_EQ(model.mesh.corners.size(), corners.size());
    for (std::size_t i = 0; i < corners.size(); ++i)
        EXPECT_LT(glm::distance(model.mesh.corners[i], corners[i]), 1e-5f) << i;
}

const std::vector<glm::vec3> kSquareCorners{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};

TEST(Gltf, NumbersOfAllTypesAreRead) {
    const auto read = [](auto values, Component component, bool normalised) {
        Glb file;
        json& primitive = file.square();
        primitive["attributes"]["POSITION"] =
            file.accessor(values, component, "VEC3", 3, normalised);
        return modelOf(file);
    };
    // normalised signed numbers: the most negative is -1, too (3.6.2.2)
    expectCorners(
        read(std::vector<std::int8_t>{-128, -127, 0, 127, -127, 0, 127, 127, 0, -127, 127, 0}, kI8,
             true),
        kSquareCorners);
    expectCorners(read(std::vector<std::int16_t>{-32768, -32767, 0, 32767, -32767, 0, 32767, 32767,
                                                 0, -32767, 32767, 0},
                       kI16, true),
                  kSquareCorners);
    expectCorners(
        read(std::vector<std::int16_t>{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}, kI16, false),
        kSquareCorners);
    expectCorners(
        read(std::vector<std::uint8_t>{0, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 0}, kU8, true),
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
    expectCorners(
        read(std::vector<std::uint16_t>{0, 0, 0, 65535, 0, 0, 65535, 65535, 0, 0, 65535, 0}, kU16,
             true),
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
}

TEST(Gltf, SparseAccessorsReplaceElementsOfOthersOrOfZeros) {
    Glb file;
    json& primitive = file.square();
    const int numbers = file.view(bytesOfAll(std::vector<std::uint16_t>{1, 2}));
    const int values = file.view(bytesOfAll(std::vector<float>{5, -1, 0, 5, 1, 0}));
    const json sparse{{"count", 2},
                      {"indices", {{"bufferView", numbers}, {"componentType", kU16}}},
                      {"values", {{"bufferView", values}}}};
    file.root["accessors"][0]["sparse"] = sparse;
    expectCorners(modelOf(file), {{-1, -1, 0}, {5, -1, 0}, {5, 1, 0}, {-1, 1, 0}});
    file.root["accessors"][0].erase("bufferView");
    // of the two triangles 0 1 2 and 0 2 3 one has an area
    expectCorners(modelOf(file), {{0, 0, 0}, {5, -1, 0}, {5, 1, 0}});
    file.root["accessors"][0]["sparse"]["count"] = 3;
    expectWords(reasonFor(file), "reaches beyond its buffer");
    file.root["accessors"][0]["sparse"]["count"] = 5;
    expectWords(reasonFor(file), "more than it has");
    file.root["accessors"][0]["sparse"] = sparse;
    file.root["accessors"][0]["count"] = 2;
    expectWords(reasonFor(file), "do not ascend within it");
    file.root["accessors"][0].erase("sparse");
    file.root["accessors"][0]["count"] = 90'000'000;
    expectWords(reasonFor(file), "have no bytes");
    file.root["accessors"][0]["count"] = 4;
    file.root["accessors"][1].erase("bufferView");
    file.root["accessors"][1]["count"] = 30'000'000;
    expectWords(reasonFor(file), "indices have no bytes");
    primitive["indices"] = 9;
    file.root["accessors"][0]["count"] = 4;
    expectWords(reasonFor(file), "accessors[9] is not there");
}

TEST(Gltf, CornersHaveColoursThatMultiplyTheBaseColour) {
    for (const bool bytes : {false, true}) {
        Glb file;
        json& primitive = file.square();
        const std::vector<float> reals{.2f, .4f, .6f, 1, .2f, .4f, .6f, 1,
                                       .2f, .4f, .6f, 1, .2f, .4f, .6f, 1};
        std::vector<std::uint8_t> shares;
        for (const float v : reals) shares.push_back(static_cast<std::uint8_t>(255 * v + .5f));
        primitive["attributes"]["COLOR_0"] = bytes ? file.accessor(shares, kU8, "VEC4", 4, true)
                                                   : file.accessor(reals, kF32, "VEC4", 4);
        primitive["material"] = 0;
        file.root["materials"] = {{{"pbrMetallicRoughness",
                                    {{"baseColorFactor", {.5, 1, .5, 1}}, {"metallicFactor", 0}}}}};
        const Model model = modelOf(file);
        ASSERT_EQ(model.mesh.colours.size(), 4u);
        EXPECT_EQ(model.mesh.materials.at(0).albedo, glm::dvec3(.5, 1, .5));
        for (const char* precision : {"precision=float", "precision=double"}) {
            for (const char* layout : {"scene_layout=aos", "scene_layout=soa"})
                expectColour(colourAt(model.mesh, .3, .2, {precision, layout}), {.1, .4, .3}, .003);
        }
    }
}

/// From black at the left to white at the right, as interpolation in the triangle makes it.
TEST(Gltf, ColoursOfCornersAreInterpolated) {
    Glb file;
    json& primitive = file.square();
    const std::vector<float> colours{0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    primitive["attributes"]["COLOR_0"] = file.accessor(colours, kF32, "VEC3", 3);
    primitive["material"] = 0;
    file.root["materials"] = {{{"pbrMetallicRoughness", {{"metallicFactor", 0}}}}};
    const Mesh mesh = modelOf(file).mesh;
    for (const double x : {-.8, -.2, .4, .9})
        expectColour(colourAt(mesh, x, .1), glm::dvec3((x + 1) / 2), .02);
}

TEST(Gltf, MorphTargetsHaveTheirWeights) {
    Glb file;
    json& primitive = file.square();
    const int one =
        file.accessor(std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, kF32, "VEC3", 3);
    const int two =
        file.accessor(std::vector<float>{0, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0}, kF32, "VEC3", 3);
    primitive["targets"] = {{{"POSITION", one}}, {{"POSITION", two}}};
    file.root["meshes"][0]["weights"] = {.5, .25};
    file.nodes({{{"mesh", 0}}});
    expectCorners(modelOf(file), {{-1, -1, .5}, {1.5, -1, .5}, {1.5, 1, .5}, {-1, 1, .5}});
    file.root["nodes"][0]["weights"] = {0, 1};
    expectCorners(modelOf(file), {{-1, -1, 0}, {3, -1, 0}, {3, 1, 0}, {-1, 1, 0}});
}

/// Two joints: the left corners stay, the right ones move up by 3, which the second joint's node
/// says; the mesh's own node counts for nothing (3.7.3.3).
TEST(Gltf, SkinsAreInTheFilesPose) {
    Glb file;
    json& primitive = file.square();
    primitive["attributes"]["JOINTS_0"] = file.accessor(
        std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, kU8, "VEC4", 4);
    primitive["attributes"]["WEIGHTS_0"] = file.accessor(
        std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, .5f, .5f, 0, 0}, kF32, "VEC4", 4);
    std::vector<float> inverses;
    for (int j = 0; j < 2; ++j) {  // bound 1 up
        const std::vector<float> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, j == 1 ? -1.f : 0.f,
                                   0, 1};
        inverses.insert(inverses.end(), m.begin(), m.end());
    }
    file.root["skins"] = {
        {{"joints", {2, 3}}, {"inverseBindMatrices", file.accessor(inverses, kF32, "MAT4", 16)}}};
    file.nodes({{{"children", {1, 2}}, {"translation", {0, 0, 7}}},
                {{"mesh", 0}, {"skin", 0}, {"translation", {50, 0, 0}}},
                {{"children", {3}}},
                {{"translation", {0, 4, 0}}}});
    expectCorners(modelOf(file), {{-1, -1, 7}, {1, 2, 7}, {1, 4, 7}, {-1, 2.5f, 7}});
}

TEST(Gltf, InstancesOfANodeAreMeshes) {
    Glb file;
    file.square();
    const int translation = file.accessor(std::vector<float>{0, 0, 0, 10, 0, 0}, kF32, "VEC3", 3);
    // a quarter turn about z as normalised shorts
    const int rotation = file.accessor(
        std::vector<std::int16_t>{0, 0, 0, 32767, 0, 0, 23170, 23170}, kI16, "VEC4", 4, true);
    const int scale = file.accessor(std::vector<float>{1, 1, 1, 2, 1, 1}, kF32, "VEC3", 3);
    file.nodes(
        {{{"mesh", 0},
          {"translation", {0, 0, 3}},
          {"extensions",
           {{"EXT_mesh_gpu_instancing",
             {{"attributes",
               {{"TRANSLATION", translation}, {"ROTATION", rotation}, {"SCALE", scale}}}}}}}}});
    file.root["extensionsRequired"] = {"EXT_mesh_gpu_instancing"};
    const Model model = modelOf(file);
    ASSERT_EQ(model.mesh.corners.size(), 8u);
    EXPECT_LT(glm::distance(model.mesh.corners[0], {-1, -1, 3}), 1e-5f);
    EXPECT_LT(glm::distance(model.mesh.corners[4], {11, -2, 3}), 1e-3f);  // (-2, -1) turned
}

/// The picture is 2 ymag high whatever the distance is.
TEST(Gltf, OrthographicCamerasHaveNearlyParallelRays) {
    Glb file;
    file.square();
    file.nodes(
        {{{"children", {1, 2}}}, {{"mesh", 0}}, {{"camera", 0}, {"translation", {0, 0, 5}}}});
    file.root["cameras"] = {
        {{"type", "orthographic"},
         {"orthographic", {{"xmag", 2}, {"ymag", 2}, {"znear", .5}, {"zfar", 9}}}}};
    const Model model = modelOf(file);
    ASSERT_TRUE(model.camera);
    const double away = model.camera->from.z;
    const double half = away * std::tan(model.camera->vfov * M_PI / 360);
    EXPECT_NEAR(half, 2, 1e-6);
    EXPECT_LT((away - 1) * std::tan(model.camera->vfov * M_PI / 360), 2);
    EXPECT_GT((away - 1) * std::tan(model.camera->vfov * M_PI / 360), 1.98);
    EXPECT_NEAR(away - model.camera->start, 4.5, 1e-6);  // the near plane
    EXPECT_TRUE(hasRemark(model, "orthographic"));
}

TEST(Gltf, DeepNodesAreNoCircle) {
    Glb file;
    file.square();
    json nodes = json::array();
    for (int i = 0; i < 3000; ++i)
        nodes.push_back({{"children", {i + 1}}, {"translation", {.001, 0, 0}}});
    nodes.push_back({{"mesh", 0}});
    file.nodes(nodes);
    const Model model = modelOf(file);
    ASSERT_EQ(model.mesh.corners.size(), 4u);
    EXPECT_NEAR(model.mesh.corners[1].x, 4, 1e-3);
    file.root["nodes"][3000] = {{"mesh", 0}, {"children", {5}}};
    expectWords(reasonFor(file), "in a circle");
}

TEST(Gltf, NodesWithoutASceneAreShown) {
    Glb file;
    file.square();
    file.root["nodes"] = {{{"mesh", 0}, {"scale", {.5, .5, .5}}}};
    expectCorners(modelOf(file), {{-.5, -.5, 0}, {.5, -.5, 0}, {.5, .5, 0}, {-.5, .5, 0}});
}

TEST(Gltf, SaysThatItIsOfAnotherVersion) {
    Glb file;
    file.square();
    for (const char* version : {"1.0", "3.0"}) {
        file.root["asset"]["version"] = version;
        expectWords(reasonFor(file), fmt::format("it is glTF {}", version[0]));
    }
    Companions nothing("");
    expectWords(gltfModel(R"({"meshes": {"a": {}}})", nothing).reason(), "it is glTF 1");
}

/// The length in its header is where a .glb ends (4.4.2).
TEST(Gltf, BytesBehindAGlbAreNotItsOwn) {
    Glb file;
    file.square();
    Companions nothing("");
    for (const char* behind : {"\n", "more bytes than a chunk's head"})
        EXPECT_TRUE(gltfModel(file.bytes(behind), nothing));
    EXPECT_TRUE(gltfModel(file.bytes({}, '\0'), nothing));  // padded against the specification
}

TEST(Gltf, NoMaterialIsTheSameAsAnEmptyOne) {
    Glb file;
    json& primitive = file.square();
    const Model without = modelOf(file);
    primitive["material"] = 0;
    file.root["materials"] = {json::object()};
    EXPECT_EQ(without.mesh.materials, modelOf(file).mesh.materials);
    EXPECT_EQ(without.mesh.materials.at(0).kind, MaterialKind::metal);
    EXPECT_EQ(without.mesh.materials.at(0).albedo, glm::dvec3(1));
    EXPECT_EQ(without.mesh.materials.at(0).roughness, 1);
}

Material materialFor(const json& material, Model* model = nullptr) {
    Glb file;
    file.square()["material"] = 0;
    file.root["materials"] = {material};
    const Model read = modelOf(file);
    if (model != nullptr) *model = read;
    return read.mesh.materials.empty() ? Material{} : read.mesh.materials[0];
}

TEST(Gltf, UnlitIsWhatShinesInItsColour) {
    const Material m =
        materialFor({{"pbrMetallicRoughness", {{"baseColorFactor", {.7, .1, .2, 1}}}},
                     {"extensions", {{"KHR_materials_unlit", json::object()}}}});
    EXPECT_EQ(m.emission, glm::dvec3(.7, .1, .2));
    EXPECT_EQ(m.albedo, glm::dvec3(0));
}

TEST(Gltf, UnlitTrianglesHaveTheColoursOfTheirCorners) {
    Glb file;
    json& primitive = file.square();
    primitive["attributes"]["COLOR_0"] = file.accessor(
        std::vector<float>{.5, .25, 1, .5, .25, 1, .5, .25, 1, .5, .25, 1}, kF32, "VEC3", 3);
    primitive["material"] = 0;
    file.root["materials"] = {{{"extensions", {{"KHR_materials_unlit", json::object()}}}}};
    const Mesh mesh = modelOf(file).mesh;
    ASSERT_EQ(mesh.materials.size(), 1u);
    EXPECT_EQ(mesh.materials[0].emission, glm::dvec3(.5, .25, 1));
}

TEST(Gltf, SpecularGlossinessBecomesMattOrMetal) {
    const auto read = [](const json& extension) {
        return materialFor({{"extensions", {{"KHR_materials_pbrSpecularGlossiness", extension}}}});
    };
    const Material matt = read({{"diffuseFactor", {.7, .1, .2, 1}}, {"specularFactor", {0, 0, 0}}});
    EXPECT_EQ(matt.kind, MaterialKind::lambert);
    EXPECT_NEAR(glm::distance(matt.albedo, glm::dvec3(.7, .1, .2)), 0, 1e-9);
    const Material gold = read({{"diffuseFactor", {0, 0, 0, 1}},
                                {"specularFactor", {1, .8, .3}},
                                {"glossinessFactor", .75}});
    EXPECT_EQ(gold.kind, MaterialKind::metal);
    EXPECT_EQ(gold.albedo, glm::dvec3(1, .8, .3));
    EXPECT_NEAR(gold.roughness, .0625, 1e-9);  // the square of 1 - .75
}

TEST(Gltf, PackedByMeshoptimizerIsTheSame) {
    Glb file;
    json& primitive = file.square();
    const std::vector<float> corners{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    std::vector<unsigned char> packed(meshopt_encodeVertexBufferBound(4, 12));
    packed.resize(meshopt_encodeVertexBuffer(packed.data(), packed.size(), corners.data(), 4, 12));
    const std::vector<unsigned> indices{0, 1, 2, 0, 2, 3};
    std::vector<unsigned char> order(meshopt_encodeIndexBufferBound(6, 4));
    order.resize(meshopt_encodeIndexBuffer(order.data(), order.size(), indices.data(), 6));
    const auto pack = [&](int accessor, const std::vector<unsigned char>& bytes, int count,
                          int stride, const char* mode) {
        const int view = file.view(bytesOfAll(bytes));
        json extension = file.root["bufferViews"][view];
        extension["count"] = count;
        extension["byteStride"] = stride;
        extension["mode"] = mode;
        file.root["accessors"][accessor]["bufferView"] = file.root["bufferViews"].size();
        file.root["bufferViews"].push_back(
            {{"buffer", 1},
             {"byteLength", count * stride},
             {"extensions", {{"EXT_meshopt_compression", extension}}}});
    };
    pack(0, packed, 4, 12, "ATTRIBUTES");
    pack(1, order, 6, 2, "TRIANGLES");
    file.root["buffers"].push_back(
        {{"byteLength", 60}, {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}});
    file.root["extensionsRequired"] = {"EXT_meshopt_compression"};
    const Model model = modelOf(file);
    expectCorners(model, kSquareCorners);
    EXPECT_EQ(model.mesh.faces.size(), 2u);
    json& extension = file.root["bufferViews"].back()["extensions"]["EXT_meshopt_compression"];
    extension["count"] = 3'000'000;
    expectWords(reasonFor(file), "too short for 3000000 elements");
    extension["count"] = 6;
    extension["byteLength"] = 9;
    expectWords(reasonFor(file), "no data of EXT_meshopt_compression");
    primitive["mode"] = 4;
}

TEST(Gltf, PackedByDracoIsTheSame) {
    draco::TriangleSoupMeshBuilder builder;
    builder.Start(2);
    const int positions =
        builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
    const int order[2][3] = {{0, 1, 2}, {0, 2, 3}};
    for (int f = 0; f < 2; ++f)
        builder.SetAttributeValuesForFace(positions,
                                          draco::FaceIndex(static_cast<std::uint32_t>(f)),
                                          &kSquareCorners[static_cast<std::size_t>(order[f][0])],
                                          &kSquareCorners[static_cast<std::size_t>(order[f][1])],
                                          &kSquareCorners[static_cast<std::size_t>(order[f][2])]);
    const std::unique_ptr<draco::Mesh> mesh = builder.Finalize();
    draco::EncoderBuffer buffer;
    draco::Encoder encoder;
    encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, 14);
    ASSERT_TRUE(encoder.EncodeMeshToBuffer(*mesh, &buffer).ok());
    Glb file;
    json& primitive = file.square();
    const auto number = mesh->attribute(positions)->unique_id();
    const int view = file.view(std::string(buffer.data(), buffer.size()));
    primitive["extensions"]["KHR_draco_mesh_compression"] = {
        {"bufferView", view}, {"attributes", {{"POSITION", number}}}};
    for (json& accessor : file.root["accessors"]) accessor.erase("bufferView");
    const Model model = modelOf(file);
    ASSERT_EQ(model.mesh.faces.size(), 2u);
    ASSERT_EQ(model.mesh.corners.size(), 4u);
    for (const glm::vec3& corner : kSquareCorners) {
        EXPECT_TRUE(std::ranges::any_of(model.mesh.corners, [&](const glm::vec3& c) {
            return glm::distance(c, corner) < 1e-3f;
        }));
    }
    file.root["bufferViews"][view]["byteLength"] = 30;
    expectWords(reasonFor(file), "Draco");
}

TEST(Gltf, WebpTexturesAreRead) {
    const std::vector<std::uint8_t> rgba{255, 0, 0, 255, 0, 255, 0, 128};
    std::uint8_t* packed = nullptr;
    const std::size_t size = WebPEncodeLosslessRGBA(rgba.data(), 2, 1, 8, &packed);
    const std::string webp(reinterpret_cast<const char*>(packed), size);
    WebPFree(packed);
    const auto picture = pictureFrom(webp);
    ASSERT_TRUE(picture) << picture.reason();
    EXPECT_EQ(picture->texels, (std::vector<std::uint32_t>{0xff0000ffu, 0x8000ff00u}));
    EXPECT_FALSE(pictureFrom(webp.substr(0, size / 2)));
    Glb file;
    json& primitive = file.square();
    primitive["attributes"]["TEXCOORD_0"] =
        file.accessor(std::vector<float>{0, 0, 1, 0, 1, 1, 0, 1}, kF32, "VEC2", 2);
    primitive["material"] = 0;
    file.root["materials"] = {
        {{"pbrMetallicRoughness", {{"metallicFactor", 0}, {"baseColorTexture", {{"index", 0}}}}}}};
    file.root["images"] = {{{"bufferView", file.view(webp)}, {"mimeType", "image/webp"}}};
    file.root["textures"] = {{{"extensions", {{"EXT_texture_webp", {{"source", 0}}}}}}};
    file.root["extensionsRequired"] = {"EXT_texture_webp"};
    const Model model = modelOf(file);
    ASSERT_EQ(model.mesh.textures.size(), 1u);
    ASSERT_TRUE(model.mesh.textures[0].albedo.picture);
    EXPECT_EQ(model.mesh.textures[0].albedo.picture->texels, picture->texels);
    file.root["textures"] = {{{"extensions", {{"KHR_texture_basisu", {{"source", 0}}}}}}};
    file.root["extensionsRequired"] = {"KHR_texture_basisu"};
    const Model plain = modelOf(file);
    EXPECT_TRUE(plain.mesh.textures.empty());
    EXPECT_TRUE(hasRemark(plain, "KTX2"));
}

/// A ball that shines as much in all directions together as the point does: its radiance times a
/// quarter of its surface, the mean of what is seen of it, is the intensity.
TEST(Gltf, PointLightsAreBallsOfTheirIntensity) {
    Glb file;
    file.square();
    file.root["extensions"]["KHR_lights_punctual"]["lights"] = {
        {{"type", "point"}, {"intensity", 2}, {"color", {1, .5, 0}}}, {{"type", "spot"}}};
    file.nodes(
        {{{"mesh", 0}, {"children", {1, 2}}},
         {{"translation", {0, 3, 0}}, {"extensions", {{"KHR_lights_punctual", {{"light", 0}}}}}},
         {{"extensions", {{"KHR_lights_punctual", {{"light", 1}}}}}}});
    const Model model = modelOf(file);
    double surface = 0;
    glm::dvec3 radiance(0);
    for (const Triangle& face : model.mesh.faces) {
        const Material& m = model.mesh.materials.at(static_cast<std::size_t>(face.material));
        if (m.emission == glm::dvec3(0)) continue;
        radiance = m.emission;
        surface += doubleArea(model.mesh, face) / 2.;
        const glm::vec3 a = model.mesh.corners[static_cast<std::size_t>(face.corners[0])],
                        b = model.mesh.corners[static_cast<std::size_t>(face.corners[1])],
                        c = model.mesh.corners[static_cast<std::size_t>(face.corners[2])];
        EXPECT_GT(glm::dot(glm::cross(b - a, c - a), a - glm::vec3(0, 3, 0)), 0);
    }
    EXPECT_NEAR(radiance.x * surface / 4, 2, 1e-4);
    EXPECT_NEAR(radiance.y * surface / 4, 1, 1e-4);
    EXPECT_EQ(radiance.z, 0);
    EXPECT_TRUE(hasRemark(model, "spot lights"));
    EXPECT_TRUE(hasRemark(model, "point lights"));
    file.root["meshes"][0]["primitives"] = json::array();  // lights alone are no model
    EXPECT_TRUE(modelOf(file).mesh.faces.empty());
}

TEST(Gltf, WhatIsNotShownIsRemarked) {
    Glb file;
    json& primitive = file.square();
    primitive["material"] = 0;
    file.root["materials"] = {{{"normalTexture", {{"index", 0}}},
                               {"extensions",
                                {{"KHR_materials_clearcoat", {{"clearcoatFactor", 1}}},
                                 {"KHR_materials_sheen", {{"sheenColorFactor", {0, 0, 0}}}}}}}};
    file.root["animations"] = {json::object(), json::object()};
    file.root["extensionsUsed"] = {"KHR_materials_clearcoat", "ACME_glitter"};
    file.root["meshes"][0]["primitives"].push_back(
        {{"attributes", {{"POSITION", 0}}}, {"mode", 0}});
    const Model model = modelOf(file);
    for (const char* words : {"normal maps", "KHR_materials_clearcoat", "animations are not played",
                              "'ACME_glitter'", "points and lines"})
        EXPECT_TRUE(hasRemark(model, words)) << words;
    EXPECT_FALSE(hasRemark(model, "sheen"));  // without its colour it is nothing
    file.root["extensionsRequired"] = {"ACME_glitter"};
    expectWords(reasonFor(file), "'ACME_glitter'");
    Glb plain;
    plain.square();
    EXPECT_TRUE(modelOf(plain).remarks.empty());
}

TEST_F(ModelFile, GltfNamesItsFilesWithBackslashesToo) {
    Glb file;
    file.square();
    write("below/all.bin", file.binary);
    file.root["buffers"][0] = {{"byteLength", file.binary.size()}, {"uri", "below\\all.bin"}};
    EXPECT_EQ(read("a.gltf", file.root.dump()).faces.size(), 2u);
}

}  // namespace
}  // namespace rayscope
