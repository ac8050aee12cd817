#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <mutex>

#include "renderer/backend/path_memory.h"

namespace rayscope {

/// The room that a device has for the stack of every thread it holds. It belongs to the context,
/// which all renderers of the device share. A driver makes room by itself where the compiler knows
/// what a kernel needs, but gives nothing back (cudaDeviceSetLimit, cudaLimitStackSize).
class StackLimit {
public:
    /// That of a device; the first call finds what it has, and throws std::runtime_error.
    static StackLimit& of(int device);

    /// Makes room for so many bytes a thread; what no kernel has needed for a while goes back. The
    /// device is the calling thread's. Where it changes anything it waits for the launches so far.
    cudaError_t prepare(size_t bytes);
    /// Gives back all but what the device was found with, until the next prepare().
    cudaError_t release();

private:
    cudaError_t set(size_t bytes);

    std::mutex mutex_;
    size_t usual_ = 0;  ///< bytes a thread, as the device was found
    size_t now_ = 0;
    LastUse use_;  ///< of the whole of it
};

}  // namespace rayscope
