#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "renderer/backend/kernel_code.h"
#include "renderer/base/thread_pool.h"
#include "renderer/choices/axes.h"

namespace rayscope {

/// Compiles the kernels of all these settings on all cores, into the cache that renderers read: a
/// renderer compiles one at a time, each for 0.1 to 1 s. A failure is reported by the renderer that
/// asks for the kernel.
inline void compileAhead(const std::vector<Settings>& all, const SharedScene& scene,
                         int architecture) {
    std::vector<Settings> distinct;
    for (const Settings& s : all) {
        if (std::find(distinct.begin(), distinct.end(), canonical(s)) == distinct.end())
            distinct.push_back(canonical(s));
    }
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i = next++; i < distinct.size(); i = next++) {
            const CodeWish wish{distinct[i], scene, architecture};
            distinct[i].variant.code == Code::ptx ? void(kernelPtx(wish)) : void(kernelCode(wish));
        }
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < coreCount(); ++i) threads.emplace_back(work);
}

}  // namespace rayscope
