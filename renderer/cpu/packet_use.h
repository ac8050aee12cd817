#pragma once

#include "renderer/backend/renderer.h"
#include "renderer/base/thread_pool.h"
#include "renderer/cpu/host_scene.h"

namespace rayscope {

/// Traces so many samples of a picture with Engine::packets and reads its counts. Returns early,
/// with lanes 0, when asked to stop.
PacketUse packetUse(const Settings& settings, HostScene& scene, const Camera& camera, int width,
                    int height, int samples, ThreadPool& pool, const std::stop_token& stop);

}  // namespace rayscope
