// The threads of a block cover its pixels, and a warp those that its order promises.

#include "renderer/core/footprint.h"

#include <gtest/gtest.h>

#include <set>

#include "renderer/choices/axes.h"

namespace rayscope {
namespace {

/// Calls check(variant) for every block and order.
template <class Check>
void forEachBlock(Check check) {
    const Axis& blocks = *findAxis("block");
    for (int block = blocks.minimum; block <= blocks.maximum; ++block) {
        for (const Order order : {Order::rows, Order::columns, Order::tiles}) {
            Settings settings;
            settings.variant.order = order;
            blocks.set(settings, block);
            SCOPED_TRACE(valueOf(blocks, settings) + " " + valueOf(*findAxis("order"), settings));
            check(settings.variant);
        }
    }
}

using Pixels = std::set<std::pair<int, int>>;

TEST(Footprint, EveryThreadHasAPixelOfItsOwnAndNoneIsLeft) {
    forEachBlock([](const Variant& v) {
        const Footprint f = footprint(v);
        Pixels pixels;
        for (int y = 0; y < v.blockY; ++y) {
            for (int x = 0; x < v.blockX; ++x) {
                const Place p = placeOf(v, x, y);
                EXPECT_TRUE(p.x >= 0 && p.x < f.width && p.y >= 0 && p.y < f.height);
                EXPECT_TRUE(pixels.emplace(p.x, p.y).second) << p.x << " " << p.y;
            }
        }
        EXPECT_EQ(f.width * f.height, v.blockX * v.blockY);
    });
}

TEST(Footprint, AWarpCoversARowAColumnOrATile) {
    forEachBlock([](const Variant& v) {
        Pixels pixels;
        for (int lane = 0; lane < kWarp; ++lane) {
            const Place p = placeOf(v, lane % v.blockX, lane / v.blockX);
            pixels.emplace(p.x, p.y);
        }
        const int wide = pixels.rbegin()->first - pixels.begin()->first + 1;
        const int high = kWarp / wide;
        const int along = std::min(v.blockX, kWarp);  // 8x4 is a tile in every order
        const int expected = v.order == Order::tiles  ? kTileWidth
                             : v.order == Order::rows ? along
                                                      : kWarp / along;
        EXPECT_EQ(wide, expected);
        for (int x = 0; x < wide; ++x) {
            for (int y = 0; y < high; ++y) EXPECT_TRUE(pixels.count({x, y})) << x << " " << y;
        }
    });
}

TEST(Footprint, AThreadForEachSampleMakesARowAsManyTimesLonger) {
    Variant v;
    EXPECT_EQ(blocksAcross(v, 1280, 32), 40);
    v.samplesAs = SamplesAs::threads;
    EXPECT_EQ(footprint(v).height, 1);
    EXPECT_EQ(blocksAcross(v, 1280, 32), 320);
    EXPECT_EQ(blocksAcross(v, 3, 1), 1);
    EXPECT_EQ(blocksAcross(v, 129, 1), 2);
    EXPECT_EQ(blocksAcross(v, 16384, 1024), 131072);
    EXPECT_EQ(placeOf(v, 5, 2).x, 2 * v.blockX + 5);
}

}  // namespace
}  // namespace rayscope
