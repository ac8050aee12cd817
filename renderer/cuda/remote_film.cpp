#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "renderer/backend/film_memory.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/compiler.h"
#include "renderer/cuda/film_adder.h"

namespace rayscope {

namespace {

void useDevice(int number) {
    check(cudaSetDevice(number), "use the device");
}

/// Lets a GPU write into the memory of another; false if it cannot.
bool reaches(int from, int to) {
    int can = 0;
    check(cudaDeviceCanAccessPeer(&can, from, to), "ask whether GPUs reach each other");
    if (can == 0) return false;
    useDevice(from);
    const cudaError_t enabled = cudaDeviceEnablePeerAccess(to, 0);
    if (enabled != cudaSuccess) cudaGetLastError();
    return enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled;
}

int architectureOf(int device) {
    int major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
          "ask for the compute capability");
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
          "ask for the compute capability");
    const Result<CompilerInfo> info = compilerInfo();
    return info ? architectureFor(10 * major + minor, *info) : 0;
}

/// An event without a time.
class Mark {
public:
    ~Mark() {
        if (event_ != nullptr) warn(cudaEventDestroy(event_), "destroy an event");
    }
    /// In a stream of the calling thread's device, always of the same.
    void record(cudaStream_t stream) {
        if (event_ == nullptr)
            check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "make an event");
        check(cudaEventRecord(event_, stream), "record an event");
    }
    /// The stream goes on when the mark is reached, if it has ever been set.
    void holdUp(cudaStream_t stream) const {
        if (event_ != nullptr) check(cudaStreamWaitEvent(stream, event_, 0), "wait for a film");
    }
    bool reached() const {
        const cudaError_t error = event_ == nullptr ? cudaSuccess : cudaEventQuery(event_);
        if (error != cudaErrorNotReady) check(error, "bring a film to another GPU");
        return error == cudaSuccess;
    }
    void wait() const {
        if (event_ != nullptr) check(cudaEventSynchronize(event_), "bring a film to another GPU");
    }
    void waitToFree() const noexcept {
        if (event_ != nullptr) warn(cudaEventSynchronize(event_), "bring a film to another GPU");
    }

private:
    cudaEvent_t event_ = nullptr;
};

/// What sums have in common: the memory on `to` where films arrive.
class RemoteFilm : public PartFilm {
public:
    explicit RemoteFilm(int to) : to_(to), adder_(architectureOf(to)) {}
    ~RemoteFilm() override {
        copied_.waitToFree();
        warn(cudaSetDevice(to_), "use the device");
        if (arrival_ != nullptr) warn(cudaFree(arrival_), "free a film");
    }

    Result<void> begin(int width, int height) override {
        pixels_ = width * height;
        if (pixels_ <= capacity_) return {};
        wait();
        free();
        useDevice(to_);
        capacity_ = 0;
        cudaError_t error = allocate(&arrival_);
        if (error == cudaSuccess) error = allocateFilm();
        if (error == cudaSuccess) {
            capacity_ = pixels_;
            return {};
        }
        cudaGetLastError();
        free();
        return Failure{fmt::format("it has no memory for a film of {} x {} pixels ({})", width,
                                   height, cudaGetErrorString(error))};
    }
    Pixel* pixels() override { return film_; }
    bool arrived() override { return copied_.reached(); }
    void wait() override { copied_.wait(); }
    void drop() override {}
    void add(Pixel* film, Pixel* rest) override {
        useDevice(to_);
        copied_.holdUp(nullptr);
        adder_.add(film, rest, arrival_, pixels_);
        added_.record(nullptr);
    }

protected:
    std::size_t bytes() const { return sizeof(Pixel) * static_cast<std::size_t>(pixels_); }
    /// For the present size, on the calling thread's device.
    cudaError_t allocate(Pixel** pixels) const {
        return cudaMalloc(reinterpret_cast<void**>(pixels), bytes());
    }
    virtual cudaError_t allocateFilm() = 0;
    virtual void freeFilm() = 0;

