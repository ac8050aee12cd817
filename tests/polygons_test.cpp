// Polygons by ears, the numbers and the lines of text files.

#include "renderer/scene/polygons.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>

#include "renderer/scene/text_lines.h"

namespace rayscope {
namespace {

using Points = std::vector<glm::dvec3>;

glm::dvec3 doubled(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) {
    return glm::cross(b - a, c - a);
}

/// The triangles of a polygon cover it once: all have its sense of rotation, and their areas add up
/// to its own.
void expectCovered(const Points& points, double area) {
    Triangulation triangulation;
    glm::dvec3 normal{0, 0, 0};
    for (std::size_t i = 1; i + 1 < points.size(); ++i)
        normal += doubled(points[0], points[i], points[i + 1]);
    normal = glm::normalize(normal);
    double sum = 0;
    for (const auto& [a, b, c] : triangulation.of(points)) {
        const double part = glm::dot(doubled(points[a], points[b], points[c]), normal) / 2;
        EXPECT_GE(part, -1e-12 * area);
        sum += part;
    }
    EXPECT_NEAR(sum, area, 1e-9 * area);
    EXPECT_EQ(triangulation.doubtful(), 0);
}

/// In the plane, from each of its corners on, turned in space, and the other way round.
void expectCoveredAnyhow(const Points& points, double area) {
    for (std::size_t first = 0; first < points.size(); ++first) {
        Points turned, back;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const glm::dvec3& p = points[(first + i) % points.size()];
            turned.push_back({p.z + 5, p.x * .6 - p.y * .8, p.x * .8 + p.y * .6});
            back.push_back(p);
        }
        std::reverse(back.begin(), back.end());
        expectCovered(turned, area);
        expectCovered(back, area);
    }
}

TEST(Triangulation, CoversConcavePolygons) {
    expectCoveredAnyhow({{-1, -1, 0}, {0, -.2, 0}, {1, -1, 0}, {0, 1, 0}}, 1.2);
    expectCoveredAnyhow({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}}, 3);
    // a corner on a straight edge
    expectCoveredAnyhow({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 1, 0}, {0, 2, 0}}, 3);
}

TEST(Triangulation, LeavesHolesFree) {
    // an edge leads to the hole, which goes round the other way, and back
    expectCoveredAnyhow({{0, 0, 0},
                         {4, 0, 0},
                         {4, 4, 0},
                         {0, 4, 0},
                         {0, 0, 0},
                         {1, 1, 0},
                         {1, 3, 0},
                         {3, 3, 0},
                         {3, 1, 0},
                         {1, 1, 0}},
                        12);
    // two holes, from the same corner
    expectCoveredAnyhow({{0, 0, 0},
                         {9, 0, 0},
                         {9, 9, 0},
                         {0, 9, 0},
                         {0, 0, 0},
                         {1, 4, 0},
                         {1, 5, 0},
                         {2, 5, 0},
                         {2, 4, 0},
                         {1, 4, 0},
                         {0, 0, 0},
                         {4, 1, 0},
                         {4, 2, 0},
                         {5, 2, 0},
                         {5, 1, 0},
                         {4, 1, 0}},
                        79);
}

TEST(Triangulation, TakesTimeByTheSizeOfAPolygon) {
    Points comb{{0, 0, 0}};  // thin teeth
    constexpr int kTeeth = 50'000;
    for (int i = 0; i < kTeeth; ++i) {
        comb.emplace_back(i + 1., 0, 0);
        comb.emplace_back(i + .5, 1000, 0);
    }
    Points star;
    double area = 0;
    for (int i = 0; i < 2 * kTeeth; ++i) {
        const double turn = M_PI * i / kTeeth, radius = i % 2 == 0 ? 1 : 2;
        star.emplace_back(radius * std::cos(turn), radius * std::sin(turn), 0);
    }
    area = 2. * kTeeth * std::sin(M_PI / kTeeth);  // triangles with sides 1 and 2
    expectCovered(star, area);
    Triangulation triangulation;
    triangulation.of(comb);
}

TEST(Numbers, AreReadAsProgramsWriteThem) {
    for (const auto& [text, value] :
         std::vector<std::pair<const char*, double>>{{"1", 1},
                                                     {"+1", 1},
                                                     {"-.5", -.5},
                                                     {"5.", 5},
                                                     {"1e3", 1000},
                                                     {"1E+3", 1000},
                                                     {"1.5d+2", 150},
                                                     {"1D-1", .1},
                                                     {"1,5", 1.5},
                                                     {"-0,25", -.25},
                                                     {"1e-400", 0},
                                                     {"-1e-5000", -0.},
                                                     {"0.5,", .5},
                                                     {"1e400", INFINITY},
                                                     {"-1e400", -INFINITY},
                                                     {"inf", INFINITY},
                                                     {"-1.#INF", -INFINITY},
                                                     {"1.#INF00", INFINITY}})
        EXPECT_EQ(numberIn(text).value_or(-999), value) << text;
    for (const char* text : {"nan", "-nan", "NaN", "-1.#IND", "1.#QNAN0", "nan(ind)", "-nan(ind)"})
        EXPECT_TRUE(std::isnan(numberIn(text).value_or(0))) << text;
    for (const char* text : {"", "x", "+", "-", "1x", "1e", "--1", "+-1", "1,2,3", "1.2.3", "1#2"})
        EXPECT_FALSE(numberIn(text)) << text;
}

std::vector<std::string> linesOf(std::string_view text, Lines::Continue how = Lines::Continue::no) {
    std::vector<std::string> all;
    Lines lines(text, how);
    for (std::string_view line; lines.next(line);)
        all.push_back(std::to_string(lines.number()) + ":" + std::string(line));
    return all;
}

TEST(Lines, EndInEachWay) {
    const std::vector<std::string> expected{"1:a", "2:", "3:b"};
    for (const char* text : {"a\n\nb\n", "a\r\rb", "a\r\n\r\nb\r\n", "a\n\r\n\rb", "a \n\t\nb\t"})
        EXPECT_EQ(linesOf(text), expected) << text;
    EXPECT_TRUE(linesOf("").empty());
    const auto joined = Lines::Continue::afterBackslash;
    EXPECT_EQ(linesOf("a\\\nb \\ \r\nc\nd", joined), (std::vector<std::string>{"1:a b  c", "4:d"}));
    EXPECT_EQ(linesOf("# a\\\nb\\", joined), (std::vector<std::string>{"1:# a\\", "2:b "}));
}

TEST(Lines, AreConvertedFromUtf16) {
    std::string converted;
    // RFC 2781: U+12345 is D808 DF45
    EXPECT_EQ(plainText(std::string_view("\xfe\xff\xd8\x08\xdf\x45\0a", 8), converted),
              "\xf0\x92\x8d\x85"
              "a");
    EXPECT_EQ(plainText(std::string_view("\xff\xfe\xe4\0\xac\x20", 6), converted), "\u00e4\u20ac");
    EXPECT_EQ(plainText(std::string_view("v\0 \0", 4), converted), "v ");
    EXPECT_EQ(plainText("\xef\xbb\xbfv", converted), "v");
    EXPECT_EQ(plainText("v 1", converted), "v 1");
}

}  // namespace
}  // namespace rayscope
