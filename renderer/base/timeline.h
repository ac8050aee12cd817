#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

// Zones: named spans of time on the CPU's threads and on the GPU, kept for the last frames and
// passed on to tools (NVTX, Tracy).

namespace rayscope {

/// Where zones go, as bits.
enum ZoneSink : unsigned { kToMemory = 1, kToNvtx = 2, kToTracy = 4 };

/// Switches a sink on or off; no effect if this build lacks it. NVTX is on from the start: without
/// a tool attached it adds a few nanoseconds to a zone.
void setZoneSink(ZoneSink sink, bool on);

namespace detail {
extern std::atomic<unsigned> zoneSinks;
void beginZone(const char* name);
void endZone(const char* name, std::int64_t began);
}  // namespace detail

inline bool zonesGoTo(unsigned sinks) {
    return (detail::zoneSinks.load(std::memory_order_relaxed) & sinks) != 0;
}

/// Nanoseconds of std::chrono::steady_clock, the clock of everything below.
std::int64_t timelineNow();

/// A zone from here to the end of the block, on this thread. The name must live as long as the
/// program.
class Zone {
public:
    explicit Zone(const char* name) {
        if (!zonesGoTo(~0u)) return;
        name_ = name;
        detail::beginZone(name);
        if (zonesGoTo(kToMemory)) began_ = timelineNow();
    }
    ~Zone() {
        if (name_ != nullptr) detail::endZone(name_, began_);
    }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

private:
    const char* name_ = nullptr;
    std::int64_t began_ = -1;  ///< below 0: not for memory
};

/// Names the calling thread's track; after the thread has ended, the next one of that name takes
/// over the track. A thread without a name is "main".
void nameThread(const std::string& name);

/// Marks the end of a displayed frame.
void markFrame();

/// Records a value that holds from now on.
void recordCounter(const char* name, double value);

/// Records the counter "rays/s".
inline void recordRate(std::uint64_t rays, double kernelMs) {
    if (kernelMs > 0) recordCounter("rays/s", 1e3 * static_cast<double>(rays) / kernelMs);
}

/// The GPU's tracks: kernels and copies, and what OpenGL draws. The threads' tracks follow.
inline constexpr int kGpuTrack = 0, kGlTrack = 1;
inline constexpr bool ofGpu(int track) {
    return track <= kGlTrack;
}

/// Records finished work of the GPU, in times of timelineNow(). Call it for the zones of a track in
/// the order in which they ran.
void recordGpuZone(const char* name, std::int64_t began, std::int64_t ended, int track = kGpuTrack);

struct TimelineEvent {
    enum class Kind : std::uint8_t { zone, frame, counter };
    Kind kind = Kind::zone;
    int track = 0;  ///< index into Timeline::tracks
    const char* name = "";
    std::int64_t began = 0, ended = 0;  ///< nanoseconds; equal except for zones
    double value = 0;                   ///< of a counter
};

/// A copy of the events in memory.
struct Timeline {
    std::vector<std::string> tracks;  ///< the GPU's, then the threads'
    /// Sorted by their beginnings, enclosing zones first. Zones of one track are disjoint or
    /// nested.
    std::vector<TimelineEvent> events;
    std::int64_t began = 0;     ///< when recording began; no event is earlier
    std::int64_t ended = 0;     ///< when the copy was made
    std::uint64_t dropped = 0;  ///< events overwritten by later ones
    /// How far the GPU's zones may be off relative to the CPU's; below 0: there are none.
    double gpuErrorMs = -1;
};

/// Events kept for the window: about ten seconds of frames.
inline constexpr std::size_t kTimelineEvents = std::size_t{1} << 14;

/// Starts recording anew and keeps the last `events` events.
void startTimeline(std::size_t events = kTimelineEvents);
void stopTimeline();
inline bool timelineRuns() {
    return zonesGoTo(kToMemory);
}

/// The events that ended within the last `seconds`. The GPU's arrive later than the CPU's, so an
/// event may be earlier than those of a previous copy.
Timeline copyTimeline(double seconds = 1e9);

/// Sets Timeline::gpuErrorMs, for whoever relates the GPU's clock to the CPU's.
void setGpuErrorMs(double ms);

}  // namespace rayscope
