#include "renderer/cuda/path_buffers.h"

#include "renderer/cuda/check.h"

namespace rayscope {

bool DeviceBuffer::reserve(size_t bytes) {
    if (bytes <= size_) return true;
    release();
    const cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&data_), bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        data_ = nullptr;
        return false;
    }
    check(error, "allocate memory for paths");
    size_ = bytes;
    return true;
}

void DeviceBuffer::release() {
    if (data_ != nullptr) warn(cudaFree(data_), "free the memory of paths");
    data_ = nullptr;
    size_ = 0;
}

void HostBuffer::reserve(HostMemory kind, size_t bytes) {
    kind_ = kind;
    (kind == HostMemory::pinned ? pinnedUse_ : pageableUse_).isNow();
    if (pageableUse_.isLongAgo()) freeMemory(pageable_);
    if (pinnedUse_.isLongAgo()) releasePinned();
    if (kind == HostMemory::pageable) {
        if (bytes <= pageable_.size()) return;
        freeMemory(pageable_);
        pageable_.resize(bytes);
        return;
    }
    if (bytes <= pinnedSize_) return;
    releasePinned();
    check(cudaMallocHost(reinterpret_cast<void**>(&pinned_), bytes), "allocate pinned memory");
    pinnedSize_ = bytes;
}

void HostBuffer::release() {
    releasePinned();
    freeMemory(pageable_);
}

void HostBuffer::releasePinned() {
    if (pinned_ != nullptr) warn(cudaFreeHost(pinned_), "free pinned memory");
    pinned_ = nullptr;
    pinnedSize_ = 0;
}

}  // namespace rayscope
