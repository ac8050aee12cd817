#include "renderer/film/rows.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>

#include "renderer/base/thread_pool.h"

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

void addPixels(Pixel* to, const Pixel* more, std::size_t count) {
    constexpr int kRow = 4096;  // pixels that a thread adds at a time
    forRows(kRow, static_cast<int>((count + kRow - 1) / kRow), [&](int begin, int end) {
        const std::size_t last = std::min(count, std::size_t{kRow} * end);
        for (std::size_t i = std::size_t{kRow} * begin; i < last; ++i) {
            to[i].r += more[i].r;
            to[i].g += more[i].g;
            to[i].b += more[i].b;
            to[i].samples += more[i].samples;
        }
    });
}

void addPixels(std::vector<Pixel>& to, const Pixel* more) {
    addPixels(to.data(), more, to.size());
}

}  // namespace rayscope
