#pragma once

#include "renderer/core/variant.h"

// Which pixels the threads of a block cover. Read by the kernel and by the host that launches it.

namespace rayscope {

struct Footprint {
    int width, height;  ///< in pixels; SamplesAs::threads: in samples, of one row of pixels
    int tilesAcross;    ///< Order::tiles: how many 8x4 tiles, one per warp, are side by side
};

struct Place {
    int x, y;
};

inline constexpr int kWarp = 32;
inline constexpr int kTileWidth = 8;
inline constexpr int kTileHeight = 4;

/// Rows: the block's shape; columns: that shape transposed. Tiles: the block's shape if whole tiles
/// fill it, else one row of tiles.
constexpr Footprint footprint(const Variant& v) {
    if (v.samplesAs == SamplesAs::threads) return {v.blockX * v.blockY, 1, 0};
    if (v.order == Order::rows) return {v.blockX, v.blockY, 0};
    if (v.order == Order::columns) return {v.blockY, v.blockX, 0};
    if (v.blockX % kTileWidth == 0 && v.blockY % kTileHeight == 0) {
        return {v.blockX, v.blockY, v.blockX / kTileWidth};
    }
    const int tiles = v.blockX * v.blockY / (kTileWidth * kTileHeight);
    return {tiles * kTileWidth, kTileHeight, tiles};
}

/// The pixel, relative to the block's footprint, of a thread; SamplesAs::threads: the sample.
constexpr Place placeOf(const Variant& v, int threadX, int threadY) {
    const int thread = threadY * v.blockX + threadX;
    if (v.samplesAs == SamplesAs::threads) return {thread, 0};
    if (v.order == Order::rows) return {threadX, threadY};
    if (v.order == Order::columns) return {threadY, threadX};
    const int across = footprint(v).tilesAcross;
    const int warp = thread / kWarp;
    const int lane = thread % kWarp;
    return {warp % across * kTileWidth + lane % kTileWidth,
            warp / across * kTileHeight + lane / kTileWidth};
}

/// Samples of a piece of SamplesFrom::queue: few, so that warps finish together; enough that they
/// seldom come for another.
inline constexpr int kPieceSamples = 8;

/// The pixels of a piece of SamplesFrom::warp or queue, one for each lane.
constexpr Footprint pieceOf(const Variant& v) {
    if (v.order == Order::rows) return {kWarp, 1, 0};
    if (v.order == Order::columns) return {1, kWarp, 0};
    return {kTileWidth, kTileHeight, 1};
}

/// Of a power of two.
constexpr int digitsOf(int size) {
    return size <= 1 ? 0 : 1 + digitsOf(size / 2);
}

/// The pixel of sample number `index` of a piece, relative to its first.
constexpr Place placeInPiece(const Variant& v, unsigned index) {
    if (v.samplesFrom == SamplesFrom::pixel) return {0, 0};
    const int pixel = static_cast<int>(index % kWarp), width = pieceOf(v).width;
    return {pixel % width, pixel / width};
}

/// How many pieces there are for the same pixels.
constexpr int pieceDepths(const Variant& v, int samples) {
    return v.samplesFrom == SamplesFrom::queue ? (samples + kPieceSamples - 1) / kPieceSamples : 1;
}

/// How many pieces a launch has.
constexpr int piecesOf(const Variant& v, int width, int height, int samples) {
    const Footprint piece = pieceOf(v);
    return (width + piece.width - 1) / piece.width * ((height + piece.height - 1) / piece.height) *
           pieceDepths(v, samples);
}

/// True if warps share the samples of pieces.
constexpr bool pools(const Variant& v) {
    return v.engine == Engine::regeneration && v.samplesFrom != SamplesFrom::pixel;
}

/// True if rays look for the least key (keys.h).
constexpr bool usesKeys(const Variant& v) {
    return v.search != Search::branch && v.accel == Accel::brute &&
           v.sceneMemory != SceneMemory::shared;
}

/// True if a variant shades as compact.h does, whatever it searches.
constexpr bool shadesCompactly(const Variant& v) {
    constexpr unsigned kUnknown = kGlossy | kFloor | kPowerSky | kSquareLens | kTriangles;
    return pools(v) && v.begin == Begin::merged && v.sceneLayout == SceneLayout::aos &&
           !v.recordLengths && !v.recordTime && (v.traits.features & kUnknown) == 0;
}
/// True if the loop of compact.h follows the paths.
constexpr bool isCompact(const Variant& v) {
    return shadesCompactly(v) && usesKeys(v) && v.sceneMemory == SceneMemory::baked;
}

/// True if hits queue for light sampling (light_queue.h). The queues of larger blocks would not fit
/// into shared memory.
constexpr bool queuesLights(const Variant& v) {
    constexpr int kMostThreads = 512;
    return v.lightQueue && v.lightSampling && isCompact(v) && v.blockX * v.blockY <= kMostThreads;
}
/// The same for a scene that compact.h knows, with Variant::lightQueue.
constexpr bool mayQueueLights(Variant v) {
    v.lightQueue = true;
    v.traits.features = 0;
    return queuesLights(v);
}

/// True if kernels may call kept().
constexpr bool keeps(const Variant& v) {
    return pools(v) || v.accel == Accel::grid;
}

/// True if several threads add to a pixel.
constexpr bool sharesPixels(const Variant& v) {
    const bool whole = v.engine == Engine::megakernel || v.engine == Engine::regeneration;
    return pools(v) || (whole && v.samplesAs == SamplesAs::threads);
}

/// How many blocks side by side cover rows of `width` pixels, in a launch of `samples` per pixel.
constexpr int blocksAcross(const Variant& v, int width, int samples) {
    const int block = footprint(v).width;
    return (width * (v.samplesAs == SamplesAs::threads ? samples : 1) + block - 1) / block;
}

}  // namespace rayscope
