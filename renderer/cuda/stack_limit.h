#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <mutex>

#include "renderer/backend/path_memory.h"

namespace rayscope {

/// The memory that a device reserves for the stacks of its threads (cudaLimitStackSize). It belongs
/// to the context, which all renderers of the device share. The driver reserves by itself what the
/// compiler knows that a kernel needs, but never frees it.
class StackLimit {
public:
    /// The limit of a device, which must be the calling thread's. Throws std::runtime_error.
    static StackLimit& of(int device);
    /// Reserves so many bytes per thread, and frees what no kernel has needed for a while. If it
    /// changes the limit, it waits for the launches so far.
    cudaError_t prepare(size_t bytes);
    /// Sets the limit back to what it was at first, until the next prepare().
    cudaError_t release();

private:
    cudaError_t set(size_t bytes);

    std::mutex mutex_;
    size_t usual_ = 0;  ///< bytes per thread at first
    size_t now_ = 0;
    LastUse use_;  ///< of all of now_
};

}  // namespace rayscope
