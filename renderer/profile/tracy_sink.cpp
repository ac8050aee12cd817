#include "renderer/profile/tracy_sink.h"

#ifdef RAYSCOPE_TRACY

#include <cstring>
#include <vector>

#include "renderer/profile/timeline.h"
// Tracy's C interface: zones with names that are known at run time only, and GPU zones from clocks
// that are not Tracy's own.
#include <tracy/TracyC.h>

#ifndef TRACY_ENABLE
#error "This Tracy was built without TRACY_ENABLE, and so does nothing: build it with that option"
#endif

namespace rayscope {

namespace {

constexpr char kFile[] = __FILE__;
/// GpuContextType::Custom of TracyQueue.hpp, which is no public header.
constexpr std::uint8_t kCustomContext = 7;
constexpr std::uint8_t kContext = 0;

thread_local std::vector<TracyCZoneCtx> openZones;

std::uint64_t placeOf(const char* name) {
    return ___tracy_alloc_srcloc_name(0, kFile, sizeof kFile - 1, name, std::strlen(name), name,
                                      std::strlen(name), 0);
}

/// Tells Tracy once which of its times our zero is.
void openContext() {
    static const bool open = [] {
        ___tracy_emit_gpu_new_context_serial({timelineNow(), 1.f, kContext, 0, kCustomContext});
        constexpr char name[] = "CUDA stream";
        ___tracy_emit_gpu_context_name_serial({kContext, name, sizeof name - 1});
        return true;
    }();
    (void)open;
}

}  // namespace

bool hasTracy() {
    return true;
}

void tracyThread(const std::string& name) {
    ___tracy_set_thread_name(name.c_str());
}

void tracyBegin(const char* name) {
    openZones.push_back(___tracy_emit_zone_begin_alloc(placeOf(name), 1));
}

void tracyEnd() {
    if (openZones.empty()) return;
    ___tracy_emit_zone_end(openZones.back());
    openZones.pop_back();
}

void tracyFrame() {
    ___tracy_emit_frame_mark(nullptr);
}

void tracyCounter(const char* name, double value) {
    ___tracy_emit_plot(name, value);
}

void tracyGpuZone(const char* name, std::int64_t began, std::int64_t ended) {
    openContext();
    static std::uint16_t query = 0;  // numbers return long after Tracy has had their times
    const std::uint16_t first = query++, second = query++;
    ___tracy_emit_gpu_zone_begin_alloc_serial({placeOf(name), first, kContext});
    ___tracy_emit_gpu_zone_end_serial({second, kContext});
    ___tracy_emit_gpu_time_serial({began, first, kContext});
    ___tracy_emit_gpu_time_serial({ended, second, kContext});
}

}  // namespace rayscope

#else

namespace rayscope {

bool hasTracy() {
    return false;
}
void tracyThread(const std::string&) {}
void tracyBegin(const char*) {}
void tracyEnd() {}
void tracyFrame() {}
void tracyCounter(const char*, double) {}
void tracyGpuZone(const char*, std::int64_t, std::int64_t) {}

}  // namespace rayscope

#endif
