#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/cpu/cpu_session.h"

namespace rayscope {

/// Traces so many samples of a picture with Engine::packets and reads its counts. Returns early,
/// with lanes 0, when asked to stop.
PacketUse packetUse(const Settings& settings, CpuCore& core, const Camera& camera, int width,
                    int height, int samples, const std::stop_token& stop);

}  // namespace rayscope
