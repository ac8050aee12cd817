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
    if (bytes <= size_ && kind == kind_) return;
    release();
    kind_ = kind;
    if (kind == HostMemory::pinned) {
        check(cudaMallocHost(reinterpret_cast<void**>(&pinned_), bytes), "allocate pinned memory");
    } else {
        pageable_.resize(bytes);
    }
    size_ = bytes;
}

void HostBuffer::release() {
    if (pinned_ != nullptr) warn(cudaFreeHost(pinned_), "free pinned memory");
    pinned_ = nullptr;
    freeMemory(pageable_);
    size_ = 0;
}

}  // namespace rayscope
