#pragma once

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

namespace rayscope {

/// Takes work on another thread whose result nobody wants any more, and does not wait for it: the
/// program does, when it ends. A future that is destroyed would wait here.
template <class T>
void leave(std::future<T> work) {
    static std::mutex mutex;
    static std::vector<std::future<T>> left;
    if (!work.valid()) return;
    const std::lock_guard lock(mutex);
    std::erase_if(left, [](const std::future<T>& one) {
        return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    left.push_back(std::move(work));
}

}  // namespace rayscope
