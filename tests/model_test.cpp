// Files of triangles: tiny ones that the tests write, damaged ones, and scenes that name them.

#include "renderer/scene/model.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "renderer/film/image_files.h"
#include "renderer/scene/json.h"
#include "renderer/scene/made_meshes.h"
#include "renderer/scene/model_formats.h"
#include "tests/made_of_triangles.h"
#include "tests/model_files.h"
#include "tests/render_helper.h"

namespace rayscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSquareObj =
    "# a square and a triangle with normals\n"
    "mtllib square.mtl\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "vn 0 0 2\nvt 0 0\n"
    "usemtl red one\n"
    "f 1 2 3 4\n"
    "usemtl lamp\r\n"
    "f -4/1/1 -3/1/1 -1/1/-1\n"
    "f 1 1 2\n";

TEST_F(ModelFile, ObjHasPolygonsNormalsAndMaterials) {
    write("square.mtl",
          "newmtl red one\nKd .5 .25 2\nnewmtl lamp\nKd 1 1 1\nKe 3 2 1\nnewmtl unused\nKd 0 0 0\n"
          "newmtl x\n");
    const Mesh mesh = read("square.obj", kSquareObj);
    ASSERT_EQ(mesh.faces.size(), 3u);  // one has no area
    EXPECT_EQ(mesh.corners.size(), 7u);
    ASSERT_EQ(mesh.materials.size(), 2u);
    EXPECT_EQ(mesh.materials[0].albedo, glm::dvec3(.5, .25, 1));
    EXPECT_EQ(mesh.materials[1].emission, glm::dvec3(3, 2, 1));
    EXPECT_FALSE(isSmooth(mesh, mesh.faces[0]));
    EXPECT_TRUE(isSmooth(mesh, mesh.faces[2]));
    EXPECT_EQ(mesh.normals[mesh.faces[2].corners[0]], glm::vec3(0, 0, 1));
    EXPECT_EQ(mesh.corners[mesh.faces[2].corners[2]], glm::vec3(0, 1, 0));
}

TEST_F(ModelFile, MtlSaysWhatIsGlassAndMetal) {
    write("m.mtl",
          "newmtl a\nNi 1.33\nd .1\nnewmtl b\nillum 5\nnewmtl c\nPm 1\nPr .5\nnewmtl d\nillum 7\n"
          "newmtl e\nTr .2\n");
    std::string text = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (const char* name : {"a", "b", "c", "d", "e"})
        text += std::string("usemtl ") + name + "\nf 1 2 3\n";
    const Mesh mesh = read("m.obj", text);
    ASSERT_EQ(mesh.materials.size(), 5u);
    EXPECT_EQ(mesh.materials[0].kind, MaterialKind::dielectric);
    EXPECT_EQ(mesh.materials[0].index, 1.33);
    EXPECT_EQ(mesh.materials[1].kind, MaterialKind::metal);
    EXPECT_EQ(mesh.materials[1].roughness, 0);
    EXPECT_EQ(mesh.materials[2].roughness, .25);
    EXPECT_EQ(mesh.materials[3].kind, MaterialKind::dielectric);
    EXPECT_EQ(mesh.materials[4].kind, MaterialKind::lambert);
}

TEST_F(ModelFile, ObjReadsNothingOutsideItsFolder) {
    std::ofstream(folder_ / "secret.mtl") << "newmtl a\nKd 1 0 0\n";
    const std::string text = "mtllib ../secret.mtl\nusemtl a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const Mesh mesh = read("below/a.obj", text);
    ASSERT_EQ(mesh.materials.size(), 1u);
    EXPECT_EQ(mesh.materials[0].albedo, glm::dvec3(.8));
}

TEST_F(ModelFile, ObjNamesTheLineThatIsWrong) {
    const std::string start = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    expectWords(reasonOf("a.obj", start + "f 1 2 4\n"), "line 4: vertex 4 is not there");
    expectWords(reasonOf("a.obj", start + "f 1 2 0\n"), "line 4");
    expectWords(reasonOf("a.obj", start + "f 1 2 -4\n"), "line 4");
    expectWords(reasonOf("a.obj", start + "f 1 2 x\n"), "'x' is no number of a vertex");
    expectWords(reasonOf("a.obj", "v 0 zero 0\n"), "line 1: 'zero' is no number");
    expectWords(reasonOf("a.obj", "v 0 0\n"), "line 1");
    expectWords(reasonOf("a.obj", start + "v nan 0 0\nf 1 2 4\n"),
                "line 5: a vertex is no number or too far away");
    expectWords(reasonOf("a.obj", start + "v 1e16 0 0\nf 1 2 4\n"), "line 5: a vertex is no");
    expectWords(reasonOf("a.obj", start + "v 0 1e8 0\nf 1 2 4\n"), "too far away");
    expectWords(reasonOf("a.obj", ""), "has no triangles");
    expectWords(reasonOf("a.obj", start + "f 1 1 2\n"), "has no triangles");
    expectWords(reasonOf("a.obj", "v \x1b[2J 0 0\n"), "\uFFFD");
}

