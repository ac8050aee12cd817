// Preloaded into the program by a test, which runs llvmpipe with two threads (LP_NUM_THREADS=2).
//
// Of a new mutex, the second unlock by a thread of llvmpipe is the one with which that thread has
// signalled a fence: each thread signals once. Every second such unlock comes 3 ms late. A mutex
// that is destroyed while an unlock of it is under way is the fault that the test looks for; here
// it waits, so that the program goes on. At the end the file that LATE_UNLOCKS names gets three
// numbers: unlocks that were late, mutexes that were destroyed, and how many of these too early.

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr unsigned kMicroseconds = 3000;
constexpr int kThreads = 2;
std::atomic<long> signalled{0}, late{0}, destroyed{0}, early{0};

/// The mutex whose unlock is late: one at a time.
std::atomic<pthread_mutex_t*> unlocking{nullptr};

/// New mutexes: the address plus how many unlocks by llvmpipe there have been. Without locks, since
/// unlocking calls this; where two share a place the earlier is forgotten.
std::array<std::atomic<std::uintptr_t>, 4096> young{};
static_assert(kThreads < alignof(pthread_mutex_t));

std::atomic<std::uintptr_t>& placeOf(std::uintptr_t address) {
    return young[address / alignof(pthread_mutex_t) % young.size()];
}

/// Whether it is the last of the unlocks that signal a fence.
bool signals(pthread_mutex_t* mutex) {
    const auto address = reinterpret_cast<std::uintptr_t>(mutex);
    std::atomic<std::uintptr_t>& place = placeOf(address);
    // who unlocks holds the mutex, so that nobody else counts
    const std::uintptr_t count = place.load() - address;
    if (count >= kThreads) return false;
    place = count + 1 < kThreads ? address + count + 1 : 0;
    return count + 1 == kThreads;
}

bool ofLlvmpipe() {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return std::strncmp(name, "llvmpipe", 8) == 0;
}

template <class Call>
Call next(const char* name) {
    return reinterpret_cast<Call>(dlsym(RTLD_NEXT, name));
}

struct AtTheEnd {
    ~AtTheEnd() {
        const char* path = std::getenv("LATE_UNLOCKS");
        std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
        if (file == nullptr) return;
        std::fprintf(file, "%ld %ld %ld\n", late.load(), destroyed.load(), early.load());
        std::fclose(file);
    }
} atTheEnd;

}  // namespace

extern "C" int pthread_mutex_init(pthread_mutex_t* mutex,
                                  const pthread_mutexattr_t* attributes) noexcept {
    static const auto call = next<decltype(&pthread_mutex_init)>("pthread_mutex_init");
    const auto address = reinterpret_cast<std::uintptr_t>(mutex);
    placeOf(address) = address;
    return call(mutex, attributes);
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    static const auto call = next<decltype(&pthread_mutex_unlock)>("pthread_mutex_unlock");
    thread_local const bool watched = ofLlvmpipe();
    if (!watched || !signals(mutex) || ++signalled % 2 != 0) return call(mutex);
    pthread_mutex_t* none = nullptr;
    if (!unlocking.compare_exchange_strong(none, mutex)) return call(mutex);
    ++late;
    usleep(kMicroseconds);
    const int result = call(mutex);
    unlocking = nullptr;
    return result;
}

extern "C" int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
    static const auto call = next<decltype(&pthread_mutex_destroy)>("pthread_mutex_destroy");
    ++destroyed;
    if (unlocking == mutex) {
        ++early;
        while (unlocking == mutex) usleep(kMicroseconds);
    }
    return call(mutex);
}
