#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "renderer/backend/path_memory.h"
#include "renderer/base/free_memory.h"
#include "renderer/choices/settings.h"

namespace rayscope {

/// Device memory that grows on demand.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    ~DeviceBuffer() { release(); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    /// Makes room for at least so many bytes; the contents are lost if it must grow. Returns false
    /// if the device has no room.
    bool reserve(size_t bytes);
    void release();
    unsigned char* data() const { return data_; }
    size_t size() const { return size_; }

private:
    unsigned char* data_ = nullptr;
    size_t size_ = 0;
};

/// Host memory that is copied to and from the device. Both kinds are kept while both are in use:
/// two pictures may take turns, and allocating hundreds of megabytes anew would delay every frame.
class HostBuffer {
public:
    HostBuffer() = default;
    ~HostBuffer() { release(); }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;

    /// Makes room for at least so many bytes of this kind; the contents are lost if it must grow.
    /// Throws std::runtime_error if there is no room.
    void reserve(HostMemory kind, size_t bytes);
    void release();
    /// The memory of the kind that was reserved last.
    unsigned char* data() { return kind_ == HostMemory::pinned ? pinned_ : pageable_.data(); }

private:
    void releasePinned();

    LastUse pageableUse_, pinnedUse_;
    std::vector<unsigned char> pageable_;
    unsigned char* pinned_ = nullptr;
    size_t pinnedSize_ = 0;
    HostMemory kind_ = HostMemory::pageable;
};

}  // namespace rayscope
