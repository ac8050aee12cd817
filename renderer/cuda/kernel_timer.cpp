#include "renderer/cuda/kernel_timer.h"

#include "renderer/cuda/check.h"
#include "renderer/cuda/device_clock.h"

namespace rayscope {

KernelTimer::~KernelTimer() {
    for (const Span& s : spans_) {
        for (cudaEvent_t event : {s.began, s.ended}) {
            if (event != nullptr) warn(cudaEventDestroy(event), "destroy an event");
        }
    }
}

void KernelTimer::begin(const char* name, bool counts) {
    if (used_ == spans_.size()) {
        Span& s = spans_.emplace_back();
        check(cudaEventCreate(&s.began), "create an event");
        check(cudaEventCreate(&s.ended), "create an event");
    }
    Span& s = spans_[used_];
    s.name = name;
    s.counts = counts;
    check(cudaEventRecord(s.began), "record an event");
}

void KernelTimer::end() {
    check(cudaEventRecord(spans_[used_++].ended), "record an event");
}

double KernelTimer::take() {
    double sum = 0;
    for (size_t i = 0; i < used_; ++i) {
        const Span& s = spans_[i];
        float ms = 0;
        check(cudaEventSynchronize(s.ended), "run a kernel");
        check(cudaEventElapsedTime(&ms, s.began, s.ended), "time a kernel");
        recordDeviceZone(s.name, s.began, s.ended);
        if (s.counts) sum += ms;
    }
    used_ = 0;
    return sum;
}

CopyZone::CopyZone(KernelTimer& timer, const char* name)
    : timer_(wantsDeviceZones() ? &timer : nullptr) {
    if (timer_ != nullptr) timer_->begin(name, false);
}

CopyZone::~CopyZone() {
    if (timer_ == nullptr) return;
    // a failure comes back from the next call that is checked
    cudaEventRecord(timer_->spans_[timer_->used_++].ended);
}

}  // namespace rayscope
