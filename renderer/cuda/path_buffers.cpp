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
    pageable_ = {};
    size_ = 0;
}

PathMemory layOut(const PathBytes& bytes, int capacity, unsigned char* block) {
    const auto take = [&](int each) -> unsigned char* {
        if (each == 0) return nullptr;
        unsigned char* const array = block;
        block += static_cast<size_t>(each) * capacity;
        return array;
    };
    PathMemory m{};
    m.rays = take(bytes.ray);
    m.hits = take(bytes.hit);
    m.samples = take(bytes.sample);
    m.random = reinterpret_cast<unsigned*>(take(bytes.random));
    m.from = reinterpret_cast<int*>(take(bytes.from));
    m.sampled = take(bytes.sampled);
    m.alive = take(bytes.alive);
    m.capacity = capacity;
    return m;
}

size_t blockBytes(const PathBytes& bytes, int capacity) {
    return static_cast<size_t>(total(bytes)) * capacity;
}

}  // namespace rayscope