const std::string kPlyHeader =
    "element vertex 4\nproperty float x\nproperty float y\nproperty double z\nproperty uchar red\n"
    "element edge 1\nproperty int a\nelement face 2\nproperty uchar flag\n"
    "property list uchar int vertex_indices\nend_header\n";

template <class T>
std::string bytesOf(T value, bool swapped) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    std::string bytes(raw, sizeof raw);
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

std::string binaryPly(bool big) {
    std::string bytes = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                        "_endian 1.0\ncomment made here\n" + kPlyHeader;
    for (const glm::vec3 p :
         {glm::vec3(0, 0, 5), glm::vec3(1, 0, 5), glm::vec3(1, 1, 5), glm::vec3(0, 1, 5)})
        bytes += bytesOf(p.x, big) + bytesOf(p.y, big) + bytesOf<double>(p.z, big) + "r";
    bytes += bytesOf(7, big);
    bytes += std::string("f\x03", 2) + bytesOf(0, big) + bytesOf(1, big) + bytesOf(2, big);
    bytes += std::string("f\x04", 2) + bytesOf(0, big) + bytesOf(1, big) + bytesOf(2, big) +
             bytesOf(3, big);
    return bytes;
}

TEST_F(ModelFile, PlyIsTheSameInEveryFormat) {
    const Mesh text = read("a.ply", "ply\r\nformat ascii 1.0\n" + kPlyHeader +
                                        "0 0 5 9\n1 0 5 9\n1 1 5 9\n0 1 5 9\n7\n"
                                        "0 3 0 1 2\n0 4 0 1 2 3\n");
    ASSERT_EQ(text.faces.size(), 3u);
    EXPECT_EQ(text.corners.size(), 4u);
    EXPECT_EQ(text.corners[2], glm::vec3(1, 1, 5));
    EXPECT_EQ(read("b.ply", binaryPly(false)), text);
    EXPECT_EQ(read("c.PLY", binaryPly(true)), text);
}

TEST_F(ModelFile, PlyHasNormals) {
    const Mesh mesh = read("n.ply",
                           "ply\nformat ascii 1.0\nelement vertex 3\nproperty float nx\nproperty "
                           "float ny\nproperty float nz\nproperty float x\nproperty float y\n"
                           "property float z\nelement face 1\nproperty list uchar uint "
                           "vertex_index\nend_header\n0 0 2 0 0 0\n0 0 1 1 0 0\n0 1 0 0 1 0\n"
                           "3 0 1 2\n");
    ASSERT_EQ(mesh.normals.size(), 3u);
    EXPECT_EQ(mesh.normals[0], glm::vec3(0, 0, 1));
    EXPECT_EQ(mesh.corners[1], glm::vec3(1, 0, 0));
}

TEST_F(ModelFile, DamagedPlyIsRefused) {
    const std::string good = binaryPly(false);
    for (std::size_t size = 0; size < good.size(); size += 3)
        EXPECT_FALSE(readModel(write("cut.ply", good.substr(0, size)))) << size;
    expectWords(reasonOf("a.ply", "plx\n"), "does not begin as a PLY file");
    expectWords(reasonOf("a.ply", "ply\nformat binary 1.0\nend_header\n"), "'binary' is not known");
    expectWords(reasonOf("a.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999999999999\n"),
                "no count");
    const std::string many =
        "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n"
        "property float z\nend_header\n";
    expectWords(reasonOf("a.ply", many), "ends before its last value");
    std::string wrong = good;
    wrong[wrong.size() - 4] = 100;
    expectWords(reasonOf("a.ply", wrong), "a vertex that is not there");
}

