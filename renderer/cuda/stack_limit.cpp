#include "renderer/cuda/stack_limit.h"

#include <algorithm>
#include <map>

#include "renderer/cuda/check.h"

namespace rayscope {

StackLimit& StackLimit::of(int device) {
    static std::mutex mutex;
    static std::map<int, StackLimit> limits;
    const std::lock_guard lock(mutex);
    StackLimit& limit = limits[device];
    if (limit.usual_ == 0) {
        check(cudaDeviceGetLimit(&limit.usual_, cudaLimitStackSize), "read the stack limit");
        limit.now_ = limit.usual_;
    }
    return limit;
}

cudaError_t StackLimit::prepare(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const size_t wanted = std::max(bytes, usual_);
    if (wanted >= now_) use_.isNow();
    if (wanted == now_ || (wanted < now_ && !use_.isLongAgo())) return cudaSuccess;
    return set(wanted);
}

cudaError_t StackLimit::release() {
    const std::lock_guard lock(mutex_);
    return now_ > usual_ ? set(usual_) : cudaSuccess;
}

cudaError_t StackLimit::set(size_t bytes) {
    const cudaError_t error = cudaDeviceSetLimit(cudaLimitStackSize, bytes);
    if (error == cudaSuccess) now_ = bytes;
    return error;
}

}  // namespace rayscope
