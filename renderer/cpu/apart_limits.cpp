#include "renderer/cpu/apart_limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <stdexcept>

#include "renderer/cpu/apart_protocol.h"
#include "renderer/cpu/shared_arena.h"

namespace rayscope {

namespace {

/// What loading takes beside two arenas, threads' stacks included.
constexpr rlim_t kLoadingBytes = rlim_t{8} << 30;
constexpr rlim_t kFiles = 64;

long* deniedCall = nullptr;

/// The call has not been made. Safe in a handler: nothing but a store and a system call.
void noteDenied(int, siginfo_t* info, void*) {
    *deniedCall = info->si_syscall;
    syscall(SYS_exit_group, kDenied);
}

void limit(__rlimit_resource resource, rlim_t most) {
    const rlimit value{most, most};
    if (setrlimit(resource, &value) != 0)
        throw std::runtime_error(fmt::format("no limit can be set: {}", std::strerror(errno)));
}

/// The system calls that are permitted from now on, in addition to all filters before.
class CallFilter {
public:
    CallFilter() : filter_(seccomp_init(SCMP_ACT_TRAP)) {
        if (filter_ == nullptr) throw std::bad_alloc();
        check(seccomp_attr_set(filter_, SCMP_FLTATR_CTL_TSYNC, 1));
        // of other architectures, int 0x80 and x32: a thread that is lost would be waited for
        check(seccomp_attr_set(filter_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
        // kernels before 5.16 would otherwise slow all loads of a filtered process down
        seccomp_attr_set(filter_, SCMP_FLTATR_CTL_SSB, 1);
    }
    ~CallFilter() { seccomp_release(filter_); }
    CallFilter(const CallFilter&) = delete;
    CallFilter& operator=(const CallFilter&) = delete;

    void allow(std::initializer_list<int> calls) {
        for (const int call : calls) check(seccomp_rule_add(filter_, SCMP_ACT_ALLOW, call, 0));
    }
    template <class... Conditions>
    void allowIf(int call, Conditions... conditions) {
        check(
            seccomp_rule_add(filter_, SCMP_ACT_ALLOW, call, sizeof...(conditions), conditions...));
    }
    void load() { check(seccomp_load(filter_)); }

private:
    static void check(int result) {
        if (result < 0)
            throw std::runtime_error(
                fmt::format("the system takes no filter of its calls: {}", std::strerror(-result)));
    }

    scmp_filter_ctx filter_;
};

/// What both filters let through.
void allowCommon(CallFilter& filter) {
    filter.allow({SCMP_SYS(futex), SCMP_SYS(clock_gettime), SCMP_SYS(sched_yield),
                  SCMP_SYS(madvise), SCMP_SYS(exit_group), SCMP_SYS(rt_sigreturn),
                  SCMP_SYS(rt_sigprocmask), SCMP_SYS(restart_syscall), SCMP_SYS(getpid),
                  SCMP_SYS(gettid), SCMP_SYS(getrandom), SCMP_SYS(poll)});
    // abort()
    filter.allowIf(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())),
                   SCMP_A2(SCMP_CMP_EQ, SIGABRT));
    filter.allowIf(SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, kChannel));
}

}  // namespace

void fillHeap() {
    constexpr int kMostInHeap = 32 << 20;  // the library allows no more
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, kMostInHeap);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, static_cast<int>(kOwnHeap));
    void* volatile some = std::malloc(kMostInHeap / 2);
    std::free(some);
    mallopt(M_TOP_PAD, 0);
}

void limitResources() {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, kFiles);
    limit(RLIMIT_NPROC, 0);
#ifndef __SANITIZE_ADDRESS__  // which has reserved terabytes
    limit(RLIMIT_AS, 2 * SharedArena::kMostBytes + kLoadingBytes);
#endif
}

void allowLoading(long& denied) {
    deniedCall = &denied;
    struct sigaction action {};
    action.sa_sigaction = noteDenied;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGSYS, &action, nullptr) != 0) throw std::runtime_error("no signal handler");
    CallFilter filter;
    allowCommon(filter);
    filter.allow({SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
                  SCMP_SYS(newfstatat), SCMP_SYS(stat), SCMP_SYS(close), SCMP_SYS(mmap),
                  SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(brk), SCMP_SYS(seccomp),
                  SCMP_SYS(prctl), SCMP_SYS(readlink), SCMP_SYS(access), SCMP_SYS(timer_settime)});
    constexpr scmp_datum_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    filter.allowIf(SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, kWrites, 0));
    filter.load();
}

void allowComputing() {
    CallFilter filter;
    allowCommon(filter);
    filter.allowIf(SCMP_SYS(read), SCMP_A0(SCMP_CMP_EQ, kChannel));
    filter.allow({SCMP_SYS(timer_settime)});  // of timers that were made before: the sampler's
    filter.load();
}

}  // namespace rayscope
