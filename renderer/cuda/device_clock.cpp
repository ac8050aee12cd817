#include "renderer/cuda/device_clock.h"

#include <map>
#include <mutex>
#include <utility>

#include "renderer/base/timeline.h"

namespace rayscope {

namespace {

constexpr std::int64_t kAnchorLife = 1'000'000'000;  ///< nanoseconds
/// Of so many trials the shortest counts; others may have been interrupted.
constexpr int kTrials = 8;

/// An event and the time of the CPU when it passed.
struct Anchor {
    cudaEvent_t event = nullptr;
    std::int64_t time = 0;
    std::int64_t error = 0;
};

/// Never destroyed, because the context may be gone by then. Errors are not reported here: they
/// also reach the renderer, which reports them.
class DeviceClock {
public:
    /// False if CUDA has failed.
    bool ready() {
        const bool fresh = anchor_.time > 0 && timelineNow() - anchor_.time < kAnchorLife;
        return fresh || (open() && anchor());
    }

    bool convert(cudaEvent_t event, std::int64_t& time) const {
        float ms = 0;
        if (cudaEventElapsedTime(&ms, anchor_.event, event) != cudaSuccess) return false;
        time = anchor_.time + static_cast<std::int64_t>(1e6 * static_cast<double>(ms));
        return true;
    }

private:
    bool open() {
        if (trial_ != nullptr) return true;
        return cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess &&
               cudaEventCreate(&anchor_.event) == cudaSuccess &&
               cudaEventCreate(&trial_) == cudaSuccess;
    }

    bool anchor() {
        anchor_.time = 0;
        for (int i = 0; i < kTrials; ++i) {
            const std::int64_t before = timelineNow();
            if (cudaEventRecord(trial_, stream_) != cudaSuccess) return false;
            cudaError_t state = cudaErrorNotReady;
            while (state == cudaErrorNotReady) state = cudaEventQuery(trial_);
            if (state != cudaSuccess) return false;
            const std::int64_t error = (timelineNow() - before) / 2;
            if (anchor_.time > 0 && error >= anchor_.error) continue;
            anchor_.time = before + error;
            anchor_.error = error;
            std::swap(anchor_.event, trial_);
        }
        setGpuErrorMs(static_cast<double>(anchor_.error) / 1e6);
        return true;
    }

    cudaStream_t stream_ = nullptr;
    Anchor anchor_;
    cudaEvent_t trial_ = nullptr;
};

/// The clock of the calling thread's device.
DeviceClock& deviceClock() {
    static std::map<int, DeviceClock>& clocks = *new std::map<int, DeviceClock>;
    int device = 0;
    cudaGetDevice(&device);
    return clocks[device];
}

}  // namespace

bool wantsDeviceZones() {
    return zonesGoTo(kToMemory | kToTracy);
}

void recordDeviceZone(const char* name, cudaEvent_t began, cudaEvent_t ended) {
    if (!wantsDeviceZones()) return;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::int64_t first = 0, last = 0;
    DeviceClock& clock = deviceClock();
    if (!clock.ready() || !clock.convert(began, first) || !clock.convert(ended, last)) return;
    recordGpuZone(name, first, last);
}

}  // namespace rayscope
