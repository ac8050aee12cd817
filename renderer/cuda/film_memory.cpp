#include "renderer/backend/film_memory.h"

#include <fmt/format.h>

// cuda_gl_interop.h includes this; only the integer types of it are used
#include <GL/gl.h>

#include <array>
#include <utility>

#include "renderer/cuda/check.h"
#include "renderer/cuda/device_clock.h"
// after GL/gl.h
#include <cuda_gl_interop.h>

namespace rayscope {

namespace {

/// A copy of the film in pinned host memory, with events at its beginning and end.
struct HostCopy {
    Pixel* pixels = nullptr;
    cudaEvent_t began = nullptr, done = nullptr;
    bool pending = false;
    bool timed = false;  ///< `began` has been recorded
};

}  // namespace

struct DeviceFilm::Parts {
    Pixel* pixels = nullptr;
    int width = 0, height = 0;
    std::array<HostCopy, 2> copies;
    int next = 0;     ///< where the next copy goes
    int newest = -1;  ///< the newest complete copy

    size_t bytes() const { return size_t{1} * width * height * sizeof(Pixel); }

    cudaError_t allocate() {
        cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&pixels), bytes());
        for (HostCopy& c : copies) {
            if (error == cudaSuccess) {
                error = cudaMallocHost(reinterpret_cast<void**>(&c.pixels), bytes());
            }
            for (cudaEvent_t* event : {&c.began, &c.done}) {
                if (error == cudaSuccess) error = cudaEventCreate(event);
            }
        }
        return error;
    }

    /// Marks the copies whose events have passed.
    void collect(bool wait) {
        for (int k = 0; k < 2; ++k) {
            const int i = (next + k) % 2;  // the older one first
            HostCopy& c = copies[i];
            if (!c.pending) continue;
            const cudaError_t error = wait ? cudaEventSynchronize(c.done) : cudaEventQuery(c.done);
            if (error == cudaErrorNotReady) continue;
            check(error, "copy the film to the host");
            if (c.timed) recordDeviceZone("copy to host", c.began, c.done);
            c.pending = false;
            newest = i;
        }
    }

    ~Parts() {
        for (HostCopy& c : copies) {
            if (c.pending) warn(cudaEventSynchronize(c.done), "finish copying the film");
            for (cudaEvent_t event : {c.began, c.done}) {
                if (event != nullptr) warn(cudaEventDestroy(event), "destroy an event");
            }
            if (c.pixels != nullptr) warn(cudaFreeHost(c.pixels), "free pinned memory");
        }
        if (pixels != nullptr) warn(cudaFree(pixels), "free the film");
    }
};

DeviceFilm::DeviceFilm() = default;
DeviceFilm::~DeviceFilm() = default;
DeviceFilm::DeviceFilm(DeviceFilm&&) noexcept = default;
DeviceFilm& DeviceFilm::operator=(DeviceFilm&&) noexcept = default;

Result<void> DeviceFilm::allocate(int width, int height) {
    parts_.reset();
    auto parts = std::make_unique<Parts>();
    parts->width = width;
    parts->height = height;
    const cudaError_t error = parts->allocate();
    if (error == cudaSuccess) {
        parts_ = std::move(parts);
        clear();
        return {};
    }
    cudaGetLastError();
    const double mebibytes = static_cast<double>(parts->bytes()) / (1 << 20);
    if (error == cudaErrorMemoryAllocation) {
        return Failure{
            fmt::format("a film of {} x {} pixels needs {:.0f} MiB, which the GPU does not have "
                        "free: choose a smaller picture",
                        width, height, mebibytes)};
    }
    return Failure{fmt::format("CUDA could not allocate a film of {} x {} pixels: {}", width,
                               height, cudaGetErrorString(error))};
}

void DeviceFilm::release() {
    parts_.reset();
}
Pixel* DeviceFilm::pixels() const {
    return parts_ ? parts_->pixels : nullptr;
}
int DeviceFilm::width() const {
    return parts_ ? parts_->width : 0;
}
int DeviceFilm::height() const {
    return parts_ ? parts_->height : 0;
}

void DeviceFilm::clear() {
    if (parts_) check(cudaMemsetAsync(parts_->pixels, 0, parts_->bytes()), "clear the film");
}

