// Models that assimp reads in a process of its own: files that are made here, what is checked of
// what that process says, and what is said where it ends otherwise.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <glm/geometric.hpp>

#include "renderer/scene/import_protocol.h"
#include "renderer/scene/model_formats.h"
#include "tests/model_files.h"

namespace rayscope {
namespace {

class ImportedFile : public ModelFile {
protected:
    void SetUp() override {
        ModelFile::SetUp();
        const auto program = std::filesystem::path(RAYSCOPE_PROGRAM).parent_path();
        if (access((program / "rayscope-import").c_str(), X_OK) != 0)
            GTEST_SKIP() << "rayscope-import is not built: assimp is missing";
    }

    /// A square from -1 to 1 in x and `up`, of one colour if there is one.
    void expectSquare(const Mesh& mesh, const glm::vec3& up, const glm::vec3& moved = {}) {
        ASSERT_EQ(mesh.faces.size(), 2u);
        ASSERT_EQ(mesh.corners.size(), 4u);
        for (const float x : {-1.f, 1.f}) {
            for (const float v : {-1.f, 1.f}) {
                const glm::vec3 corner = glm::vec3(x, 0, 0) + v * up + moved;
                EXPECT_TRUE(std::ranges::any_of(
                    mesh.corners,
                    [&](const glm::vec3& c) { return glm::distance(c, corner) < 1e-4f; }))
                    << x << v;
            }
        }
        for (const Triangle& face : mesh.faces) {
            const glm::vec3 a = mesh.corners[static_cast<std::size_t>(face.corners[0])],
                            b = mesh.corners[static_cast<std::size_t>(face.corners[1])],
                            c = mesh.corners[static_cast<std::size_t>(face.corners[2])];
            EXPECT_GT(glm::dot(glm::cross(b - a, c - a), glm::cross(glm::vec3(1, 0, 0), up)), 0);
        }
    }
};

/// STL says neither axes nor a unit: numbers are as they are.
TEST_F(ImportedFile, Stl) {
    std::string text = "solid a\n";
    for (const char* corners : {"vertex -1 -1 0\nvertex 1 -1 0\nvertex 1 1 0\n",
                                "vertex -1 -1 0\nvertex 1 1 0\nvertex -1 1 0\n"})
        text += fmt::format("facet normal 0 0 1\nouter loop\n{}endloop\nendfacet\n", corners);
    const Mesh mesh = read("a.stl", text + "endsolid a\n");
    expectSquare(mesh, {0, 1, 0});
    for (const glm::vec3& n : mesh.normals) EXPECT_EQ(n, glm::vec3(0, 0, 1));
}

std::string collada(const std::string& nodes) {
    return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="fx"><profile_COMMON><technique sid="t"><lambert>
<diffuse><color>0.7 0.1 0.2 1</color></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="m"><instance_effect url="#fx"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">-100 0 -100 100 0 -100 100 0 100 -100 0 100
</float_array><technique_common><accessor source="#pa" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2" material="mm"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2 0 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">)" +
           nodes + R"(</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

/// Centimetres with z up become metres with y up: (x, y, z) is (x, z, -y) / 100.
TEST_F(ImportedFile, Collada) {
    const Mesh mesh = read("a.dae", collada(R"(<node id="n"><translate>0 300 0</translate>
<instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="mm" target="#m"/></technique_common></bind_material>
</instance_geometry></node>)"));
    expectSquare(mesh, {0, 1, 0}, {0, 0, -3});
    ASSERT_EQ(mesh.materials.size(), 1u);
    EXPECT_LT(glm::distance(mesh.materials[0].albedo, glm::dvec3(.7, .1, .2)), 1e-6);
}

/// 3D Studio's files have z up.
TEST_F(ImportedFile, ThreeDStudio) {
    const auto word = [](std::uint16_t v) { return std::string(reinterpret_cast<char*>(&v), 2); };
    const auto chunk = [&](std::uint16_t id, const std::string& bytes) {
        const auto size = static_cast<std::uint32_t>(6 + bytes.size());
        return word(id) + std::string(reinterpret_cast<const char*>(&size), 4) + bytes;
    };
    std::string corners = word(4);
    for (const glm::vec3 c : {glm::vec3(-1, 0, -1), {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}})
        corners += std::string(reinterpret_cast<const char*>(&c), sizeof c);
    const std::string zero("\0", 1), visible = word(7);
    const std::string faces = word(2) + word(0) + word(1) + word(2) + visible + word(0) + word(2) +
                              word(3) + visible +
                              chunk(0x4130, "mat" + zero + word(2) + word(0) + word(1));
    const std::string material =
        chunk(0xAFFF, chunk(0xA000, "mat" + zero) + chunk(0xA020, chunk(0x11, "\x33\x66\x99")));
    const std::string object =
        chunk(0x4000, "o" + zero + chunk(0x4100, chunk(0x4110, corners) + chunk(0x4120, faces)));
    const Mesh mesh = read("a.3ds", chunk(0x4D4D, chunk(0x3D3D, material + object)));
    expectSquare(mesh, {0, 1, 0});
    EXPECT_LT(glm::distance(mesh.materials.at(0).albedo, glm::dvec3(.2, .4, .6)), 1e-6);
}

/// `axes`: those of up, front and to the right, and their signs, as FBX counts them.
std::string fbx(const std::array<std::array<int, 2>, 3>& axes, double unit) {
    std::string text =
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n"
        " FBXVersion: 7400\n}\nGlobalSettings:  {\n Version: 1000\n Properties70:  {\n";
    const char* const names[] = {"Up", "Front", "Coord"};
    for (std::size_t i = 0; i < 3; ++i)
        text += fmt::format(
            "  P: \"{0}Axis\", \"int\", \"Integer\", \"\",{1}\n"
            "  P: \"{0}AxisSign\", \"int\", \"Integer\", \"\",{2}\n",
            names[i], axes[i][0], axes[i][1]);
    return text +
           fmt::format("  P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{}\n }}\n}}\n",
                       unit) +
           R"(Objects:  {
 Geometry: 100, "Geometry::g", "Mesh" {
  Vertices: *12 {
   a: -100,0,-100,100,0,-100,100,0,100,-100,0,100
  }
  PolygonVertexIndex: *4 {
   a: 0,1,2,-4
  }
  GeometryVersion: 124
  LayerElementMaterial: 0 {
   Version: 101
   Name: ""
   MappingInformationType: "AllSame"
   ReferenceInformationType: "IndexToDirect"
   Materials: *1 {
    a: 0
   }
  }
  Layer: 0 {
   Version: 100
   LayerElement:  {
    Type: "LayerElementMaterial"
    TypedIndex: 0
   }
  }
 }
 Model: 200, "Model::n", "Mesh" {
  Version: 232
  Properties70:  {
   P: "Lcl Translation", "Lcl Translation", "", "A",0,0,50
  }
 }
 Material: 300, "Material::m", "" {
  Version: 102
  ShadingModel: "lambert"
  Properties70:  {
   P: "DiffuseColor", "Color", "", "A",0.7,0.1,0.2
  }
 }
}
Connections:  {
 C: "OO",200,0
 C: "OO",100,200
 C: "OO",300,200
}
)";
}

TEST_F(ImportedFile, FbxHasItsOwnAxesAndUnit) {
    const Mesh mesh = read("a.fbx", fbx({{{2, 1}, {1, -1}, {0, 1}}}, 1));
    expectSquare(mesh, {0, 1, 0}, {0, .5, 0});  // z up, in centimetres
    EXPECT_LT(glm::distance(mesh.materials.at(0).albedo, glm::dvec3(.7, .1, .2)), 1e-6);
    const Mesh other = read("b.fbx", fbx({{{1, 1}, {2, 1}, {0, 1}}}, 1));
    expectSquare(other, {0, 0, 1}, {0, 0, .5});
    const Mesh metres = read("c.fbx", fbx({{{1, 1}, {2, 1}, {0, 1}}}, 100));
    EXPECT_LT(glm::distance(metres.corners[0], 100.f * other.corners[0]), 1e-3f);
}

TEST_F(ImportedFile, WhatCannotBeReadIsSaidInASentence) {
    for (const char* name : {"a.fbx", "a.dae", "a.3ds", "a.stl"})
        expectWords(reasonOf(name, "nothing of the kind"), "assimp");
    EXPECT_TRUE(isModel("B.FBX"));
    EXPECT_FALSE(isModel("b.usd"));
}

/// Nodes so deep that the library's recursion leaves its stack.
TEST_F(ImportedFile, ACrashOfTheLibraryIsASentence) {
    std::string deep;
    for (int i = 0; i < 400'000; ++i) deep += "<node>";
    for (int i = 0; i < 400'000; ++i) deep += "</node>";
    const std::string reason = reasonOf("a.dae", collada(deep));
    expectWords(reason, "a.dae: ");
    expectWords(reason, "assimp");
}

// --- What the other process says ----------------------------------------------------------------

struct Said {
    ImportHead head{.corners = 3, .faces = 1, .materials = 1};
    std::vector<float> corners{0, 0, 0, 1, 0, 0, 0, 1, 0};
    std::vector<std::uint32_t> face{0, 1, 2, 0};
    ImportMaterial material{};

    std::string bytes() const {
        const auto raw = [](const auto& v) {
            return std::string(reinterpret_cast<const char*>(&v), sizeof v);
        };
        const std::string noText(8, '\0');
        return raw(head) +
               std::string(reinterpret_cast<const char*>(corners.data()), 4 * corners.size()) +
               std::string(reinterpret_cast<const char*>(face.data()), 4 * face.size()) +
               raw(material) + noText + noText;
    }
};

TEST(Imported, AllThatIsSaidIsChecked) {
    Companions nothing("");
    const auto reason = [&](const Said& said) {
        const auto model = modelFromImport(said.bytes(), nothing);
        return model ? "" : model.reason();
    };
    EXPECT_EQ(reason({}), "");
    const std::string whole = Said{}.bytes();
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(modelFromImport(std::string_view(whole).substr(0, size), nothing)) << size;
    expectWords(reason({.face = {0, 1, 3, 0}}), "not there");
    expectWords(reason({.face = {0, 1, 2, 1}}), "not there");
    expectWords(reason({.corners = {NAN, 0, 0, 1, 0, 0, 0, 1, 0}}), "no number");
    expectWords(reason({.head = {.magic = 1}}), "another build");
    expectWords(reason({.head = {.corners = 1ull << 62}}), "more than 16777216");
    expectWords(reason({.head = {.corners = 3, .faces = 1, .materials = 1ull << 40}}), "65536");
}

}  // namespace
}  // namespace rayscope
