#include "renderer/cuda/build_timer.h"

#include "renderer/cuda/check.h"
#include "renderer/cuda/device_clock.h"

namespace rayscope {

BuildTimer::~BuildTimer() {
    for (const Part& p : parts_) warn(cudaEventDestroy(p.began), "destroy an event");
    for (cudaEvent_t event : {began_, ended_}) {
        if (event != nullptr) warn(cudaEventDestroy(event), "destroy an event");
    }
}

void BuildTimer::begin() {
    ms();
    timing_ = !pending_;
    if (!timing_) return;
    used_ = 0;
    for (cudaEvent_t* event : {&began_, &ended_}) {
        if (*event == nullptr) check(cudaEventCreate(event), "create an event");
    }
    check(cudaEventRecord(began_), "record an event");
}

void BuildTimer::part(const char* name) {
    if (!timing_ || !wantsDeviceZones()) return;
    if (used_ == parts_.size()) {
        Part p;
        check(cudaEventCreate(&p.began), "create an event");
        parts_.push_back(p);
    }
    parts_[used_].name = name;
    check(cudaEventRecord(parts_[used_++].began), "record an event");
}

void BuildTimer::end() {
    if (!timing_) return;
    check(cudaEventRecord(ended_), "record an event");
    timing_ = false;
    pending_ = true;
}

double BuildTimer::ms() {
    if (!pending_) return ms_;
    const cudaError_t state = cudaEventQuery(ended_);
    if (state == cudaErrorNotReady) return ms_;
    check(state, "build a hierarchy");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, began_, ended_), "time a build");
    for (size_t i = 0; i < used_; ++i)
        recordDeviceZone(parts_[i].name, parts_[i].began,
                         i + 1 < used_ ? parts_[i + 1].began : ended_);
    pending_ = false;
    return ms_ = ms;
}

}  // namespace rayscope
