#include "renderer/film/rows.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>

#include "renderer/base/thread_pool.h"
#include "renderer/core/film_sum.h"

namespace rayscope {

void forRows(int width, int height, const std::function<void(int, int)>& work) {
    constexpr int kPartsOfThread = 16;
    constexpr long long kLarge = 1 << 20;  // pixels; to start threads takes as long as some 10,000
    std::optional<ThreadPool> pool;
    try {
        if (1ll * width * height > kLarge) pool.emplace(0);
    } catch (const std::runtime_error&) {  // there are no threads: it takes longer
    }
    if (!pool) return work(0, height);
    // smaller parts, as they come: those of an unfinished picture differ in work
    const int part = std::max(1, height / (kPartsOfThread * pool->size()));
    std::atomic<int> next{0};
    pool->run([&](int) {
        for (int y = next.fetch_add(part); y < height; y = next.fetch_add(part))
            work(y, std::min(height, y + part));
    });
}

namespace {

/// Calls work(i) for i in [0, count), on all cores if there are many.
template <class Work>
void forPixels(std::size_t count, const Work& work) {
    constexpr int kRow = 4096;  // pixels that a thread takes at a time
    forRows(kRow, static_cast<int>((count + kRow - 1) / kRow), [&](int begin, int end) {
        const std::size_t last = std::min(count, std::size_t{kRow} * end);
        for (std::size_t i = std::size_t{kRow} * begin; i < last; ++i) work(i);
    });
}

template <class More>
void addSums(std::vector<PixelSum>& to, const More* more) {
    forPixels(to.size(), [&](std::size_t i) {
        to[i].r += more[i].r;
        to[i].g += more[i].g;
        to[i].b += more[i].b;
        to[i].samples += more[i].samples;
    });
}

}  // namespace

void addPixels(Pixel* to, Pixel* rest, const Pixel* more, std::size_t count) {
    forPixels(count, [&](std::size_t i) {
        Pixel lost{};
        addPixelWithRest(to[i], rest != nullptr ? rest[i] : lost, more[i]);
    });
}

void addPixels(std::vector<PixelSum>& to, const Pixel* more) {
    addSums(to, more);
}
void addPixels(std::vector<PixelSum>& to, const std::vector<PixelSum>& more) {
    addSums(to, more.data());
}

std::vector<Pixel> rounded(const std::vector<PixelSum>& sums) {
    std::vector<Pixel> pixels(sums.size());
    forPixels(sums.size(), [&](std::size_t i) {
        const PixelSum& s = sums[i];
        pixels[i] = {static_cast<float>(s.r), static_cast<float>(s.g), static_cast<float>(s.b),
                     static_cast<float>(s.samples)};
    });
    return pixels;
}

}  // namespace rayscope
