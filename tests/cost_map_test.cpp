// What pixels cost, as numbers and in false colours.

#include <gtest/gtest.h>

#include "renderer/film/false_color.h"
#include "renderer/lab/divergence.h"

namespace rayscope {
namespace {

TEST(CostMap, RaysAreTheMeanOfThePixelsSamples) {
    const PathLengths paths{
        .width = 2, .height = 1, .samples = 4, .rays = {1, 2, 3, 4, 1, 1, 1, 2}};
    const CostMap map = costMap(paths);
    EXPECT_EQ(map.values, (std::vector<float>{2.5f, 1.25f}));
    EXPECT_EQ(map.unit, "rays a sample");
}

TEST(CostMap, TimesAreThoseOfASample) {
    const CostMap map = costMap(PixelTimes{2, 1, 8, {800, 80}, "ns"});
    EXPECT_EQ(map.values, (std::vector<float>{100, 10}));
    EXPECT_EQ(map.unit, "ns a sample");
}

/// One pixel in ten thousand is a hundred times as slow as any other.
TEST(CostMap, AFewSlowPixelsDontDarkenTheRest) {
    PixelTimes times{100, 100, 1, std::vector<unsigned>(10000, 50), "ns"};
    times.ticks[7] = 5000;
    EXPECT_EQ(costMap(times).fullScale, 50);
    EXPECT_EQ(costMap(PixelTimes{2, 1, 1, {0, 0}, "ns"}).fullScale, 1);
    EXPECT_EQ(costMap(PathLengths{}).fullScale, 1);
}

TEST(CostMap, FalseColoursReachFromBlackToTheLastColour) {
    CostMap map{3, 1, {0, 4, 80}, 8, ""};
    const Picture picture = falseColors(map);
    ASSERT_EQ(picture.rgb.size(), 9u);
    for (int c = 0; c < 3; ++c) {
        EXPECT_EQ(picture.rgb[c], 0);
        EXPECT_NEAR(picture.rgb[3 + c], 255 * kMagnitude[4][c], .51);
        EXPECT_NEAR(picture.rgb[6 + c], 255 * kMagnitude[8][c], .51);
    }
    const auto between = colorAt(kMagnitude, 1. / 16);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(between[c], kMagnitude[1][c] / 2, 1e-6);
}

}  // namespace
}  // namespace rayscope
