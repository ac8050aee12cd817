// OBJ and MTL files as programs write them. Each case is a square of 2 by 2 whose right look the
// specification says: its colour, its triangles, their area, and what is remarked on.

#include <fmt/format.h>

#include <glm/geometric.hpp>
#include <tuple>

#include "renderer/scene/json.h"
#include "renderer/scene/model_fit.h"
#include "renderer/scene/model_formats.h"
#include "tests/model_files.h"

namespace rayscope {
namespace {

class ObjFile : public ModelFile {};

const std::string kSquare = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\n";
const std::string kRedMtl = "newmtl a\nKd 0.7 0.1 0.2\n";

struct ObjCase {
    std::string name, obj;
    std::string mtl = kRedMtl;
    std::string mtlName = "m.mtl";
    glm::dvec3 albedo{.7, .1, .2};
    MaterialKind kind = MaterialKind::lambert;
    double area = 4;
    std::string remark{};  ///< words of one; empty: there is none
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// Characters of ASCII.
std::string utf16(const std::string& text, bool big) {
    std::string units = big ? "\xfe\xff" : "\xff\xfe";
    for (const char c : text) units += big ? std::string{'\0', c} : std::string{c, '\0'};
    return units;
}

const std::string kUsual = "mtllib m.mtl\n" + kSquare + "usemtl a\nf 1 2 3 4\n";
std::string with(const std::string& mtllib, const std::string& face = "f 1 2 3 4\n") {
    return mtllib + kSquare + "usemtl a\n" + face;
}
std::string redWith(const std::string& lines) {
    return kRedMtl + lines;
}

std::vector<ObjCase> cases() {
    const glm::dvec3 grey(.8);
    std::vector<ObjCase> all{
        {"Usual", kUsual},
        // lines
        {"ByteOrderMark", "\xef\xbb\xbf" + kUsual, "\xef\xbb\xbf" + kRedMtl},
        {"Utf16Little", utf16(kUsual, false), utf16(kRedMtl, false)},
        {"Utf16Big", utf16(kUsual, true), kRedMtl},
        {"CarriageReturns", replaced(kUsual, "\n", "\r"), replaced(kRedMtl, "\n", "\r")},
        {"BothEnds", replaced(kUsual, "\n", "\r\n"), replaced(kRedMtl, "\n", "\n\r")},
        {"TrailingBlanks", replaced(kUsual, "\n", " \t\n"), replaced(kRedMtl, "\n", "  \r\n")},
        {"Tabs", replaced(kUsual, " ", "\t"), replaced(kRedMtl, " ", " \t ")},
        {"LeadingBlanks", replaced(kUsual, "\n", "\n  "), replaced(kRedMtl, "\n", "\n\t")},
        {"Continued", with("mtllib \\\n m.mtl\n", "f 1 2 \\\n3 \\ \n 4\n")},
        {"CommentIsNotContinued", "# C:\\models\\\n" + kUsual, "# from C:\\\n" + kRedMtl},
        {"CommentBehindNumbers", with("mtllib m.mtl\n", "f 1 2 3 4# a quad\n")},
        {"HashInName", replaced(kUsual, "usemtl a", "usemtl a#1 #2"),
         "newmtl a#1 #2\nKd .7 .1 .2\n"},
        {"CommentBehindName", replaced(kUsual, "usemtl a", "usemtl a # red")},
        // numbers
        {"Plus", replaced(kUsual, "v 1", "v +1.0e+0"), "newmtl a\nKd +.7 +0.1 2E-1\n"},
        {"Underflow", replaced(kUsual, " 0\n", " 1e-400\n")},
        {"DecimalComma", replaced(kUsual, "1 0\n", "1,0 0,0\n"), "newmtl a\nKd 0,7 0,1 0,2\n"},
        {"Fortran", replaced(kUsual, " 0\n", " 0.0D+00\n"), "newmtl a\nKd 7.0D-01 0.1 0.2\n"},
        {"UnusedVertexIsNone", with("mtllib m.mtl\nv nan -1.#IND 1e999\n", "f 2 3 4 5\n")},
        {"NormalIsNone",
         with("mtllib m.mtl\nvn -1.#IND 0 0\nvn 1e-400 0 1\n", "f 1//1 2//2 3//2 4//1\n")},
        // order
        {"MaterialBeforeLibrary", "usemtl a\nmtllib m.mtl\n" + kSquare + "f 1 2 3 4\n"},
        {"LibraryLast", kSquare + "usemtl a\nf 1 2 3 4\nmtllib m.mtl\n"},
        {"FaceBeforeVertices", "mtllib m.mtl\nusemtl a\nf 1 2 3 4\n" + kSquare},
        {"SeveralLibraries", with("mtllib other.mtl m.mtl\n")},
        {"SeveralLines", with("mtllib other.mtl\nmtllib m.mtl\n")},
        {"FirstLibraryCounts", with("mtllib m.mtl grey.mtl\n")},
        {"LibraryTwice", with("mtllib m.mtl\nmtllib ./m.mtl\nmtllib M.MTL\n")},
        // faces
        {"OldFace", with("mtllib m.mtl\n", "fo 1 2 3 4\n")},
        {"NegativeNumbers", with("mtllib m.mtl\n", "f -4 -3 -2 -1\n")},
        {"SlashWithoutNormal", with("mtllib m.mtl\nvt 0 0\n", "f 1/1/ 2/1/ 3/1 4/1/\n")},
        // names of files
        {"Backslash", with("mtllib below\\m.mtl\n"), kRedMtl, "below/m.mtl"},
        {"Quotes", with("mtllib \"my lib.mtl\"\n"), kRedMtl, "my lib.mtl"},
        {"Spaces", with("mtllib my lib.mtl\n"), kRedMtl, "my lib.mtl"},
        {"OtherCase", with("mtllib BELOW/M.mtl\n"), kRedMtl, "below/m.MTL"},
        {"AbsolutePath", with("mtllib C:\\Users\\me\\m.mtl\n")},
        {"AbsolutePathWithSpaces", with("mtllib /home/me/my models/m.mtl\n")},
        {"Percent", with("mtllib my%20lib.mtl\n"), kRedMtl, "my lib.mtl"},
        {"PercentInName", with("mtllib 50%20.mtl\n"), kRedMtl, "50%20.mtl"},
        {"DotSlash", with("mtllib ./m.mtl\n")},
        // materials
        {"DissolveBeforeTransparency", kUsual, redWith("d 1.0\nTr 1.0\nillum 2\n")},
        {"TransparencyBeforeDissolve", kUsual, redWith("Tr 1.0\nd 1.0\n")},
        {"Maya", kUsual, "newmtl a\nillum 4\nKd .7 .1 .2\nTf 1.00 1.00 1.00\nNi 1.00\n"},
        {"MayaIllum6", kUsual, redWith("illum 6\nTf 1 1 1\nNi 1\n")},
        {"DissolveAfterIllum", kUsual, redWith("illum 6\nd 1\n")},
        {"KdOfOneNumber", kUsual, "newmtl a\nKd 0.3\nd 1\n", "m.mtl", glm::dvec3(.3)},
        {"KeywordsInOtherCase", kUsual, "newmtl a\nkd .7 .1 .2\nTF 1 1 1\n"},
        {"AmbientAlone", kUsual, redWith("Ka 1 1 1\nNs 10\nKs 0 0 0\n")},
        {"NoHighlights", kUsual, redWith("Ks 1 1 1\nillum 1\n")},
    };
    ObjCase more{"Glass", kUsual, redWith("Ni 1.5\nTr 0.9\n")};
    more.kind = MaterialKind::dielectric;
    more.remark = "partly transparent";
    all.push_back(more);
    more = {"Illum7IsGlass", kUsual, redWith("illum 7\nNi 1.5\n")};
    more.kind = MaterialKind::dielectric;
    all.push_back(more);
    more = {"Halo", kUsual, redWith("d -halo 1.0\n")};
    more.remark = "d -halo";
    all.push_back(more);
    more = {"Spectral", kUsual, redWith("Kd spectral ident.rfl 1\n")};
    more.remark = "spectral";
    all.push_back(more);
    more = {"ValueIsNoNumber", kUsual, redWith("Kd red green blue\n")};
    more.remark = "'red' is no number, and not read (m.mtl, line 3)";
    all.push_back(more);
    more = {"NormalsMissing", with("mtllib m.mtl\nvt 0 0\n", "f 1/1/1 2/1/2 3/1/3 4/1/4\n")};
    more.remark = "normals are missing";
    all.push_back(more);
    more = {"LibraryMissing", with("mtllib gone.mtl\n")};
    more.albedo = grey;
    more.remark = "library 'gone.mtl': missing";
    all.push_back(more);
    more = {"MaterialMissing", replaced(kUsual, "usemtl a", "usemtl b")};
    more.albedo = grey;
    more.remark = "material 'b': in no library";
    all.push_back(more);
    more = {"LinesAndPoints", kUsual + "l 1 2\nl 2 3\np 1\n"};
    more.remark = "lines (l) are not shown (2 times, first at line 8)";
    all.push_back(more);
    more = {"UnknownKeyword", kUsual + "curvature 1 2\n"};
    more.remark = "the keyword 'curvature' is not known (line 8)";
    all.push_back(more);
    more = {"SmoothingGroup", with("mtllib m.mtl\ns 1\n")};
    more.remark = "smoothing groups";
    all.push_back(more);
    more = {"Highlights", kUsual, redWith("Ks .5 .5 .5\nNs 50\n")};
    more.remark = "highlights";
    all.push_back(more);
    more = {"BumpMap", kUsual, redWith("map_Bump -bm 0.5 b.png\n")};
    more.remark = "bump maps";
    all.push_back(more);
    more = {"TextureMissing", kUsual, redWith("map_Kd gone.png\n")};
    more.remark = "texture 'gone.png': not shown, as it is missing";
    all.push_back(more);
    more = {"TextureUnreadable", kUsual, redWith("map_Kd other.mtl\n")};
    more.remark = "texture 'other.mtl': not shown, as it is neither a PNG nor a JPEG";
    all.push_back(more);
    more = {"TwoCorners", with("mtllib m.mtl\n", "f 1 2 3 4\nf 1 2\n")};
    more.remark = "fewer than three corners";
    all.push_back(more);
    return all;
}

TEST_F(ObjFile, LooksAsTheSpecificationSays) {
    write("other.mtl", "newmtl b\nKd .1 .6 .1\n");
    write("grey.mtl", "newmtl a\nKd .5 .5 .5\n");
    for (const ObjCase& c : cases()) {
        SCOPED_TRACE(c.name);
        const std::string library = write(c.mtlName, c.mtl);
        const auto model = readModel(write("m.obj", c.obj));
        std::filesystem::remove(library);
        ASSERT_TRUE(model) << model.reason();
        ASSERT_EQ(model->mesh.materials.size(), 1u);
        EXPECT_NEAR(glm::distance(model->mesh.materials[0].albedo, c.albedo), 0, 1e-6);
        EXPECT_EQ(model->mesh.materials[0].kind, c.kind);
        EXPECT_NEAR(areaOf(model->mesh), c.area, 1e-5);
        expectRemark(*model, c.remark);
    }
}

TEST_F(ObjFile, OptionsOfMapsAreNoNames) {
    const std::string tga = std::string("\0\0\2\0\0\0\0\0\0\0\0\0\2\0\1\0\x18\0", 18) +
                            std::string("\0\0\xff\xff\0\0", 6);  // red, blue; BGR
    write("t 1.tga", tga);
    const std::string obj = "mtllib m.mtl\n" + kSquare +
                            "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl a\nf 1/1 2/2 3/3 4/4\n";
    struct MapCase {
        std::string line;
        glm::vec2 second,
            third;  ///< of (1, 0) and (1, 1), v down: u is s u + o, v is 1 - (s v + o)
        std::string remark = {};
    };
    for (const MapCase& c : std::vector<MapCase>{
             {"map_Kd t 1.tga", {1, 1}, {1, 0}},
             {"map_Kd \"t 1.tga\"", {1, 1}, {1, 0}},
             {"map_kd C:\\x\\T 1.TGA", {1, 1}, {1, 0}},
             {"map_Kd -type sphere -blendu on -cc off -boost 2 -texres 64 t 1.tga", {1, 1}, {1, 0}},
             {"map_Kd -s 2 1 1 t 1.tga", {2, 1}, {2, 0}},
             {"map_Kd -s 2 t 1.tga", {2, 1}, {2, 0}},
             {"map_Kd -o .5 .25 0 -s 2 4 t 1.tga", {2.5, .75}, {2.5, -3.25}},
             {"map_Kd -mm 0 1 -t 0 0 0 t 1.tga", {1, 1}, {1, 0}},
             {"map_Kd -mm .5 2 t 1.tga", {1, 1}, {1, 0}, "-mm"},
             {"map_Kd -t 1 1 1 t 1.tga", {1, 1}, {1, 0}, "turbulence"}}) {
        SCOPED_TRACE(c.line);
        write("m.mtl", "newmtl a\n" + c.line + "\n");
        const auto model = readModel(write("m.obj", obj));
        ASSERT_TRUE(model) << model.reason();
        const Mesh& mesh = model->mesh;
        ASSERT_EQ(mesh.textures.size(), 1u) << remarksOf(*model);
        EXPECT_EQ(mesh.textures[0].albedo.picture->texels,
                  (std::vector<std::uint32_t>{0xff0000ff, 0xffff0000}));
        EXPECT_EQ(mesh.uvs[mesh.faces[0].corners[1]], c.second);
        EXPECT_EQ(mesh.uvs[mesh.faces[0].corners[2]], c.third);
        expectRemark(*model, c.remark);
    }
}

TEST_F(ObjFile, ColoursOfVerticesAreReadOrRemarkedOn) {
    const auto model = readModel(
        write("m.obj", "v 0 0 0 .2 .8 .1\nv 1 0 0 .2 .8 .1\nv 0 1 0 .2 .8 .1\nf 1 2 3\n"));
    ASSERT_TRUE(model) << model.reason();
    EXPECT_EQ(model->mesh.materials[0].albedo, glm::dvec3(1));
    const auto check = [](const auto& mesh, const Remarks& remarks) {
        if constexpr (requires { mesh.colours; }) {
            ASSERT_EQ(mesh.colours.size(), 3u);
            EXPECT_NEAR(mesh.colours[0].x, .0331, 1e-4);  // .2 in sRGB (IEC 61966-2-1)
            EXPECT_NEAR(mesh.colours[0].y, .6038, 1e-4);
        } else {
            ASSERT_FALSE(remarks.empty());
            EXPECT_EQ(remarks.all()[0].what, "colours of vertices are not shown");
        }
    };
    check(model->mesh, model->remarks);
}

TEST_F(ObjFile, AFileThatNamesItselfOftenIsReadOnce) {
    std::string text = kSquare + "f 1 2 3 4\n";
    for (int i = 0; i < 20000; ++i) text += "mtllib m.obj\n";
    for (int i = 0; i < 20000; ++i) text += "mtllib gone" + std::to_string(i) + ".mtl\n";
    const auto model = readModel(write("m.obj", text));
    ASSERT_TRUE(model) << model.reason();
    expectWords(remarksOf(*model), "more than 1024 libraries");
    std::string options = "newmtl a\nmap_Kd";
    for (int i = 0; i < 200'000; ++i) options += " -s 1";
    write("m.mtl", options + " t.png\n");
    EXPECT_EQ(read("m.obj", kUsual).faces.size(), 2u);
}

/// A square of a radius around a middle that is tiny, huge or far away is seen as one of size 1.
TEST_F(ObjFile, ExtentDoesNotMatter) {
    const auto square = [](double size, const glm::dvec3& at) {
        std::string text;
        for (const auto& [x, y, z] : {std::tuple(-1, -1, 0), {1, -1, .5}, {1, 1, 0}, {-1, 1, .25}})
            text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", at.x + size * x, at.y + size * y,
                                at.z + size * z);
        return text + "f 1 2 3\nf 1 3 4\n";
    };
    const auto unit = sceneOfModel(write("unit.obj", square(1, glm::dvec3(0))));
    ASSERT_TRUE(unit);
    EXPECT_EQ(unit->meshes[0].fit, Fit{});
    const glm::dvec3 utm(500123.4, 121.3, -4649776.2);
    for (const auto& [size, at] : {std::pair(1e-7, glm::dvec3(0)),
                                   {1e7, glm::dvec3(0)},
                                   {1e-4, glm::dvec3(1e-4)},
                                   {1e9, glm::dvec3(0)},
                                   {1., utm},
                                   {1000., utm * 1000.},
                                   {1e-3, glm::dvec3(100)}}) {
        SCOPED_TRACE(fmt::format("{} at {}", size, at.z));
        const auto scene = sceneOfModel(write("m.obj", square(size, at)));
        ASSERT_TRUE(scene) << scene.reason();
        const Mesh& mesh = *scene->meshes[0].mesh;
        const glm::dvec3 middle = scene->camera.to;
        const double scale = size * scene->meshes[0].fit.scale;
        EXPECT_GE(scale, .1);
        EXPECT_LE(scale, 10);
        for (std::size_t i = 0; i < 4; ++i) {
            const glm::dvec3 p = (glm::dvec3(mesh.corners[i]) - middle) / scale;
            const glm::dvec3 right = glm::dvec3(unit->meshes[0].mesh->corners[i]) - unit->camera.to;
            EXPECT_NEAR(glm::distance(p, right), 0, 2e-6);
        }
        EXPECT_NEAR(glm::distance((scene->camera.from - middle) / scale,
                                  unit->camera.from - unit->camera.to),
                    0, 1e-5);
        EXPECT_GE(scene->epsilon / scale, 1e-6);  // single precision resolves 6e-8 of the size
        EXPECT_LE(scene->epsilon / scale, 1e-4);
        const auto again = sceneFromJson(toJson(*scene), "");
        ASSERT_TRUE(again) << again.reason();
        EXPECT_TRUE(*again == *scene);
    }
}

/// In a scene's own coordinates, without an offset and a scale.
TEST_F(ObjFile, ScenesOfTinyAndHugeModelsHaveAnEpsilonToFit) {
    for (const double size : {1e-7, 1e-3, 1., 1e3, 1e6}) {
        SCOPED_TRACE(size);
        write("m.obj", fmt::format("v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nf 1 2 3\n", size));
        const auto scene = findScene(
            write("scene.json", fmt::format(R"({{"camera": {{"from": [0, 0, {}], "to": [0, 0, 0]}},
                                          "meshes": [{{"file": "m.obj"}}]}})",
                                            3 * size)));
        ASSERT_TRUE(scene) << scene.reason();
        EXPECT_GE(scene->epsilon / size, size > 1e3 ? 1e-6 : 1e-7);  // single precision: 6e-8
        EXPECT_LE(scene->epsilon / size, 1e-3);
    }
}

TEST_F(ObjFile, ScenesSayWhatOfTheirFilesIsNotShown) {
    write("below/m.obj", with("mtllib gone.mtl\n"));
    const auto scene = findScene(
        write("scene.json",
              R"({"camera": {}, "meshes": [{"file": "below/m.obj"}, {"file": "below/m.obj"}]})"));
    ASSERT_TRUE(scene) << scene.reason();
    const auto remarks = remarksOn(*scene);
    ASSERT_EQ(remarks.size(), 2u);  // the library and its material, once
    EXPECT_EQ(remarks[0].file, "m.obj");
    expectWords(remarkSentence(remarks[0]), "m.obj: library 'gone.mtl': missing");
}

TEST_F(ObjFile, OtherFilesAreNamed) {
    expectWords(reasonOf("a.obj", std::string("L\1\0\0\0\0", 6)), "not Wavefront's OBJ");
    const auto opened = findScene(write("a.usd", "#usda 1.0\n"));
    ASSERT_FALSE(opened);
    expectWords(opened.reason(), ".glb, .gltf, .obj, .ply, .fbx, .dae, .3ds or .stl");
}

}  // namespace
}  // namespace rayscope
