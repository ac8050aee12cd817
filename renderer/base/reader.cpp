#include "renderer/base/reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>

#include "renderer/base/stop.h"

namespace rayscope {

const int kNobodyReads = ETIME;

namespace {

constexpr int kWaitMs = 50;
/// A reader that takes nothing for so long after an interrupt is given up.
constexpr int kPatienceMs = 400;

/// Counts how long nobody has read since an interrupt.
class Patience {
public:
    /// After another kWaitMs; false where it is at its end.
    bool waited() {
        if (stopAsked()) waited_ += kWaitMs;
        return waited_ < kPatienceMs;
    }
    void renew() { waited_ = 0; }

private:
    int waited_ = 0;
};

/// Whether a write may wait for somebody.
bool hasReader(int descriptor) {
    struct stat info {};
    return fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode);
}

ssize_t writeCookie(void* cookie, const char* bytes, std::size_t size) {
    const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(cookie));
    const int error = writeToReader(descriptor, {bytes, size});
    if (error == 0) return static_cast<ssize_t>(size);
    errno = error;
    return 0;  // as fopencookie(3) wants a failure
}

int closeCookie(void* cookie) {
    return close(static_cast<int>(reinterpret_cast<std::intptr_t>(cookie)));
}

}  // namespace

std::string errorText(int error) {
    return error == kNobodyReads ? "nobody reads it" : std::strerror(error);
}

int openForReader(const std::string& path) {
    Patience patience;
    while (true) {
        // a pipe without a reader fails with ENXIO instead of waiting where no interrupt is seen
        const int fd = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (fd >= 0) {
            fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
            return fd;
        }
        struct stat info {};
        const bool waits =
            errno == ENXIO && stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
        if (!waits && errno != EINTR) return -1;
        poll(nullptr, 0, kWaitMs);
        if (!patience.waited()) {
            errno = kNobodyReads;
            return -1;
        }
    }
}

int writeToReader(int descriptor, std::string_view bytes) {
    // a pipe with room takes PIPE_BUF bytes without waiting: pipe(7)
    const std::size_t most = hasReader(descriptor) ? PIPE_BUF : std::size_t{1} << 30;
    Patience patience;
    while (!bytes.empty()) {
        pollfd ready{descriptor, POLLOUT, 0};
        if (poll(&ready, 1, kWaitMs) <= 0) {  // below 0: a signal
            if (!patience.waited()) return kNobodyReads;
            continue;
        }
        const ssize_t n = write(descriptor, bytes.data(), std::min(bytes.size(), most));
        if (n < 0 && errno != EINTR && errno != EAGAIN) return errno;
        if (n <= 0) continue;
        bytes.remove_prefix(static_cast<std::size_t>(n));
        patience.renew();
    }
    return 0;
}

std::FILE* streamToReader(int descriptor) {
    if (descriptor < 0) return nullptr;
    void* const cookie = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
    std::FILE* const stream =
        fopencookie(cookie, "wb", {nullptr, writeCookie, nullptr, closeCookie});
    if (stream == nullptr) close(descriptor);
    return stream;
}

}  // namespace rayscope
