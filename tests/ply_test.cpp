// PLY files as programs write them.

#include <algorithm>
#include <bit>
#include <glm/geometric.hpp>

#include "renderer/scene/model_formats.h"
#include "tests/model_files.h"

namespace rayscope {
namespace {

class PlyFile : public ModelFile {};

const std::string kVertices =
    "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
const std::string kFaces = "element face 1\nproperty list uchar int vertex_indices\n";
const std::string kPoints = "-1 -1 0\n1 -1 0\n1 1 0\n-1 1 0\n";
const std::string kHead = "ply\nformat ascii 1.0\n", kEnd = "end_header\n";
const std::string kPlain = kHead + kVertices + kFaces + kEnd + kPoints + "4 0 1 2 3\n";

std::string withEnds(std::string text, const std::string& end) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; at += end.size())
        text.replace(at, 1, end);
    return text;
}

struct PlyCase {
    std::string name, text;
    std::string remark = {};  ///< words of one; empty: there is none
};

/// Each is the square from (-1, -1) to (1, 1), whose triangles are counter-clockwise.
TEST_F(PlyFile, LooksAsTheSpecificationSays) {
    std::string utf16 = "\xff\xfe";
    for (const char c : kPlain) utf16 += std::string{c, '\0'};
    const std::string strips =
        "element tristrips 1\nproperty list int int vertex_indices\n" + kEnd + kPoints;
    const std::vector<PlyCase> cases{
        {"Plain", kPlain},
        {"ByteOrderMark", "\xef\xbb\xbf" + kPlain},
        {"Utf16", utf16},
        {"CarriageReturns", withEnds(kPlain, "\r")},
        {"Both", withEnds(kPlain, "\r\n")},
        {"FeedThenReturn", withEnds(kPlain, "\n\r")},
        {"Blanks", withEnds(kPlain, " \t\n")},
        {"BlankLines", kHead + "\n" + kVertices + kFaces + kEnd + "\n" + kPoints + "\n4 0 1 2 3"},
        {"FacesFirst", kHead + kFaces + kVertices + kEnd + "4 0 1 2 3\n" + kPoints},
        {"Strip", kHead + kVertices + strips + "4 0 1 3 2\n"},
        {"StripWithRestarts", kHead + kVertices + strips + "8 0 1 3 -1 3 1 2 -1\n"},
        {"OneLine", kHead + kVertices + kFaces + kEnd + "-1 -1 0 1 -1 0 1 1 0 -1 1 0 4 0 1 2 3\n"},
        {"OtherNumbers", kHead + kVertices + kFaces + kEnd +
                             "-1.0D+0 -1,0 1e-400\n+1 -1 -0\n+1.0e0 1. 0\n-1 1 .0\n4 0 1 2 3\n"},
        {"UnusedVertexIsNone", kHead + "element vertex 5\n" + kVertices.substr(17) + kFaces + kEnd +
                                   kPoints + "nan inf -1.#IND\n4 0 1 2 3\n"},
        {"OnlyList", kHead + kVertices + "element face 1\nproperty list uint8 int32 corners\n" +
                         kEnd + kPoints + "4 0 1 2 3\n"},
        {"Edges",
         kHead + kVertices + "element edge 1\nproperty int a\nproperty int b\n" + kFaces + kEnd +
             kPoints + "0 1\n4 0 1 2 3\n",
         "elements 'edge' are not read"},
        {"Quality",
         kHead + kVertices + "property float quality\n" + kFaces + kEnd +
             "-1 -1 0 5\n1 -1 0 5\n1 1 0 5\n-1 1 0 5\n4 0 1 2 3\n",
         "the property 'quality' of vertices is not read"},
        {"Texture", kHead + "comment TextureFile a.png\n" + kPlain.substr(kHead.size()),
         "TextureFile"},
        {"BytesBehind", kPlain + "5 6 7\n", "bytes behind its last value"},
    };
    for (const PlyCase& c : cases) {
        SCOPED_TRACE(c.name);
        const auto model = readModel(write("m.ply", c.text));
        ASSERT_TRUE(model) << model.reason();
        EXPECT_EQ(model->mesh.faces.size(), 2u);
        EXPECT_NEAR(areaOf(model->mesh), 4, 1e-6);
        for (const Triangle& face : model->mesh.faces) {
            const auto at = [&](int i) { return model->mesh.corners[face.corners[i]]; };
            EXPECT_GT(glm::cross(at(1) - at(0), at(2) - at(0)).z, 0);
        }
        expectRemark(*model, c.remark);
    }
}

