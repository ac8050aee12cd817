#include "renderer/film/rows.h"

#include <optional>
#include <stdexcept>

#include "renderer/base/thread_pool.h"

namespace rayscope {

void forRows(int width, int height, const std::function<void(int, int)>& work) {
    constexpr long long kLarge = 1 << 20;  // pixels; to start threads takes as long as some 10,000
    std::optional<ThreadPool> pool;
    try {
        if (1ll * width * height > kLarge) pool.emplace(0);
    } catch (const std::runtime_error&) {  // there are no threads: it takes longer
    }
    if (!pool) return work(0, height);
    pool->runRange(height, [&](int, int begin, int end) { work(begin, end); });
}

}  // namespace rayscope
