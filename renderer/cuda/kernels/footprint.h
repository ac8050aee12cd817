#pragma once

#include "renderer/variant.h"

// Which pixels the threads of a block cover. Read by the kernel and by the host that launches it.

namespace rayscope {

struct Footprint {
    int width, height;  ///< pixels of a block
    int tilesAcross;    ///< Order::tiles: 8x4 tiles, one a warp, beside each other
};

inline constexpr int kTileWidth = 8;
inline constexpr int kTileHeight = 4;

/// Rows: the block's own shape. Tiles: the same shape where whole tiles fill it, otherwise one row
/// of tiles.
constexpr Footprint footprint(const Variant& v) {
    if (v.order == Order::rows) return {v.blockX, v.blockY, 0};
    if (v.blockX % kTileWidth == 0 && v.blockY % kTileHeight == 0) {
        return {v.blockX, v.blockY, v.blockX / kTileWidth};
    }
    const int tiles = v.blockX * v.blockY / (kTileWidth * kTileHeight);
    return {tiles * kTileWidth, kTileHeight, tiles};
}

}  // namespace rayscope
