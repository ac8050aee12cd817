#pragma once

#include <cstdint>
#include <string>

// Sends zones, frames and counters to Tracy; does nothing in a build without it (RAYSCOPE_TRACY).

namespace rayscope {

bool hasTracy();
void tracyThread(const std::string& name);
/// Zones of one thread must nest.
void tracyBegin(const char* name);
void tracyEnd();
void tracyFrame();
void tracyCounter(const char* name, double value);
/// As recordGpuZone().
void tracyGpuZone(const char* name, std::int64_t began, std::int64_t ended, int track);

}  // namespace rayscope
