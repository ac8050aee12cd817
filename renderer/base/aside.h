#pragma once

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <utility>

#include "renderer/base/elapsed.h"

namespace rayscope {

/// Something that takes long to make, one at a time, on a thread of its own, while a window draws
/// frames. `Key` says what it is. The destructor waits for what is under way.
template <class Key, class Made>
class Aside {
public:
    /// Whether what has this key is there; waits up to `waitMs` for it. Where nothing is under way,
    /// begin() returns the work, which returns a Made. What is ready goes to take(key, made), even
    /// if another key was wanted meanwhile. Throws what the work throws.
    template <class Begin, class Take>
    bool ready(const Key& key, double waitMs, Begin begin, Take take) {
        const Clock::time_point start = Clock::now();
        for (;;) {
            if (!work_.valid()) {
                key_ = key;
                work_ = std::async(std::launch::async, begin());
            }
            const double left = std::clamp(waitMs - millisecondsSince(start), 0., kLongest);
            if (work_.wait_for(std::chrono::duration<double, std::milli>(left)) !=
                std::future_status::ready)
                return false;
            finish(take);
            if (key_ == key) return true;
        }
    }

    /// Whether what has this key is under way.
    bool makes(const Key& key) const { return work_.valid() && key_ == key; }
    /// Waits for what is under way.
    template <class Take>
    void finish(Take take) {
        take(*key_, work_.get());
    }

private:
    static constexpr double kLongest = 1e9;  ///< milliseconds; more is for ever

    std::optional<Key> key_;
    std::future<Made> work_;
};

}  // namespace rayscope