void DeviceFilm::upload(const Pixel* pixels) {
    check(parts_ ? cudaSuccess : cudaErrorInvalidValue, "fill a film that has no memory");
    // returns once the pixels have been read; runs after the launches so far
    check(cudaMemcpy(parts_->pixels, pixels, parts_->bytes(), cudaMemcpyHostToDevice),
          "bring the film to the device");
}

bool DeviceFilm::startCopy() {
    if (!parts_) return false;
    parts_->collect(false);
    HostCopy& c = parts_->copies[parts_->next];
    if (c.pending) return false;
    c.timed = wantsDeviceZones();
    if (c.timed) check(cudaEventRecord(c.began), "record an event");
    check(cudaMemcpyAsync(c.pixels, parts_->pixels, parts_->bytes(), cudaMemcpyDeviceToHost),
          "copy the film to the host");
    check(cudaEventRecord(c.done), "record an event");
    c.pending = true;
    if (parts_->newest == parts_->next) parts_->newest = -1;  // overwritten
    parts_->next = 1 - parts_->next;
    return true;
}

const Pixel* DeviceFilm::copy() {
    if (!parts_) return nullptr;
    parts_->collect(false);
    return parts_->newest < 0 ? nullptr : parts_->copies[parts_->newest].pixels;
}

const Pixel* DeviceFilm::waitForCopy() {
    if (!parts_) return nullptr;
    parts_->collect(true);
    return parts_->newest < 0 ? nullptr : parts_->copies[parts_->newest].pixels;
}

struct InteropBuffer::Parts {
    cudaGraphicsResource_t resource = nullptr;
    bool mapped = false;

    ~Parts() {
        if (mapped) warn(cudaGraphicsUnmapResources(1, &resource), "unmap the OpenGL buffer");
        warn(cudaGraphicsUnregisterResource(resource), "unregister the OpenGL buffer");
    }
};

InteropBuffer::InteropBuffer() = default;
InteropBuffer::~InteropBuffer() = default;
InteropBuffer::InteropBuffer(InteropBuffer&&) noexcept = default;
InteropBuffer& InteropBuffer::operator=(InteropBuffer&&) noexcept = default;

Result<void> InteropBuffer::registerBuffer(unsigned buffer) {
    parts_.reset();
    int current = -1;
    if (cudaGetDevice(&current) != cudaSuccess) {
        cudaGetLastError();
        return Failure{"display=interop: there is no CUDA device"};
    }
    unsigned count = 0;
    std::array<int, 16> devices{};
    const cudaError_t listed =
        cudaGLGetDevices(&count, devices.data(), devices.size(), cudaGLDeviceListAll);
    bool same = false;
    for (unsigned i = 0; listed == cudaSuccess && i < count; ++i) same |= devices[i] == current;
    if (!same) {
        cudaGetLastError();
        return Failure{
            "display=interop: OpenGL does not run on the CUDA device (another GPU, a remote "
            "display or software OpenGL): use display=copy"};
    }
    cudaGraphicsResource_t resource = nullptr;
    const cudaError_t error =
        cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone);
    if (error != cudaSuccess) {
        cudaGetLastError();
        return Failure{
            fmt::format("display=interop: CUDA could not register the OpenGL buffer ({}): use "
                        "display=copy",
                        cudaGetErrorString(error))};
    }
    parts_ = std::make_unique<Parts>();
    parts_->resource = resource;
    return {};
}

void InteropBuffer::release() {
    parts_.reset();
}
bool InteropBuffer::registered() const {
    return parts_ != nullptr;
}

Pixel* InteropBuffer::map() {
    check(parts_ ? cudaSuccess : cudaErrorInvalidResourceHandle,
          "map a buffer that is not registered");
    if (!parts_->mapped) {
        check(cudaGraphicsMapResources(1, &parts_->resource), "map the OpenGL buffer");
        parts_->mapped = true;
    }
    void* pointer = nullptr;
    size_t bytes = 0;
    check(cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, parts_->resource),
          "get the address of the OpenGL buffer");
    return static_cast<Pixel*>(pointer);
}

void InteropBuffer::unmap() {
    if (!parts_ || !parts_->mapped) return;
    parts_->mapped = false;
    check(cudaGraphicsUnmapResources(1, &parts_->resource), "unmap the OpenGL buffer");
}

}  // namespace rayscope
