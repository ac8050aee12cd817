#include "renderer/cpu/shared_arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace rayscope {

namespace {

/// Addresses that neither programs nor libraries are loaded at: far above a program's own heap, and
/// far below libraries and stacks.
constexpr std::uintptr_t kFirstAddress = 0x2000'0000'0000;
/// Twice an arena's size, so that a stray write beyond one does not meet the next.
constexpr std::uintptr_t kStride = 2 * SharedArena::kMostBytes;
constexpr int kArenas = 256;

[[noreturn]] void fail(int error) {
    throw std::runtime_error(
        fmt::format("there is no memory to share with an edited kernel: {}", std::strerror(error)));
}

/// MAP_FAILED where something is there already.
void* mapAt(std::uintptr_t address, int file, bool writable) {
    return mmap(reinterpret_cast<void*>(address), SharedArena::kMostBytes,
                writable ? PROT_READ | PROT_WRITE : PROT_READ,
                MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, file, 0);
}

}  // namespace

SharedArena::SharedArena() : file_(memfd_create("rayscope-arena", MFD_CLOEXEC)) {
    if (file_ < 0) fail(errno);
    for (int i = 0; i < kArenas; ++i) {
        void* const mapped =
            mapAt(kFirstAddress + static_cast<std::uintptr_t>(i) * kStride, file_, true);
        if (mapped == MAP_FAILED && errno == EEXIST) continue;
        if (mapped == MAP_FAILED) break;
        data_ = static_cast<unsigned char*>(mapped);
        // scenes of many megabytes would otherwise be slower there than in memory of one's own
        madvise(data_, kMostBytes, MADV_HUGEPAGE);
        return;
    }
    const int error = errno;
    close(file_);
    fail(error);
}

SharedArena::SharedArena(int file, std::uintptr_t address, bool writable) {
    void* const mapped = mapAt(address, file, writable);
    if (mapped == MAP_FAILED) fail(errno);
    data_ = static_cast<unsigned char*>(mapped);
}

SharedArena::~SharedArena() {
    munmap(data_, kMostBytes);
    if (file_ >= 0) close(file_);
}

void SharedArena::reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    if (bytes > kMostBytes) fail(ENOMEM);
    if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail(errno);
    bytes_ = bytes;
}

}  // namespace rayscope
