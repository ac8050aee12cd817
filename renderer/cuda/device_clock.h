#pragma once

#include <cuda_runtime_api.h>

namespace rayscope {

/// Whether any sink takes the GPU's zones; events that serve nothing else are recorded only then.
bool wantsDeviceZones();

/// Records a zone between two timed events, which must have passed, on the timeline
/// (renderer/base/timeline.h), if any sink takes it. Any thread may call it, each in the order in
/// which its things ran. Once a second an anchor ties the GPU's clock to the CPU's: an event
/// in a stream of its own, which waits for no kernel, recorded between two readings of the CPU's
/// clock. The error is half the time between these, plus the drift of the clocks in a second.
void recordDeviceZone(const char* name, cudaEvent_t began, cudaEvent_t ended);

}  // namespace rayscope
