#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

// What took how long, on the CPU's threads and on the GPU: zones that a program's parts mark, kept
// for the last frames and passed on to tools (NVTX, Tracy).

namespace rayscope {

/// Who gets the zones, as bits.
enum ZoneSink : unsigned { kToMemory = 1, kToNvtx = 2, kToTracy = 4 };

/// Switches a sink on or off; where this build has no such sink nothing happens. NVTX is on from
/// the beginning: without a tool that listens a zone costs it a few nanoseconds.
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

/// From here to the end of the block, on this thread. The name lives as long as the program.
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
    std::int64_t began_ = -1;  ///< below 0: nobody keeps it
};

/// Names the calling thread for as long as it lives; another one may have the name after it. The
/// thread that has none is "main".
void nameThread(const std::string& name);

/// Here ends a displayed frame.
void markFrame();

/// The value of something from now on.
void recordCounter(const char* name, double value);

/// The counter "rays/s", of rays that took kernels so long.
inline void recordRate(std::uint64_t rays, double kernelMs) {
    if (kernelMs > 0) recordCounter("rays/s", 1e3 * static_cast<double>(rays) / kernelMs);
}

/// Tracks of the GPU: kernels and copies, and what OpenGL draws. Those of threads follow.
inline constexpr int kGpuTrack = 0, kGlTrack = 1;
inline constexpr bool ofGpu(int track) {
    return track <= kGlTrack;
}

/// Work of the GPU, which has ended; times as of timelineNow(). Zones of a track come in the order
/// in which they ran.
void recordGpuZone(const char* name, std::int64_t began, std::int64_t ended, int track = kGpuTrack);

struct TimelineEvent {
    enum class Kind : std::uint8_t { zone, frame, counter };
    Kind kind = Kind::zone;
    int track = 0;  ///< index into Timeline::tracks
    const char* name = "";
    std::int64_t began = 0, ended = 0;  ///< nanoseconds; equal but for zones
    double value = 0;                   ///< of a counter
};

/// A copy of what is kept.
struct Timeline {
    std::vector<std::string> tracks;  ///< those of the GPU, then the threads
    /// Sorted by their beginnings, zones around others first. Zones of one track lie apart or
    /// within each other.
    std::vector<TimelineEvent> events;
    std::int64_t began = 0;     ///< when keeping began; no event is earlier
    std::int64_t ended = 0;     ///< when the copy was made
    std::uint64_t dropped = 0;  ///< events that made room for others
    /// How far zones of the GPU may stand from their true place beside those of the CPU; below 0:
    /// not known, there are none.
    double gpuErrorMs = -1;
};

/// Events kept for the window: some ten seconds of frames.
inline constexpr std::size_t kTimelineEvents = std::size_t{1} << 14;

/// Keeps the last so many events from now on, none of before.
void startTimeline(std::size_t events = kTimelineEvents);
void stopTimeline();
inline bool timelineRuns() {
    return zonesGoTo(kToMemory);
}

/// The events that ended in the last so many seconds; of a timeline that was stopped, all. Times of
/// the GPU arrive later than those of the CPU, and may come to lie before what was copied earlier.
Timeline copyTimeline(double seconds = 1e9);

/// For whoever puts the GPU's clock beside the CPU's: half the time in which an anchor was set.
void setGpuErrorMs(double ms);

}  // namespace rayscope
