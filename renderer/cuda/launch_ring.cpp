#include "renderer/cuda/launch_ring.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "renderer/cuda/check.h"
#include "renderer/cuda/device_clock.h"

namespace rayscope {

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr size_t kCounterBytes = kCounters * sizeof(unsigned long long);

/// Between two queries of an event: short relative to a frame, long enough to leave the core idle.
constexpr auto kPollInterval = std::chrono::microseconds(50);

Rays raysOf(const unsigned long long* counters, const LaunchRecord& record) {
    Rays rays;
    rays.camera = counters[0] + record.hostCameraRays;
    rays.bounce = counters[1] - rays.camera;
    rays.shadow = counters[2] + record.hostShadowRays;
    for (int d = 0; d < kMaxDepth; ++d) rays.depth[d] = counters[3 + d];
    return rays;
}

}  // namespace

LaunchRing::LaunchRing() {
    check(cudaMalloc(&device_, kSlots * kCounterBytes), "allocate ray counters");
    check(cudaMallocHost(&host_, kSlots * kCounterBytes), "allocate ray counters");
    for (int i = 0; i < kSlots; ++i) {
        Slot& s = slots_[i];
        check(cudaEventCreate(&s.start), "create an event");
        check(cudaEventCreate(&s.stop), "create an event");
        check(cudaEventCreateWithFlags(&s.copied, cudaEventDisableTiming), "create an event");
        s.device = static_cast<unsigned long long*>(device_) + i * kCounters;
        s.host = static_cast<unsigned long long*>(host_) + i * kCounters;
    }
}

LaunchRing::~LaunchRing() {
    warn(cudaDeviceSynchronize(), "finish the last launches");
    for (Slot& s : slots_) {
        for (cudaEvent_t event : {s.start, s.stop, s.copied}) {
            if (event != nullptr) warn(cudaEventDestroy(event), "destroy an event");
        }
    }
    if (device_ != nullptr) warn(cudaFree(device_), "free ray counters");
    if (host_ != nullptr) warn(cudaFreeHost(host_), "free ray counters");
}

unsigned long long* LaunchRing::begin() {
    Slot& s = slots_[(oldest_ + used_) % kSlots];
    check(cudaMemsetAsync(s.device, 0, kCounterBytes), "clear ray counters");
    check(cudaEventRecord(s.start), "record an event");
    return s.device;
}

void LaunchRing::end(const LaunchRecord& record) {
    Slot& s = slots_[(oldest_ + used_) % kSlots];
    check(cudaEventRecord(s.stop), "record an event");
    check(cudaMemcpyAsync(s.host, s.device, kCounterBytes, cudaMemcpyDeviceToHost),
          "copy ray counters");
    check(cudaEventRecord(s.copied), "record an event");
    s.record = record;
    if (used_++ == 0) begun_ = Clock::now();
}

bool LaunchRing::takeFinished(FinishedLaunch& finished) {
    if (used_ == 0) return false;
    Slot& s = slots_[oldest_];
    const cudaError_t state = cudaEventQuery(s.copied);
    if (state == cudaErrorNotReady) {
        running_ = Clock::now();
        return false;
    }
    check(state, "run a kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, s.start, s.stop), "time a kernel");
    const bool host = s.record.kernelMs >= 0;  // its kernels have zones of their own
    if (!host) recordDeviceZone(s.record.name, s.start, s.stop);
    finished = {s.record, raysOf(s.host, s.record), host ? s.record.kernelMs : ms,
                host ? s.record.wallMs : ms};
    s.record = {};
    const auto took = std::chrono::duration_cast<Clock::duration>(Milliseconds(ms));
    begun_ = std::max(begun_ + took, running_);
    oldest_ = (oldest_ + 1) % kSlots;
    --used_;
    return true;
}

void LaunchRing::forget(const CudaSession& session) {
    for (Slot& s : slots_) {
        if (s.record.session == &session) s.record.session = nullptr;
    }
}

double LaunchRing::waitForOldest(double atMostMs) {
    const auto start = std::chrono::steady_clock::now();
    Milliseconds waited{0};
    while (used_ > 0 && waited.count() < atMostMs) {
        const cudaError_t state = cudaEventQuery(slots_[oldest_].copied);
        if (state != cudaErrorNotReady) {
            check(state, "run a kernel");
            break;
        }
        std::this_thread::sleep_for(kPollInterval);
        waited = std::chrono::steady_clock::now() - start;
    }
    return waited.count();
}

double LaunchRing::queuedMs() const {
    double sum = used_ == 0 ? 0
                            : -std::min(slots_[oldest_].record.expectedMs,
                                        std::max(millisecondsSince(begun_), 0.));
    for (int i = 0; i < used_; ++i) sum += slots_[(oldest_ + i) % kSlots].record.expectedMs;
    return sum;
}

}  // namespace rayscope
