#include "renderer/cpu/apart_end.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "renderer/cpu/apart_protocol.h"

namespace rayscope {

namespace {

std::string whatWasDenied(long call) {
    const auto is = [call](std::initializer_list<long> calls) {
        return std::ranges::find(calls, call) != calls.end();
    };
    if (is({SYS_mmap, SYS_brk, SYS_mremap, SYS_munmap}))
        return fmt::format("more memory than the {} MB that kernels have for themselves",
                           kOwnHeap >> 20);
    if (is({SYS_open,       SYS_openat, SYS_openat2,  SYS_creat,      SYS_stat,
            SYS_newfstatat, SYS_statx,  SYS_access,   SYS_faccessat,  SYS_readlink,
            SYS_readlinkat, SYS_unlink, SYS_unlinkat, SYS_rename,     SYS_renameat,
            SYS_renameat2,  SYS_mkdir,  SYS_mkdirat,  SYS_getdents64, SYS_chmod,
            SYS_fchmodat,   SYS_chdir}))
        return "a file";
    if (is({SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek,
            SYS_fstat, SYS_close, SYS_dup, SYS_dup2, SYS_dup3, SYS_fcntl, SYS_ioctl, SYS_sendfile}))
        return "a file or a terminal";
    if (is({SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto,
            SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_socketpair, SYS_shutdown}))
        return "the network";
    if (is({SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve, SYS_execveat}))
        return "another process or thread";
    if (is({SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigaction, SYS_ptrace, SYS_process_vm_readv,
            SYS_process_vm_writev}))
        return "power over processes";
    if (is({SYS_nanosleep, SYS_clock_nanosleep, SYS_pause, SYS_select, SYS_ppoll})) return "rest";
    return fmt::format("what kernels may not have (system call {})", call);
}

}  // namespace

std::string whyItEnded(int status, long denied) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == kDenied)
        return "was ended: it asked the system for " + whatWasDenied(denied);
    if (WIFEXITED(status))
        return fmt::format("has ended its process (exit code {})", WEXITSTATUS(status));
    if (!WIFSIGNALED(status)) return "has ended";
    switch (const int signal = WTERMSIG(status)) {
        case SIGSEGV:
        case SIGBUS:
            return "has crashed: it read or wrote where it has no memory";
        case SIGFPE:
            return "has crashed: it divided an integer by 0";
        case SIGILL:
            return "has crashed: it ran what is no instruction";
        case SIGSYS:
            return "was ended: it asked the system for what kernels may not have";
        case SIGKILL:
            return "was killed by the system (out of memory?)";
        default:
            return fmt::format("has crashed: {}", strsignal(signal));
    }
}

}  // namespace rayscope
