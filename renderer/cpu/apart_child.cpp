#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "renderer/backend/kernel_isolation.h"
#include "renderer/base/timeline.h"
#include "renderer/compile/host_compiler.h"
#include "renderer/cpu/apart_limits.h"
#include "renderer/cpu/apart_protocol.h"
#include "renderer/cpu/memory_file.h"
#include "renderer/cpu/object_check.h"
#include "renderer/cpu/programs.h"
#include "renderer/cpu/shared_arena.h"

namespace rayscope {

namespace {

/// Ends the process when the other one has ended, even while a kernel runs. The thread that sees to
/// that has begun: what it asks of the system first is not permitted later.
void endWithOther() {
    static std::atomic<bool> begun = false;
    std::thread([] {
        begun = true;
        begun.notify_one();
        pollfd channel{kChannel, 0, 0};
        while (poll(&channel, 1, -1) <= 0) {
        }
        _exit(kGivenUp);
    }).detach();
    begun.wait(false);
}

void tell(char word) {
    if (write(kChannel, &word, 1) != 1) _exit(kGivenUp);
}

/// The kernel's address. Code of the object does not run meanwhile.
void* loadKernel(const ApartOrders& orders) {
    const std::string_view object(reinterpret_cast<const char*>(orders.object), orders.objectBytes);
    if (const std::string problem = problemOfObject(object); !problem.empty())
        throw std::runtime_error(problem);
    const MemoryFile file(object);
    limitResources();
    allowLoading(orders.report->denied);
    void* const handle = dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    const void* const symbol = dlsym(handle, hostSymbol(0).c_str());
    if (symbol == nullptr) throw std::runtime_error("it is not in its object");
    return *static_cast<void* const*>(symbol);
}

void noteUnsampled(const std::string& why, const ApartOrders& orders) {
    std::strncpy(orders.report->unsampled, why.c_str(), sizeof orders.report->unsampled - 1);
}

/// Timers run on from one pass to the next: they are on clocks that stand still in between.
void sampleIf(bool wanted, HotSampler* sampler, const ApartOrders& orders) {
    static bool runs = false;
    if (sampler == nullptr || std::exchange(runs, wanted) == wanted) return;
    const auto set = sampler->setInterval(wanted ? kSamplingTick : std::chrono::microseconds(0));
    if (!set) noteUnsampled(set.reason(), orders);
}

template <class Real>
void renderPass(const ApartOrders& orders, const LaunchParams<Real>& given, void* kernel,
                ThreadPool& pool, HotSampler* sampler) {
    const auto render = reinterpret_cast<RenderKernel<Real>>(kernel);
    sampleIf(orders.sampled, sampler, orders);
    orders.report->time = pool.run([&](int thread) {
        LaunchParams<Real> launch = given;
        launch.counters = orders.counters[thread].values;
        const void* const memory =
            orders.memoryBytes == 0
                ? nullptr
                : orders.memory + static_cast<std::size_t>(thread) * orders.memoryBytes;
        renderPieces(orders.plan, orders.report->next, launch, thread,
                     [&](const LaunchParams<Real>& piece) { render(piece, memory); });
    });
}

/// Made before the kernel's code is there; its timers are set for passes that are to be sampled.
std::unique_ptr<HotSampler> makeSampler(const ApartOrders& orders, ThreadPool& pool) {
    std::vector<pid_t> threads(static_cast<std::size_t>(pool.size()));
    pool.run([&](int worker) { threads[static_cast<std::size_t>(worker)] = gettid(); });
    auto made = HotSampler::prepare(threads, {orders.samples, threads.size()});
    if (made) return *std::move(made);
    noteUnsampled(made.reason(), orders);
    return nullptr;
}

[[noreturn]] void serve(const ApartOrders& orders) {
    setZoneSink(kToNvtx, false);
    fillHeap();
    ThreadPool pool(orders.threads);
    const std::unique_ptr<HotSampler> sampler = makeSampler(orders, pool);
    endWithOther();
    void* const kernel = loadKernel(orders);
    orders.report->kernel = objectInMemory(kernel);
    allowComputing();
    tell(kLoaded);
    while (true) {
        char word = 0;
        if (read(kChannel, &word, 1) != 1) _exit(0);
        if (word != kPass) continue;
        orders.inDouble ? renderPass(orders, orders.doubleLaunch, kernel, pool, sampler.get())
                        : renderPass(orders, orders.singleLaunch, kernel, pool, sampler.get());
        tell(kDone);
    }
}

std::uintptr_t addressOf(const std::string& word) {
    return static_cast<std::uintptr_t>(std::strtoull(word.c_str(), nullptr, 16));
}

}  // namespace

void runKernelApart(const std::string& given, const std::string& work) {
    close_range(kChannel + 1, ~0u, 0);
    try {
        const SharedArena orders(kGivenFile, addressOf(given), false);
        const SharedArena arena(kWorkFile, addressOf(work), true);
        close(kGivenFile);
        close(kWorkFile);
        auto& report = *reinterpret_cast<ApartReport*>(arena.data());
        try {
            serve(*reinterpret_cast<const ApartOrders*>(orders.data()));
        } catch (const std::exception& error) {
            std::strncpy(report.problem, error.what(), sizeof report.problem - 1);
            tell(kNotLoaded);
        }
    } catch (const std::exception&) {
    }
    _exit(kGivenUp);
}

}  // namespace rayscope
