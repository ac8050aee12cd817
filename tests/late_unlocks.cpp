// Preloaded into the program by a test: every fourth time that a thread of llvmpipe unlocks a fence
// which has thereby been signalled, it comes 3 ms late. Counts fences that are destroyed meanwhile,
// and lets them wait. At the end three numbers go into the file that LATE_UNLOCKS names: unlocks
// that were late, mutexes that were destroyed, and how many of these were locked.

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr unsigned kMicroseconds = 3000;
std::atomic<long> late{0}, destroyed{0}, locked{0};

using MutexCall = int (*)(pthread_mutex_t*);

MutexCall next(const char* name) {
    return reinterpret_cast<MutexCall>(dlsym(RTLD_NEXT, name));
}

bool ofLlvmpipe() {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return std::strncmp(name, "llvmpipe", 8) == 0;
}

/// Behind the mutex of a fence come a condition, "issued", and how many threads have to signal it
/// and did so: here both of two (LP_NUM_THREADS=2).
bool isSignalledFence(const pthread_mutex_t* mutex) {
    int tail[3];
    std::memcpy(tail, reinterpret_cast<const char*>(mutex + 1) + sizeof(pthread_cond_t),
                sizeof tail);
    return tail[0] == 1 && tail[1] == 2 && tail[2] == 2;
}

bool isLocked(pthread_mutex_t* mutex) {
    return std::atomic_ref(mutex->__data.__lock).load() != 0;
}

struct AtTheEnd {
    ~AtTheEnd() {
        const char* path = std::getenv("LATE_UNLOCKS");
        std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
        if (file == nullptr) return;
        std::fprintf(file, "%ld %ld %ld\n", late.load(), destroyed.load(), locked.load());
        std::fclose(file);
    }
} atTheEnd;

}  // namespace

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
    static const MutexCall call = next("pthread_mutex_unlock");
    thread_local const bool watched = ofLlvmpipe();
    thread_local int count = 0;
    if (watched && isSignalledFence(mutex) && ++count % 4 == 0) {
        ++late;
        usleep(kMicroseconds);
    }
    return call(mutex);
}

extern "C" int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
    static const MutexCall call = next("pthread_mutex_destroy");
    ++destroyed;
    if (isLocked(mutex)) {
        ++locked;
        for (int i = 0; i < 100 && isLocked(mutex); ++i) usleep(kMicroseconds);
    }
    return call(mutex);
}
