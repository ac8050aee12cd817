#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "renderer/base/result.h"

namespace rayscope {

/// What this process could still allocate, in bytes: the least of what the system has available,
/// what its control groups (version 2) leave and what `ulimit -v` leaves. The largest number where
/// none of them can be read.
std::size_t availableMemory();

/// "11.3 GB", "331 kB": powers of 1000.
std::string bytesText(std::size_t bytes);

/// "8G", "500M", "1500k" or "1000000", in powers of 1000; fails on another text and on zero.
Result<std::size_t> bytesFrom(const std::string& text);

/// How much memory scenes, models and pictures may take. Whoever reads a file or makes a scene asks
/// before it allocates or unpacks, with all that it and the libraries under it will hold at once.
/// Any thread may ask.
class MemoryBudget {
public:
    static MemoryBudget& common();

    /// 0: half of what is available when it is first asked.
    void setLimit(std::size_t bytes) { limit_ = bytes; }

    /// Bytes that may still be allocated: the limit without what the process has taken since it
    /// was set, and no more than is available.
    std::size_t left();

    /// Fails if `what` ("the picture sky.exr") needs more bytes than left(), with both numbers and
    /// what to do.
    Result<void> check(std::size_t bytes, const std::string& what);

private:
    std::size_t limit();

    std::atomic<std::size_t> limit_{0}, taken_{0};  ///< `taken_`: before there was a limit
    std::atomic<bool> known_{false};
};

}  // namespace rayscope
