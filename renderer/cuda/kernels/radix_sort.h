#pragma once

#include "renderer/cuda/kernels/sort.h"

// A radix sort of keys and numbers, least digit first, on one stream: a kernel counts how often
// each digit occurs, and then there is a launch for each pass.

namespace rayscope {

/// The sum of the values of the threads before this one in the block, all of which must arrive.
__device__ __forceinline__ int sumBefore(int value) {
    __shared__ int warps[kSortThreads / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int sum = value;
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += warps[w];
    return sum - value;
}

/// What a tile has told of a digit: the upper bits say whether it is known, and of what.
inline constexpr unsigned kOfTile = 1u << 30, kWithThoseBefore = 2u << 30, kCount = kOfTile - 1;

/// The sum of what all tiles before have of something, of which this one has so many; tells those
/// behind. `told`: of the first tile, and after so many words of the next. Blocks take tiles in
/// order, so the ones before are under way at least.
__device__ __forceinline__ int sumOfTilesBefore(unsigned* told, int stride, int tile,
                                                unsigned own) {
    volatile unsigned* const mine = told + tile * stride;
    if (tile > 0) *mine = kOfTile | own;
    unsigned before = 0;
    for (int t = tile - 1; t >= 0;) {
        const unsigned other = *static_cast<volatile unsigned*>(told + t * stride);
        if (other == 0) continue;
        before += other & kCount;
        if (other >= kWithThoseBefore) break;
        --t;
    }
    *mine = kWithThoseBefore | (before + own);
    return static_cast<int>(before);
}

/// Lanes of the warp with the same digit, among those that have a key.
__device__ __forceinline__ unsigned lanesWithDigit(unsigned digit, bool has) {
    unsigned same = __ballot_sync(~0u, has);
    for (int b = 0; b < kDigitBits; ++b) {
        const unsigned ones = __ballot_sync(~0u, digit >> b & 1);
        same &= digit >> b & 1 ? ones : ~ones;
    }
    return same;
}

/// Arrays of a pass: of keys and of the numbers that go with them, from and to.
template <class Key>
struct SortPass {
    const Key* keys;
    Key* keysTo;
    const int* list;
    int* listTo;
    int count;
    int shift;          ///< bits below the digit
    const int* digits;  ///< how often each occurs
    int* begun;         ///< tiles that have been begun; zero before the pass
    unsigned* tiles;    ///< for each tile and digit, see sumOfTilesBefore(); zeros before the pass
};

/// A pass for the next tile that no block has begun, if any; equal digits keep their order. A tile
/// learns where its digits begin from what the tiles before it tell (Adinets and Merrill 2022,
/// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs"). For blocks of kSortThreads.
template <class Key>
__device__ __forceinline__ void sortTile(const SortPass<Key>& p) {
    constexpr int kWarps = kSortThreads / 32, kKeys = kTileKeys / kSortThreads;
    __shared__ int counts[kWarps][kSortThreads];  // by digit; later where the warp's keys begin
    __shared__ int tile;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) tile = atomicAdd(p.begun, 1);
    for (int w = 0; w < kWarps; ++w) counts[w][threadIdx.x] = 0;
    __syncthreads();
    if (tile >= tilesOf(p.count)) return;
    const auto digitOf = [&](Key key) { return static_cast<unsigned>(key >> p.shift & 255); };
    const int first = tile * kTileKeys + warp * 32 * kKeys + lane;
    Key keys[kKeys];
    int ranks[kKeys];
    for (int k = 0; k < kKeys; ++k) {
        const bool has = first + 32 * k < p.count;
        keys[k] = has ? p.keys[first + 32 * k] : 0;
        const unsigned digit = digitOf(keys[k]);
        const unsigned same = lanesWithDigit(digit, has);
        const unsigned before = same & ((1u << lane) - 1);
        ranks[k] = counts[warp][digit] + __popc(before);
        __syncwarp();
        if (has && before == 0) counts[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
    int own = 0;  // keys of the tile with this thread's digit
    for (int w = 0; w < kWarps; ++w) own += counts[w][threadIdx.x];
    int begin =
        sumOfTilesBefore(p.tiles + threadIdx.x, kSortThreads, tile, static_cast<unsigned>(own));
    begin += sumBefore(p.digits[threadIdx.x]);
    for (int w = 0; w < kWarps; ++w) {
        const int count = counts[w][threadIdx.x];
        counts[w][threadIdx.x] = begin;
        begin += count;
    }
    __syncthreads();
    for (int k = 0; k < kKeys; ++k) {
        if (first + 32 * k >= p.count) break;
        const int place = counts[warp][digitOf(keys[k])] + ranks[k];
        p.keysTo[place] = keys[k];
        p.listTo[place] = p.list[first + 32 * k];
    }
}

}  // namespace rayscope
