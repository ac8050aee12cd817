#include "renderer/cuda/build_timer.h"

#include "renderer/cuda/check.h"
#include "renderer/cuda/device_clock.h"

namespace rayscope {

BuildTimer::~BuildTimer() {
    for (cudaEvent_t event : {began_, ended_}) {
        if (event != nullptr) warn(cudaEventDestroy(event), "destroy an event");
    }
}

void BuildTimer::begin() {
    ms();
    timing_ = !pending_;
    if (!timing_) return;
    for (cudaEvent_t* event : {&began_, &ended_}) {
        if (*event == nullptr) check(cudaEventCreate(event), "create an event");
    }
    check(cudaEventRecord(began_), "record an event");
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
    recordDeviceZone("build hierarchy", began_, ended_);
    pending_ = false;
    return ms_ = ms;
}

}  // namespace rayscope