/// The first byte of the values may look like the end of a line.
TEST_F(PlyFile, ValuesBeginBehindTheHeader) {
    const std::string head =
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\n"
        "property uchar flag\nproperty float x\nproperty float y\n"
        "property float z\n" +
        kFaces + kEnd;
    for (const char first : {'\r', '\n', ' '}) {
        for (const char* end : {"\n", "\r\n"}) {
            std::string bytes = withEnds(head, end);
            for (const glm::vec3 p : {glm::vec3(0, 0, 0), glm::vec3(1, 0, 0), glm::vec3(0, 1, 0)}) {
                bytes += first;
                for (const float value : {p.x, p.y, p.z}) {
                    const auto bits = std::bit_cast<std::uint32_t>(value);
                    for (int shift = 0; shift < 32; shift += 8)
                        bytes += static_cast<char>(bits >> shift & 255);
                }
            }
            bytes += std::string("\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
            EXPECT_NEAR(areaOf(read("m.ply", bytes)), .5, 1e-6);
        }
    }
}

TEST_F(PlyFile, ValuesThatDoNotMatchTheHeaderAreRefused) {
    // as many more faces as make the text long enough
    std::string faces;
    for (int i = 0; i < 200; ++i) faces += "3 0 1 2 255 0 0\n";
    const std::string many = kHead + kVertices + "element face 200\n" + kFaces.substr(15) + kEnd;
    expectWords(reasonOf("a.ply", many + kPoints + faces),
                "line 14 has more values than its header says of an element 'face'");
    expectWords(reasonOf("a.ply", kHead + kVertices + kFaces + kEnd +
                                      "0 0 0 1\n1 0 0 1\n1 1 0 1\n0 1 0 1\n4 0 1 2 3\n"),
                "line 10 has more values");
    expectWords(reasonOf("a.ply", kHead + kVertices + kFaces + kEnd + "0 0\n1 0\n1 1\n0 1\n"),
                "ends before its last value");
    expectWords(reasonOf("a.ply", kHead + kVertices + kFaces + kEnd + kPoints + "4.5 0 1 2 3\n"),
                "a list has no count");
    expectWords(reasonOf("a.ply", kHead + kVertices + kFaces + kEnd + kPoints + "900 0 1 2 3\n"),
                "a list is longer than the file");
    expectWords(reasonOf("a.ply", kHead + kVertices + kEnd + kPoints), "a cloud of points");
}

TEST_F(PlyFile, ListsMayBeLong) {
    constexpr int kCorners = 100'000;  // of a regular polygon
    std::string text = kHead + "element vertex 100000\n" + kVertices.substr(17) +
                       "element face 1\nproperty list int int vertex_indices\n" + kEnd;
    std::string list = "100000";
    for (int i = 0; i < kCorners; ++i) {
        const double turn = 2 * M_PI * i / kCorners;
        text += std::to_string(std::cos(turn) * 1e3) + " " + std::to_string(std::sin(turn) * 1e3) +
                " 0\n";
        list += " " + std::to_string(i);
    }
    const Mesh mesh = read("m.ply", text + list + "\n");
    EXPECT_NEAR(areaOf(mesh) / 1e6, M_PI, 1e-4);
}

TEST_F(PlyFile, ColoursOfVerticesAreReadOrRemarkedOn) {
    const auto model = readModel(
        write("m.ply", kHead + kVertices +
                           "property uchar red\nproperty uchar green\nproperty uchar blue\n" +
                           kFaces + kEnd +
                           "-1 -1 0 51 255 0\n1 -1 0 51 255 0\n1 1 0 51 255 0\n-1 1 0 51 255 0\n"
                           "4 0 1 2 3\n"));
    ASSERT_TRUE(model) << model.reason();
    EXPECT_EQ(model->mesh.materials[0].albedo, glm::dvec3(1));
    const auto check = [](const auto& mesh, const Remarks& remarks) {
        if constexpr (requires { mesh.colours; }) {
            ASSERT_EQ(mesh.colours.size(), 4u);
            EXPECT_NEAR(mesh.colours[0].x, .0331, 1e-4);  // .2 in sRGB (IEC 61966-2-1)
            EXPECT_EQ(mesh.colours[0].y, 1);
        } else {
            ASSERT_FALSE(remarks.empty());
            EXPECT_EQ(remarks.all()[0].what, "colours of vertices are not shown");
        }
    };
    check(model->mesh, model->remarks);
}

}  // namespace
}  // namespace rayscope