/// Two triangles with indices, twice by two nodes, of which one mirrors; a camera; materials.
std::string gltfText(const std::string& buffer) {
    return R"({"asset": {"version": "2.0"}, "scene": 0,
        "scenes": [{"nodes": [0, 2]}],
        "nodes": [{"children": [1, 3], "translation": [10, 0, 0]},
                  {"mesh": 0, "scale": [-2, 2, 2]},
                  {"camera": 0, "translation": [10, 0, 8]},
                  {"mesh": 0, "rotation": [0, 0, 1, 0]}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.5235987755982988}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 2}, "indices": 1,
                                    "material": 1}]}],
        "materials": [{}, {"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 1],
                                                    "metallicFactor": 1, "roughnessFactor": 0.5}}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                      {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
                      {"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 64, "byteStride": 16},
                        {"buffer": 0, "byteOffset": 64, "byteLength": 12},
                        {"buffer": 0, "byteOffset": 76, "byteLength": 48}],
        "buffers": [)" +
           buffer + "]}";
}

std::string gltfBytes() {
    std::string bytes;
    for (const glm::vec3 p :
         {glm::vec3(0, 0, 0), glm::vec3(1, 0, 0), glm::vec3(1, 1, 0), glm::vec3(0, 1, 0)})
        bytes += bytesOf(p.x, false) + bytesOf(p.y, false) + bytesOf(p.z, false) + "pad.";
    for (const std::uint16_t i : {0, 1, 2, 0, 2, 3}) bytes += bytesOf(i, false);
    for (int i = 0; i < 4; ++i)
        bytes += bytesOf(0.f, false) + bytesOf(0.f, false) + bytesOf(1.f, false);
    return bytes;
}

std::string glb(std::string text, std::string binary) {
    text.resize((text.size() + 3) / 4 * 4, ' ');
    binary.resize((binary.size() + 3) / 4 * 4, '\0');
    const auto word = [](std::size_t n) { return bytesOf(static_cast<std::uint32_t>(n), false); };
    return "glTF" + word(2) + word(28 + text.size() + binary.size()) + word(text.size()) + "JSON" +
           text + word(binary.size()) + std::string("BIN\0", 4) + binary;
}

TEST_F(ModelFile, GltfPlacesMeshesByItsNodes) {
    write("below/bytes.bin", gltfBytes());
    const Mesh mesh = read("a.gltf", gltfText(R"({"byteLength": 124, "uri": "below/bytes.bin"})"));
    ASSERT_EQ(mesh.faces.size(), 4u);
    ASSERT_EQ(mesh.materials.size(), 1u);
    EXPECT_EQ(mesh.materials[0].kind, MaterialKind::metal);
    EXPECT_EQ(mesh.materials[0].albedo, glm::dvec3(1, .5, .25));
    EXPECT_EQ(mesh.materials[0].roughness, .25);
    EXPECT_EQ(mesh.corners[1], glm::vec3(8, 0, 0));  // mirrored, and twice as large
    EXPECT_EQ(mesh.corners[7], glm::vec3(10, -1, 0));
    for (const Triangle& face : mesh.faces) {  // corners stay counter-clockwise
        const glm::vec3 a = mesh.corners[face.corners[0]];
        const glm::vec3 across =
            glm::cross(mesh.corners[face.corners[1]] - a, mesh.corners[face.corners[2]] - a);
        EXPECT_GT(across.z, 0);
        EXPECT_GT(mesh.normals[face.corners[0]].z, .99f);
    }
    EXPECT_EQ(read("a.glb", glb(gltfText(R"({"byteLength": 124})"), gltfBytes())), mesh);
}

/// With textures it cuts holes: PicturedFile.GltfCutsHoles.
TEST_F(ModelFile, GltfsAlphaMakesGlassOrNothing) {
    const auto withAlpha = [](const std::string& mode, const std::string& alpha) {
        std::string text = gltfText(R"({"byteLength": 124})");
        const std::string opaque = "0.25, 1]", pbr = R"("pbrMetallicRoughness")";
        text.replace(text.find(opaque), opaque.size(), "0.25, " + alpha + "]");
        text.insert(text.find(pbr), R"("alphaMode": ")" + mode + "\", ");
        return glb(text, gltfBytes());
    };
    const auto kindOf = [&](const std::string& mode, const std::string& alpha) {
        return read("a.glb", withAlpha(mode, alpha)).materials.at(0).kind;
    };
    EXPECT_EQ(kindOf("OPAQUE", "0.25"), MaterialKind::metal);
    EXPECT_EQ(kindOf("BLEND", "0.25"), MaterialKind::dielectric);
    EXPECT_EQ(kindOf("BLEND", "0.75"), MaterialKind::metal);
    EXPECT_EQ(kindOf("MASK", "0.5"), MaterialKind::metal);
    expectWords(reasonOf("a.glb", withAlpha("MASK", "0.25")), "has no triangles");
}

