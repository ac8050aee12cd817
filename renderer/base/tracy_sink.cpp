#include "renderer/base/tracy_sink.h"

#ifdef RAYSCOPE_TRACY

#include <atomic>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "renderer/base/timeline.h"
// Tracy's C interface takes zone names at run time, and GPU zones by any clock.
#include <tracy/TracyC.h>

#ifndef TRACY_ENABLE
#error "This Tracy was built without TRACY_ENABLE, and so does nothing: build it with that option"
#endif

namespace rayscope {

namespace {

constexpr char kFile[] = __FILE__;
/// GpuContextType::Custom of TracyQueue.hpp, which is no public header.
constexpr std::uint8_t kCustomContext = 7;
constexpr std::string_view kContexts[] = {"CUDA stream", "OpenGL"};  ///< by track

thread_local std::vector<TracyCZoneCtx> openZones;

std::uint64_t placeOf(const char* name) {
    return ___tracy_alloc_srcloc_name(0, kFile, sizeof kFile - 1, name, std::strlen(name), name,
                                      std::strlen(name), 0);
}

/// Opens a context per track, and tells Tracy what its time is now by timelineNow().
bool openContexts() {
    for (std::uint8_t context = 0; context < std::size(kContexts); ++context) {
        const std::string_view name = kContexts[context];
        ___tracy_emit_gpu_new_context_serial({timelineNow(), 1.f, context, 0, kCustomContext});
        ___tracy_emit_gpu_context_name_serial(
            {context, name.data(), static_cast<std::uint16_t>(name.size())});
    }
    return true;
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

void tracyGpuZone(const char* name, std::int64_t began, std::int64_t ended, int track) {
    [[maybe_unused]] static const bool open = openContexts();
    // numbers wrap around long after Tracy has read the times that belong to them
    static std::atomic<std::uint16_t> queries[std::size(kContexts)];
    const auto context = static_cast<std::uint8_t>(track);
    const std::uint16_t first = queries[track].fetch_add(2);
    const auto second = static_cast<std::uint16_t>(first + 1);
    ___tracy_emit_gpu_zone_begin_alloc_serial({placeOf(name), first, context});
    ___tracy_emit_gpu_zone_end_serial({second, context});
    ___tracy_emit_gpu_time_serial({began, first, context});
    ___tracy_emit_gpu_time_serial({ended, second, context});
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
void tracyGpuZone(const char*, std::int64_t, std::int64_t, int) {}

}  // namespace rayscope

#endif
