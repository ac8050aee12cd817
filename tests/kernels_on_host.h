#pragma once

// What a kernel's text needs to be compiled for the host: include this, then the .cu file. Blocks
// run one after the other; the threads of a block take turns, in another order with every seed, and
// change at barriers and where a warp's lanes meet.

#include <ucontext.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(...)

struct __attribute__((may_alias)) int4 {
    int x, y, z, w;
};
struct __attribute__((may_alias)) float2 {
    float x, y;
};
struct __attribute__((may_alias)) float4 {
    float x, y, z, w;
};
struct Dim3 {
    unsigned x = 1, y = 1, z = 1;
};
inline Dim3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim, gridDim;

namespace rayscope {

using std::max;
using std::min;

/// The block that runs.
class HostBlock {
public:
    static HostBlock& running() {
        static HostBlock block;
        return block;
    }

    void run(int threads, unsigned seed, const std::function<void()>& kernel) {
        kernel_ = &kernel;
        fibers_.resize(threads);
        meetings_.assign(1 + threads / 32, {});
        std::vector<int> order(threads);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
        for (Fiber& f : fibers_) start(f);
        for (int alive = threads; alive > 0;) {
            for (const int t : order) {
                if (fibers_[t].done) continue;
                threadIdx.x = t;
                swapcontext(&scheduler_, &fibers_[t].context);
                if (fibers_[t].done) --alive;
            }
        }
    }

    /// All threads of the block, or all lanes of the thread's warp.
    void meetBlock() { meet(meetings_[0], static_cast<int>(fibers_.size())); }
    void meetWarp() { meet(meetings_[1 + threadIdx.x / 32], 32); }

    /// What a lane of the warp gives: its own if there is no such lane.
    template <class T>
    T exchange(T value, unsigned lane) {
        const unsigned own = threadIdx.x % 32;
        T other;
        allGive(value, [&](auto of) { other = of(lane < 32 ? lane : own); });
        return other;
    }
    unsigned ballot(bool condition) {
        unsigned lanes = 0;
        allGive(condition ? 1u : 0u, [&](auto of) {
            for (unsigned lane = 0; lane < 32; ++lane) lanes |= of(lane) << lane;
        });
        return lanes;
    }

private:
    template <class T, class Take>
    void allGive(T value, Take take) {
        const unsigned warp = threadIdx.x / 32 * 32;
        std::memcpy(fibers_[threadIdx.x].word, &value, sizeof value);
        meetWarp();
        take([&](unsigned lane) {
            T given;
            std::memcpy(&given, fibers_[warp + lane].word, sizeof given);
            return given;
        });
        meetWarp();
    }

    static constexpr size_t kStackBytes = 64 << 10;

    struct Fiber {
        ucontext_t context;
        std::unique_ptr<char[]> stack;
        bool done = false;
        char word[8];
    };
    struct Meeting {
        int arrived = 0, number = 0;
    };

    static void body() {
        HostBlock& block = running();
        (*block.kernel_)();
        Fiber& own = block.fibers_[threadIdx.x];
        own.done = true;
        swapcontext(&own.context, &block.scheduler_);
    }

    void start(Fiber& f) {
        if (!f.stack) f.stack = std::make_unique<char[]>(kStackBytes);
        f.done = false;
        getcontext(&f.context);
        f.context.uc_stack = {f.stack.get(), 0, kStackBytes};
        f.context.uc_link = nullptr;
        makecontext(&f.context, body, 0);
    }

    void meet(Meeting& meeting, int all) {
        const int number = meeting.number;
        if (++meeting.arrived == all) {
            meeting.arrived = 0;
            ++meeting.number;
        }
        const unsigned thread = threadIdx.x;
        while (meeting.number == number) swapcontext(&fibers_[thread].context, &scheduler_);
        threadIdx.x = thread;
    }

    ucontext_t scheduler_;
    std::vector<Fiber> fibers_;
    std::vector<Meeting> meetings_;
    const std::function<void()>* kernel_ = nullptr;
};

/// Launches a kernel: `call` calls it with its arguments.
inline void launchOnHost(int blocks, int threads, unsigned seed,
                         const std::function<void()>& call) {
    gridDim.x = blocks;
    blockDim.x = threads;
    for (int b = 0; b < blocks; ++b) {
        blockIdx.x = b;
        HostBlock::running().run(threads, seed + b, call);
    }
}

}  // namespace rayscope

inline void __syncthreads() {
    rayscope::HostBlock::running().meetBlock();
}
inline void __syncwarp() {
    rayscope::HostBlock::running().meetWarp();
}
inline void __threadfence() {}
inline int __ffs(int x) {
    return __builtin_ffs(x);
}
inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
template <class T>
T __ldcg(const T* p) {
    return *p;
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
    return rayscope::HostBlock::running().exchange(value, lane);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned step) {
    return rayscope::HostBlock::running().exchange(value, threadIdx.x % 32 + step);
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned step) {
    return rayscope::HostBlock::running().exchange(value, threadIdx.x % 32 - step);
}
inline unsigned __ballot_sync(unsigned, bool condition) {
    return rayscope::HostBlock::running().ballot(condition);
}
template <class T>
T atomicAdd(T* to, T value) {
    const T before = *to;
    *to += value;
    return before;
}
template <class T>
T atomicExch(T* to, T value) {
    return std::exchange(*to, value);
}
template <class T>
T atomicMax(T* to, T value) {
    const T before = *to;
    *to = std::max(*to, value);
    return before;
}