TEST_F(ModelFile, AGltfMaterialThatIsNoIndexIsNone) {
    std::string text = gltfText(R"({"byteLength": 124})");
    const std::string index = R"("material": 1)";
    text.replace(text.find(index), index.size(), R"("material": -1)");
    const Mesh mesh = read("a.glb", glb(text, gltfBytes()));
    // glTF's default: white metal, rough
    EXPECT_EQ(mesh.materials.at(0).kind, MaterialKind::metal);
    EXPECT_EQ(mesh.materials.at(0).albedo, glm::dvec3(1));
}

TEST_F(ModelFile, AFilesCameraLooksAtItsScene) {
    const std::string path = write("a.glb", glb(gltfText(R"({"byteLength": 124})"), gltfBytes()));
    const auto scene = findScene(path);
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->name, "a");
    EXPECT_EQ(scene->camera.from, glm::dvec3(10, 0, 8));
    EXPECT_NEAR(scene->camera.vfov, 30, 1e-9);
    EXPECT_NEAR(scene->camera.to.z, 0, 1e-9);
    const auto framed = findScene(write("b.obj", kSquareObj));
    ASSERT_TRUE(framed);
    const glm::dvec3 middle(.5, .5, 0);
    EXPECT_NEAR(glm::distance(framed->camera.to, middle), 0, 1e-6);
    const Rendered r = renderCpu(*framed, cpuSettings(*framed), 32, 32, 4);
    EXPECT_GT(r.stats.rays.bounce, 200u);  // it is in view
}

TEST_F(ModelFile, DamagedGltfIsRefused) {
    const std::string good = glb(gltfText(R"({"byteLength": 124})"), gltfBytes());
    for (std::size_t size = 0; size < good.size(); size += 7)
        EXPECT_FALSE(readModel(write("cut.glb", good.substr(0, size)))) << size;
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = gltfText(R"({"byteLength": 124})");
        text.replace(text.find(from), from.size(), to);
        return reasonOf("a.glb", glb(text, gltfBytes()));
    };
    expectWords(changed("\"count\": 4", "\"count\": 5"), "reaches beyond its buffer");
    expectWords(changed("\"count\": 6", "\"count\": 7"), "reaches beyond its buffer");
    expectWords(changed("\"count\": 4", "\"count\": -4"), "too few or too many");
    expectWords(changed("\"byteOffset\": 64", "\"byteOffset\": 1e15"), "reaches beyond");
    expectWords(changed("\"POSITION\": 0", "\"POSITION\": 9"), "accessors[9] is not there");
    expectWords(changed("\"children\": [1, 3]", "\"children\": [0, 0]"), "in a circle");
    expectWords(changed("5123", "5122"), "a type of numbers that is not read");
    expectWords(changed("\"scene\": 0,", R"("extensionsRequired": ["KHR_draco"],)"), "KHR_draco");
    expectWords(changed("\"type\": \"VEC3\"", "\"type\": \"VEC2\""), "not of the type VEC3");
    expectWords(reasonOf("a.gltf", gltfText(R"({"uri": "../outside.bin"})")),
                "only files in its folder are read");
    expectWords(reasonOf("a.gltf", gltfText(R"({"uri": "/etc/passwd"})")), "only files in its");
    expectWords(reasonOf("a.gltf", gltfText(R"({"uri": "file:///etc/passwd"})")),
                "only files in its folder");
    expectWords(reasonOf("a.gltf", gltfText(R"({"uri": "missing.bin"})")), "missing.bin");
    expectWords(reasonOf("a.gltf", "{"), "line 1");
    expectWords(reasonOf("a.gltf", "{}"), "has no triangles");
}

TEST_F(ModelFile, ScenesNameTheirMeshes) {
    write("below/square.obj", kSquareObj);
    const std::string text = R"({"camera": {}, "spheres": [{"center": [0, 0, -3], "radius": 1,
        "material": {"kind": "lambert"}}], "meshes": [{"file": "below/square.obj"},
        {"file": "below/square.obj", "material": {"kind": "metal", "roughness": 0.1}},
        {"made": "city-200"},
        {"corners": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2, 1]],
         "materials": [{"kind": "lambert"}, {"kind": "metal"}]}]})";
    const auto scene = findScene(write("scene.json", text));
    ASSERT_TRUE(scene) << scene.reason();
    ASSERT_EQ(scene->meshes.size(), 4u);
    EXPECT_EQ(scene->meshes[1].material->kind, MaterialKind::metal);
    EXPECT_EQ(scene->meshes[3].mesh->materials.size(), 1u);
    EXPECT_TRUE(traitsOf(*scene).features & kTriangles);
    EXPECT_TRUE(traitsOf(*scene).features & kRough);
    // a screenshot's state, which may be opened from anywhere
    State state;
    state.scene = *scene;
    state.camera = scene->camera;
    state.settings = defaultSettings(Backend::cpu, *scene);
    const auto again = stateFromJson(toJson(state));
    ASSERT_TRUE(again) << again.reason();
    EXPECT_TRUE(*again == state);
    write("below/square.obj", fmt::format("{}f 1 2 4\n", kSquareObj));
    const auto changed = stateFromJson(toJson(state));
    ASSERT_FALSE(changed);
    expectWords(changed.reason(), "is not the one this was saved with");
}

