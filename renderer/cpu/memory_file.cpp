#include "renderer/cpu/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace rayscope {

[[noreturn]] static void failToLoad() {
    throw std::runtime_error(fmt::format("a kernel cannot be loaded: {}", std::strerror(errno)));
}

MemoryFile::MemoryFile(std::string_view bytes)
    : file_(memfd_create("rayscope-kernel", MFD_CLOEXEC)) {
    if (file_ < 0) failToLoad();
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = write(file_, bytes.data() + done, bytes.size() - done);
        if (n <= 0) {
            close(file_);
            failToLoad();
        }
        done += static_cast<std::size_t>(n);
    }
}

MemoryFile::~MemoryFile() {
    close(file_);
}

std::string MemoryFile::path() const {
    return fmt::format("/proc/self/fd/{}", file_);
}

}  // namespace rayscope
