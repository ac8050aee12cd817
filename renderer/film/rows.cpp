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

}  // namespace rayscope
