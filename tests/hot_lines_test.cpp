// What is made of counted instructions, without a GPU: lines, parts, and what they add up to.

#include "renderer/profile/hot_lines.h"

#include <gtest/gtest.h>

#include "renderer/lab/hot.h"

namespace rayscope {
namespace {

/// A kernel of 16 bytes an instruction: a loop that searches with a dot product, which also a
/// shadow ray's search uses, and an instruction of which nobody knows the line.
LineTable madeUp() {
    LineTable t;
    t.files = {"/home/me/renderer/core/path.h", "/home/me/renderer/core/shapes.h",
               "/home/me/renderer/core/vector.h", "/home/me/renderer/core/intersect.h"};
    t.functions = {"_ZN8rayscope10followLoopEv", "_ZN8rayscope5crossEv", "_ZN8rayscope3dotEv",
                   "_ZN8rayscope8occludedEv"};
    t.places = {{0, 136, 0, -1},  // the loop
                {1, 64, 1, 0},    // crosses a sphere,
                {2, 30, 2, 1},    // by a dot product
                {3, 320, 3, 0},   // a shadow ray
                {1, 64, 1, 3},    // crosses a sphere,
                {2, 30, 2, 4}};   // by a dot product
    t.kernels["k"] = {{0, 0, 0}, {16, 1, 1}, {32, 2, 1}, {48, 5, 5}, {64, -1, -1}};
    return t;
}

const std::vector<std::string> kSources{"renderer/core/path.h", "renderer/core/shapes.h",
                                        "renderer/core/vector.h", "renderer/core/intersect.h"};

std::vector<KernelCounts> madeUpCounts() {
    return {{"k",
             {{0, 100, 3200, 3200},
              {16, 300, 6000, 5000},
              {32, 500, 10000, 10000},
              {48, 50, 400, 400},
              {64, 50, 1600, 1600}}}};
}

TEST(HotLines, HelpersWorkForTheirCallers) {
    const HotLines hot = hotLines(madeUpCounts(), madeUp(), kSources);
    ASSERT_EQ(hot.lines.size(), 2u);
    EXPECT_EQ(placeText(hot.lines[0]), "renderer/core/shapes.h:64");
    EXPECT_EQ(hot.lines[0].function, "cross");
    EXPECT_EQ(hot.lines[0].executed.warps, 850u) << "with both dot products";
    EXPECT_EQ(hot.lines[0].part, Part::search) << "most of it is";
    EXPECT_EQ(placeText(hot.lines[1]), "renderer/core/path.h:136");
}

TEST(HotLines, NsightComputesLinesAreTheFirstOfAnAddress) {
    const HotLines hot = hotLines(madeUpCounts(), madeUp(), kSources);
    ASSERT_EQ(hot.asNcu.size(), 3u);
    EXPECT_EQ(placeText(hot.asNcu[0]), "renderer/core/shapes.h:64");
    EXPECT_EQ(hot.asNcu[0].executed.warps, 800u) << "with the dot product that begins in it";
    EXPECT_EQ(placeText(hot.asNcu[2]), "renderer/core/vector.h:30");
    EXPECT_EQ(hot.asNcu[2].executed.warps, 50u);
}

TEST(HotLines, PartsAddUp) {
    const HotLines hot = hotLines(madeUpCounts(), madeUp(), kSources);
    const auto of = [&](Part part) { return hot.parts[static_cast<std::size_t>(part)]; };
    EXPECT_EQ(of(Part::loop).warps, 100u);
    EXPECT_EQ(of(Part::search).warps, 800u);
    EXPECT_EQ(of(Part::search).lanes, 16000u);
    EXPECT_EQ(of(Part::search).on, 15000u);
    EXPECT_EQ(of(Part::shadow).warps, 50u);
    EXPECT_EQ(hot.unknown.warps, 50u);
    Executed sum = hot.unknown;
    for (const Executed& part : hot.parts) sum += part;
    EXPECT_EQ(sum.warps, hot.all.warps);
    EXPECT_EQ(sum.idle(), hot.all.idle());
    EXPECT_DOUBLE_EQ(of(Part::search).perWarp(), 20);
    EXPECT_EQ(of(Part::search).idle(), 9600u);
}

/// Of the loop, of the crossing and its dot product, of the instruction without a line, and of
/// another kernel.
StallSamples madeUpStalls() {
    return {{"selected", "long_scoreboard", "imc_miss"},
            {{"k", {{0, {4, 0, 1}}, {16, {9, 3, 2}}, {32, {0, 1, 1}}, {64, {5, 0, 0}}}},
             {"another", {{0, {100, 0, 0}}}}},
            0};
}

TEST(HotLines, SamplesGoWhereInstructionsGo) {
    const HotLines hot = hotLines(madeUpCounts(), madeUp(), kSources, madeUpStalls());
    EXPECT_EQ(hot.lines[0].sampled.byReason, (std::vector<std::uint64_t>{9, 4, 3}));
    EXPECT_EQ(hot.lines[1].sampled.all(), 5u);
    const auto search = static_cast<std::size_t>(Part::search);
    EXPECT_EQ(hot.sampledParts[search].byReason, hot.lines[0].sampled.byReason);
    EXPECT_EQ(hot.sampled.all(), 26u) << "with those without a line";
    EXPECT_EQ(hot.kernels.at(0).sampled.all(), 26u);
    EXPECT_EQ(hotLines(madeUpCounts(), madeUp(), kSources).sampled.all(), 0u);
}

TEST(HotLines, AWarpThatIssuesWaitsForNothing) {
    const std::vector<std::string> reasons = madeUpStalls().reasons;
    EXPECT_EQ(mainStall({{9, 4, 3}}, reasons), "long scoreboard");
    EXPECT_EQ(mainStall({{9, 0, 3}}, reasons), "constant cache miss");
    EXPECT_EQ(mainStall({{9, 0, 0}}, reasons), "");
    EXPECT_EQ(mainStall({}, reasons), "");
    const auto stalls = stallsOf({{2, 0, 3}}, reasons);
    ASSERT_EQ(stalls.size(), 2u);
    EXPECT_EQ(stalls[0].second, "constant cache miss");
    EXPECT_EQ(stalls[1].second, "issuing");
}

TEST(HotLines, NothingCountedIsNothing) {
    const HotLines hot = hotLines({}, madeUp(), kSources);
    EXPECT_TRUE(hot.lines.empty());
    EXPECT_EQ(hot.all.perWarp(), 0);
}

TEST(HotLines, KernelsOfOtherProgramsHaveNoLines) {
    const HotLines hot = hotLines({{"another", {{0, 7, 7, 7}}}}, madeUp(), kSources);
    EXPECT_EQ(hot.unknown.warps, 7u);
    EXPECT_EQ(hot.kernels.at(0).executed.warps, 7u);
}

TEST(HotLines, ChangesAreOfARay) {
    HotWork a, b;
    a.rays.camera = 10;
    a.hot.all.warps = 1000;
    a.hot.lines = {{"x.h", 1, {}, Part::search, {750, 0, 0}},
                   {"x.h", 2, {}, Part::loop, {250, 0, 0}}};
    b.rays.camera = 20;
    b.hot.all.warps = 1400;
    b.hot.lines = {{"x.h", 1, {}, Part::search, {800, 0, 0}},
                   {"y.h", 5, {}, Part::metal, {600, 0, 0}}};
    const std::vector<LineChange> changes = changesOf(a, b);
    ASSERT_EQ(changes.size(), 3u);
    const auto expect = [&](size_t i, const char* place, double before, double after) {
        EXPECT_EQ(placeText(changes[i].line), place);
        EXPECT_DOUBLE_EQ(changes[i].a, before);
        EXPECT_DOUBLE_EQ(changes[i].b, after);
    };
    expect(0, "x.h:1", .75, .4);
    expect(1, "y.h:5", 0, .3);
    expect(2, "x.h:2", .25, 0);
    EXPECT_TRUE(changesOf(HotWork{}, b).empty());
}

TEST(HotLines, ReportsThatAreNoneAreRefused) {
    for (const char* text : {"", "[1]", "{\"kind\": \"hot\"}", "{\"kind\": \"code\"}",
                             "{\"kind\": \"hot\", \"no_counts\": \"none\"}"})
        EXPECT_FALSE(readHotReport(text)) << text;
}

TEST(HotLines, TextsAreThoseOfTheFiles) {
    const std::vector<KernelSource> files{{"renderer/core/a.h", "one\n    two  \n\nfour"}};
    const auto at = [](int line) { return HotLine{"renderer/core/a.h", line, {}, Part::loop, {}}; };
    EXPECT_EQ(sourceText(at(2), files), "two  ");
    EXPECT_EQ(sourceText(at(3), files), "");
    EXPECT_EQ(sourceText(at(4), files), "four");
    EXPECT_EQ(sourceText(HotLine{"renderer/core/b.h", 1, {}, Part::loop, {}}, files), "");
}

}  // namespace
}  // namespace rayscope