    const int to_;
    Pixel *film_ = nullptr, *arrival_ = nullptr;
    Mark copied_, added_;

private:
    void free() {
        freeFilm();
        useDevice(to_);
        if (arrival_ != nullptr) check(cudaFree(arrival_), "free a film");
        arrival_ = nullptr;
    }

    FilmAdder adder_;
    int pixels_ = 0, capacity_ = 0;
};

class FilmOfGpu : public RemoteFilm {
public:
    FilmOfGpu(int from, int to)
        : RemoteFilm(to),
          from_(from),
          direct_(from != to && reaches(from, to) && reaches(to, from)) {}
    ~FilmOfGpu() override {
        warn(cudaSetDevice(from_), "use the device");
        if (film_ != nullptr) warn(cudaFree(film_), "free a film");
    }

    void send() override {
        useDevice(from_);
        added_.holdUp(nullptr);
        if (from_ == to_) {
            check(cudaMemcpyAsync(arrival_, film_, bytes(), cudaMemcpyDeviceToDevice),
                  "copy a film");
        } else {
            check(cudaMemcpyPeerAsync(arrival_, to_, film_, from_, bytes(), nullptr),
                  "copy a film to another GPU");
        }
        copied_.record(nullptr);
        check(cudaMemsetAsync(film_, 0, bytes()), "clear a film");
    }
    std::string way() const override {
        return from_ == to_ ? "on the same GPU" : direct_ ? "peer copy" : "through the host";
    }

private:
    cudaError_t allocateFilm() override {
        useDevice(from_);
        return allocate(&film_);
    }
    void freeFilm() override {
        useDevice(from_);
        if (film_ != nullptr) check(cudaFree(film_), "free a film");
        film_ = nullptr;
    }

    int from_;
    bool direct_;
};

/// In pinned memory, and a copy of it that the GPU reads while the CPU goes on.
class FilmOfHost : public RemoteFilm {
public:
    explicit FilmOfHost(int to) : RemoteFilm(to) {
        useDevice(to);
        // beside the kernels of the legacy default stream
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "make a stream");
    }
    ~FilmOfHost() override {
        copied_.waitToFree();
        warn(cudaSetDevice(to_), "use the device");
        for (Pixel* pixels : {film_, leaving_})
            if (pixels != nullptr) warn(cudaFreeHost(pixels), "free pinned memory");
        warn(cudaStreamDestroy(stream_), "destroy a stream");
    }

    void send() override {
        useDevice(to_);
        copied_.wait();
        std::memcpy(leaving_, film_, bytes());
        std::memset(film_, 0, bytes());
        added_.holdUp(stream_);
        check(cudaMemcpyAsync(arrival_, leaving_, bytes(), cudaMemcpyHostToDevice, stream_),
              "copy a film to the GPU");
        copied_.record(stream_);
    }
    std::string way() const override { return "through the host"; }

private:
    cudaError_t allocateFilm() override {
        const cudaError_t error = cudaMallocHost(reinterpret_cast<void**>(&film_), bytes());
        if (error != cudaSuccess) return error;
        return cudaMallocHost(reinterpret_cast<void**>(&leaving_), bytes());
    }
    void freeFilm() override {
        for (Pixel** pixels : {&film_, &leaving_}) {
            if (*pixels != nullptr) check(cudaFreeHost(*pixels), "free pinned memory");
            *pixels = nullptr;
        }
    }

    cudaStream_t stream_ = nullptr;
    Pixel* leaving_ = nullptr;
};

}  // namespace

std::unique_ptr<PartFilm> makeRemoteFilm(int from, int to) {
    if (from == kHost) return std::make_unique<FilmOfHost>(to);
    return std::make_unique<FilmOfGpu>(from, to);
}

}  // namespace rayscope
