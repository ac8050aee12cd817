#include "renderer/cpu/hot_sampler.h"

#include <fmt/format.h>
#include <link.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace rayscope {

namespace {

constexpr std::size_t kMostSampled = 1024;  ///< threads
// The handler reads these alone: a signal may come after its timer and buffer have gone.
std::array<std::atomic<SampleBuffer*>, kMostSampled> sampleBuffers;
std::atomic<int> handlersAtWork = 0;
std::atomic<bool> sampling = false;
static_assert(std::atomic<SampleBuffer*>::is_always_lock_free);
static_assert(std::atomic<std::size_t>::is_always_lock_free);

std::uint64_t instructionPointer(const void* context) {
#ifdef __x86_64__
    return static_cast<std::uint64_t>(
        static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

/// Async-signal-safe.
void takeSample(int, siginfo_t* info, void* context) {
    const int slot = info->si_value.sival_int;
    if (info->si_code != SI_TIMER || slot < 0 || slot >= static_cast<int>(kMostSampled)) return;
    ++handlersAtWork;
    if (SampleBuffer* const buffer = sampleBuffers[static_cast<std::size_t>(slot)].load()) {
        const std::size_t at = buffer->count.fetch_add(1, std::memory_order_relaxed);
        if (at < SampleBuffer::kRoom) buffer->addresses[at] = instructionPointer(context);
    }
    --handlersAtWork;
}

/// The clock of a thread's processor time, as the kernel numbers it (MAKE_THREAD_CPUCLOCK in
/// include/linux/posix-timers.h; pthread_getcpuclockid(3) does the same).
clockid_t clockOf(pid_t thread) {
    constexpr unsigned kScheduled = 2, kOneThread = 4;
    return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kScheduled | kOneThread);
}

Result<void> installHandler() {
    struct sigaction now {
    }, wanted{};
    sigaction(SIGPROF, nullptr, &now);
    const bool ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == takeSample;
    if (ours) return {};
    if ((now.sa_flags & SA_SIGINFO) != 0 ||
        (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN))
        return Failure{"another profiler uses SIGPROF in this process"};
    wanted.sa_sigaction = takeSample;
    wanted.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&wanted.sa_mask);
    // It stays: a signal that comes late would end the process otherwise.
    if (sigaction(SIGPROF, &wanted, nullptr) != 0)
        return Failure{fmt::format("SIGPROF cannot be handled: {}", std::strerror(errno))};
    return {};
}

}  // namespace

struct HotSampler::Threads {
    std::unique_ptr<SampleBuffer[]> own;
    std::span<SampleBuffer> buffers;
    std::vector<timer_t> timers;
};

HotSampler::HotSampler() : threads_(std::make_unique<Threads>()) {}

Result<std::unique_ptr<HotSampler>> HotSampler::prepare(const std::vector<pid_t>& threads,
                                                        std::span<SampleBuffer> buffers) {
    if (threads.size() > kMostSampled)
        return Failure{fmt::format("at most {} threads are sampled", kMostSampled)};
    if (sampling.exchange(true)) return Failure{"another sampler is at work"};
    std::unique_ptr<HotSampler> sampler(new HotSampler);
    if (const Result<void> handled = installHandler(); !handled) return handled.failure();
    sampler->threads_->buffers = buffers;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        sampleBuffers[i] = &buffers[i];
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGPROF;
        event.sigev_value.sival_int = static_cast<int>(i);
        event._sigev_un._tid = threads[i];
        timer_t timer{};
        if (timer_create(clockOf(threads[i]), &event, &timer) != 0)
            return Failure{fmt::format("a thread cannot be sampled: {}", std::strerror(errno))};
        sampler->threads_->timers.push_back(timer);
    }
    return sampler;
}

Result<std::unique_ptr<HotSampler>> HotSampler::start(const std::vector<pid_t>& threads,
                                                      std::chrono::microseconds interval) {
    auto own = std::make_unique<SampleBuffer[]>(threads.size());
    auto sampler = prepare(threads, {own.get(), threads.size()});
    if (!sampler) return sampler;
    (*sampler)->threads_->own = std::move(own);
    if (const Result<void> set = (*sampler)->setInterval(interval); !set) return set.failure();
    return sampler;
}

Result<void> HotSampler::setInterval(std::chrono::microseconds interval) {
    const auto ns = std::chrono::nanoseconds(interval).count();
    const timespec period{static_cast<time_t>(ns / 1'000'000'000), ns % 1'000'000'000};
    const itimerspec times{period, period};
    for (const timer_t timer : threads_->timers) {
        if (timer_settime(timer, 0, &times, nullptr) != 0)
            return Failure{fmt::format("a thread cannot be sampled: {}", std::strerror(errno))};
    }
    return {};
}

HotSampler::~HotSampler() {
    stop();
    sampling = false;
}

HotSampler::Samples HotSampler::stop() {
    for (const timer_t timer : threads_->timers) timer_delete(timer);
    threads_->timers.clear();
    for (std::size_t i = 0; i < threads_->buffers.size(); ++i) sampleBuffers[i] = nullptr;
    while (handlersAtWork.load() > 0) std::this_thread::yield();
    Samples samples;
    for (const SampleBuffer& buffer : threads_->buffers) samples.add(buffer);
    threads_->buffers = {};
    samples.sort();
    return samples;
}

void HotSampler::Samples::add(const SampleBuffer& buffer) {
    const std::size_t seen = buffer.count, kept = std::min(seen, SampleBuffer::kRoom);
    dropped += seen - kept;
    addresses.insert(addresses.end(), buffer.addresses, buffer.addresses + kept);
}

void HotSampler::Samples::sort() {
    std::ranges::sort(addresses);
}

ObjectInMemory objectInMemory(const void* address) {
    struct Search {
        std::uint64_t wanted;
        ObjectInMemory found{};
    } search{reinterpret_cast<std::uint64_t>(address)};
    const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
        Search& s = *static_cast<Search*>(data);
        ObjectInMemory object{info->dlpi_addr, ~std::uint64_t{0}, 0};
        bool has = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& part = info->dlpi_phdr[i];
            if (part.p_type != PT_LOAD) continue;
            const std::uint64_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
            object.begin = std::min(object.begin, begin);
            object.end = std::max(object.end, end);
            has = has || (s.wanted >= begin && s.wanted < end);
        }
        if (has) s.found = object;
        return has ? 1 : 0;
    };
    dl_iterate_phdr(look, &search);
    return search.found;
}

HostSamples samplesIn(const HotSampler::Samples& samples, const ObjectInMemory& object) {
    HostSamples result;
    result.dropped = samples.dropped;
    for (const std::uint64_t address : samples.addresses) {
        if (address < object.begin || address >= object.end) {
            ++result.outside;
            continue;
        }
        const std::uint64_t own = address - object.base;
        if (result.at.empty() || result.at.back().address != own) result.at.push_back({own, 0});
        ++result.at.back().samples;
    }
    return result;
}

Result<HostSamples> samplePool(ThreadPool& pool, const void* function,
                               const std::function<void()>& work) {
    std::vector<pid_t> threads(static_cast<std::size_t>(pool.size()));
    pool.run([&](int worker) { threads[static_cast<std::size_t>(worker)] = gettid(); });
    auto sampler = HotSampler::start(threads, kSamplingTick);
    if (!sampler) return sampler.failure();
    work();
    const HotSampler::Samples samples = (*sampler)->stop();
    return samplesIn(samples, objectInMemory(function));
}

}  // namespace rayscope