TEST_F(ModelFile, ScenesNameNoFileElsewhere) {
    write("square.obj", kSquareObj);
    const auto reasonFor = [&](const std::string& mesh) {
        const auto scene =
            findScene(write("below/scene.json", R"({"camera": {}, "meshes": [)" + mesh + "]}"));
        return scene ? "" : scene.reason();
    };
    expectWords(reasonFor(R"({"file": "../square.obj"})"), "in the scene's folder");
    expectWords(reasonFor(R"({"file": ")" + (folder_ / "square.obj").string() + "\"}"),
                "in the scene's folder");
    expectWords(reasonFor(R"({"file": "../square.obj", "digest": "0000000000000000"})"),
                "in the scene's folder");
    expectWords(reasonFor(R"({"file": ")" + (folder_ / "square.obj").string() +
                          R"(", "digest": "0000000000000000"})"),
                "is not the one this was saved with");
    expectWords(reasonFor(R"({"file": "scene.json"})"), "in the scene's folder");
    expectWords(reasonFor(R"({"file": "/dev/zero", "digest": "0"})"), "in the scene's folder");
    expectWords(reasonFor(R"({"made": "moon-100"})"), "terrain-N, city-N, forest-N or blocks-N");
    expectWords(reasonFor(R"({"corners": [[0, 0, 0]], "faces": [[0, 0, 1]],
                              "materials": [{"kind": "lambert"}]})"),
                "meshes[0].faces[0]");
    expectWords(reasonFor(R"({"corners": [[0, 0, 1e9]], "faces": [], "materials": []})"),
                "meshes[0].corners[0]");
    expectWords(reasonFor(R"({"file": "x.obj", "colour": 1})"), "x.obj");
}

TEST_F(ModelFile, OpensByNameAndByPath) {
    const std::string path = write("square.obj", kSquareObj);
    const auto opened = readStateOrScene(path);
    ASSERT_TRUE(opened) << opened.reason();
    EXPECT_EQ(std::get<Scene>(*opened).meshes.size(), 1u);
    for (const char* name : {"terrain-1000", "city-1000"}) {
        const auto made = readStateOrScene(name);
        ASSERT_TRUE(made) << made.reason();
        const Scene& scene = std::get<Scene>(*made);
        EXPECT_LE(triangleCount(scene), 1000);
        EXPECT_GE(triangleCount(scene), 800);
        const auto again = sceneFromJson(toJson(scene), "");
        ASSERT_TRUE(again) << again.reason();
        EXPECT_TRUE(*again == scene);
    }
    EXPECT_FALSE(madeScene("terrain-99"));
    EXPECT_FALSE(madeScene("terrain-16777217"));
    EXPECT_FALSE(madeScene("city-"));
    EXPECT_FALSE(madeScene("city-100x"));
}

TEST_F(ModelFile, WhatIsMadeIsNotDamaged) {
    for (const char* name : {"terrain-5000", "city-5000"}) {
        const SharedMesh made = madeMesh(name);
        const Mesh& mesh = *made;
        EXPECT_EQ(made.outline().triangles, mesh.faces.size());
        EXPECT_EQ(made.outline().corners, mesh.corners.size());
        EXPECT_EQ(made.outline().materials, mesh.materials);
        Mesh tidied = mesh;
        tidy(tidied);
        EXPECT_EQ(tidied.faces.size(), mesh.faces.size());
        EXPECT_EQ(tidied.corners, mesh.corners);
        EXPECT_EQ(madeMesh(name).get(), &mesh) << "it is shared";
    }
}

TEST_F(ModelFile, MeshesAreSharedByScenesThatAreEdited) {
    SharedScene scene = sceneOf(ball(2));
    const SharedScene before = scene;
    scene.change([](Scene& s) { s.spheres.push_back({}); });
    EXPECT_EQ(before->meshes[0].mesh.get(), scene->meshes[0].mesh.get());
    EXPECT_FALSE(before == scene);
}

}  // namespace
}  // namespace rayscope
