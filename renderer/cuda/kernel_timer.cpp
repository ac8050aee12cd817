#include "renderer/cuda/kernel_timer.h"

#include "renderer/cuda/check.h"
#include "renderer/cuda/device_clock.h"

namespace rayscope {

KernelTimer::~KernelTimer() {
    for (cudaEvent_t event : events_) warn(cudaEventDestroy(event), "destroy an event");
}

void KernelTimer::record() {
    if (used_ == events_.size()) {
        events_.push_back(nullptr);
        check(cudaEventCreate(&events_.back()), "create an event");
    }
    check(cudaEventRecord(events_[used_++]), "record an event");
}

double KernelTimer::take() {
    double sum = 0;
    for (size_t i = 0; i + 1 < used_; i += 2) {
        float ms = 0;
        check(cudaEventSynchronize(events_[i + 1]), "run a kernel");
        check(cudaEventElapsedTime(&ms, events_[i], events_[i + 1]), "time a kernel");
        recordDeviceZone("stage", events_[i], events_[i + 1]);
        sum += ms;
    }
    used_ = 0;
    return sum;
}

}  // namespace rayscope
