#pragma once

#include <cuda_runtime_api.h>

namespace rayscope {

/// Whether anybody wants zones of the GPU; events that serve nothing else are recorded only then.
bool wantsDeviceZones();

/// Puts what ran between two timed events, which have passed, on the timeline (renderer/profile).
/// Called on the thread that renders, in the order in which things ran. Once a second an anchor
/// ties the GPU's clock to the CPU's: an event in a stream of its own, which waits for no kernel,
/// recorded between two looks at the CPU's clock. The clocks agree to half the time between these,
/// plus what they drift in a second. Where nobody wants zones nothing happens.
void recordDeviceZone(const char* name, cudaEvent_t began, cudaEvent_t ended);

}  // namespace rayscope
