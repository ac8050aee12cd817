#pragma once

#include <cstdint>
#include <string>

// Zones, frames and counters on their way to Tracy. Built without it (RAYSCOPE_TRACY) nothing
// happens.

namespace rayscope {

bool hasTracy();
void tracyThread(const std::string& name);
/// Zones of one thread lie within each other.
void tracyBegin(const char* name);
void tracyEnd();
void tracyFrame();
void tracyCounter(const char* name, double value);
/// Times as of timelineNow(); zones of a track (kGpuTrack, kGlTrack) come in the order in which
/// they ran.
void tracyGpuZone(const char* name, std::int64_t began, std::int64_t ended, int track);

}  // namespace rayscope
