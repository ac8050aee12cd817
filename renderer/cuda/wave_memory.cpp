#include "renderer/cuda/wave_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/types.h"
#include "renderer/cuda/check.h"

namespace rayscope {

namespace {

/// Larger waves fill the device no better.
constexpr size_t kMostBytes = size_t{1} << 30;

/// A smaller wave would spend its time on launches.
constexpr int kLeastPaths = 1 << 14;

constexpr int kMostPaths = 1 << 26;
constexpr int kMostPathsWithHost = 1 << 21;

constexpr size_t kLengthBytes = 512;
static_assert(kLengthBytes >= (kMaxDepth + 1) * sizeof(int));

int listsOf(const Variant& v) {
    if (v.engine == Engine::hybrid) return 0;
    return v.compaction == Compaction::device ? 2 : v.compaction == Compaction::host ? 1 : 0;
}

/// What the device stores of a path. Engine::hybrid keeps everything but rays and hits on the host.
PathBytes deviceBytes(const Variant& v) {
    PathBytes b = pathBytes(v);
    if (v.engine == Engine::hybrid) b.sample = b.random = b.sampled = 0;
    return b;
}

/// What a sort needs of memory besides keys and paths.
size_t sortBytes(int capacity) {
    return sizeof(SortFacts) + sizeof(int) * kRayPasses * tilesOf(capacity) * kSortThreads;
}

/// Bytes per path, with its entries in lists and, as if it were its pixel's only one, the pixel's
/// sum.
size_t bytesEach(const Variant& v) {
    const size_t sort = sortsPaths(v) ? 4 * sizeof(int) + sortBytes(kTileKeys) / kTileKeys : 0;
    return total(deviceBytes(v)) + listsOf(v) * sizeof(int) + sort +
           (sumsOnHost(v) ? sizeof(Pixel) : 0);
}

}  // namespace

bool hostWorks(const Variant& v) {
    return v.engine == Engine::hybrid ||
           (v.engine == Engine::wavefront &&
            (v.raySource == RaySource::host || v.compaction == Compaction::host ||
             v.accumulate != Accumulate::device));
}

bool sumsOnHost(const Variant& v) {
    return v.engine == Engine::hybrid || v.accumulate != Accumulate::device;
}

int hostThreads(const Variant& v, const Settings& settings) {
    return v.engine == Engine::hybrid ? settings.threads : 0;
}

int mostPaths(const Variant& v) {
    return hostWorks(v) ? kMostPathsWithHost : kMostPaths;
}

bool WaveMemory::prepare(const Variant& v, long long wanted) {
    if (limit_ == 0) {
        size_t free = 0, total = 0;
        check(cudaMemGetInfo(&free, &total), "look up the free memory");
        limit_ = std::min(kMostBytes, (free + block_.size()) / 4);
    }
    const size_t each = bytesEach(v);
    const auto count =
        static_cast<size_t>(std::clamp<long long>(wanted, kLeastPaths, mostPaths(v)));
    size_t bytes = std::min(limit_, count * each + kLengthBytes);
    while (!block_.reserve(bytes)) {
        bytes /= 2;
        limit_ = bytes;
        if (bytes < kLeastPaths * each) return false;
    }
    unsigned char* at = block_.data();
    lengths = reinterpret_cast<int*>(at);
    at += kLengthBytes;
    const size_t room =
        std::min((block_.size() - kLengthBytes) / each, static_cast<size_t>(mostPaths(v)));
    const int capacity = static_cast<int>(room / 256 * 256);  // aligns every array
    sums = reinterpret_cast<Pixel*>(at);
    if (sumsOnHost(v)) at += capacity * sizeof(Pixel);
    for (int i = 0; i < listsOf(v); ++i) {
        lists[i] = reinterpret_cast<int*>(at);
        at += capacity * sizeof(int);
    }
    if (sortsPaths(v)) {
        sorted.facts = reinterpret_cast<SortFacts*>(at);
        sorted.tiles = reinterpret_cast<unsigned*>(sorted.facts + 1);
        at += sortBytes(capacity);
        for (int i = 0; i < 2; ++i) {
            sorted.keys[i] = reinterpret_cast<unsigned*>(at);
            sorted.paths[i] = reinterpret_cast<int*>(sorted.keys[i] + capacity);
            at += 2 * capacity * sizeof(int);
        }
    }
    paths = layOut(deviceBytes(v), capacity, at);
    return capacity >= 256;
}

Result<void> reserveWaves(WaveMemory& memory, const Variant& v, const Film& film, int samples) {
    const long long paths = 1ll * film.width * film.height * samples;
    if (memory.prepare(v, paths) && memory.capacity() >= samples) return {};
    return Failure{fmt::format(
        "engine={}: the device has no memory left for {}; close what else uses it or choose "
        "engine=megakernel",
        v.engine == Engine::hybrid ? "hybrid" : "wavefront",
        v.engine == Engine::hybrid ? "rays" : "paths")};
}

void WaveMemory::release() {
    block_.release();
    limit_ = 0;
}

}  // namespace rayscope
