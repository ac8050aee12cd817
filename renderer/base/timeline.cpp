#include "renderer/base/timeline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>

#include "renderer/base/nvtx.h"
#include "renderer/base/tracy_sink.h"

namespace rayscope {

namespace {

/// The last events and the names of their tracks. Any thread may write.
struct Recorder {
    struct Track {
        std::string name;
        bool taken = false;  ///< its thread is alive
    };

    std::mutex mutex;
    std::vector<Track> tracks{{"GPU", true}, {"OpenGL", true}};
    std::vector<TimelineEvent> ring;
    std::uint64_t written = 0;
    std::int64_t began = 0;
    double gpuErrorMs = -1;

    void add(const TimelineEvent& event) {
        const std::lock_guard lock(mutex);
        if (ring.empty() || event.began < began) return;
        ring[written++ % ring.size()] = event;
    }

    int takeTrack(const std::string& name) {
        const std::lock_guard lock(mutex);
        for (std::size_t i = kGlTrack + 1; i < tracks.size(); ++i) {
            if (tracks[i].taken || tracks[i].name != name) continue;
            tracks[i].taken = true;
            return static_cast<int>(i);
        }
        tracks.push_back({name, true});
        return static_cast<int>(tracks.size()) - 1;
    }

    void giveBack(int track) {
        const std::lock_guard lock(mutex);
        tracks[track].taken = false;
    }
};

/// Never destroyed: threads end after main() does.
Recorder& recorder() {
    static Recorder& instance = *new Recorder;
    return instance;
}

struct ThreadTrack {
    int index = -1;
    ~ThreadTrack() {
        if (index >= 0) recorder().giveBack(index);
    }
};
thread_local ThreadTrack threadTrack;

int trackOfThread() {
    if (threadTrack.index < 0) threadTrack.index = recorder().takeTrack("main");
    return threadTrack.index;
}

/// Moves zones that overlap: anchors of the GPU's clock are off by a few microseconds, so zones
/// placed by different anchors may.
void separateGpuZones(std::vector<TimelineEvent>& events) {
    std::array<std::int64_t, kGlTrack + 1> last{};
    for (TimelineEvent& e : events) {
        if (e.kind != TimelineEvent::Kind::zone || !ofGpu(e.track)) continue;
        e.began = std::max(e.began, last[e.track]);
        e.ended = std::max(e.ended, e.began);
        last[e.track] = e.ended;
    }
}

void sortByBeginnings(std::vector<TimelineEvent>& events) {
    std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return a.began != b.began ? a.began < b.began : a.ended > b.ended;
    });
}

}  // namespace

namespace detail {

/// Initialised before there are threads, which nvtxStart() needs.
std::atomic<unsigned> zoneSinks{nvtxStart() ? kToNvtx : 0u};

void beginZone(const char* name) {
    if (zonesGoTo(kToNvtx)) nvtxBegin(name);
    if (zonesGoTo(kToTracy)) tracyBegin(name);
}

void endZone(const char* name, std::int64_t began) {
    if (zonesGoTo(kToNvtx)) nvtxEnd();
    if (zonesGoTo(kToTracy)) tracyEnd();
    if (began < 0 || !timelineRuns()) return;
    recorder().add({TimelineEvent::Kind::zone, trackOfThread(), name, began, timelineNow(), 0});
}

}  // namespace detail

void setZoneSink(ZoneSink sink, bool on) {
    if ((sink == kToNvtx && !kHasNvtx) || (sink == kToTracy && !hasTracy())) return;
    if (on)
        detail::zoneSinks |= sink;
    else
        detail::zoneSinks &= ~static_cast<unsigned>(sink);
}

std::int64_t timelineNow() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void nameThread(const std::string& name) {
    if (threadTrack.index >= 0) recorder().giveBack(threadTrack.index);
    threadTrack.index = recorder().takeTrack(name);
    tracyThread(name);
}

void markFrame() {
    if (zonesGoTo(kToTracy)) tracyFrame();
    if (!timelineRuns()) return;
    const std::int64_t now = timelineNow();
    recorder().add({TimelineEvent::Kind::frame, trackOfThread(), "frame", now, now, 0});
}

void recordCounter(const char* name, double value) {
    if (zonesGoTo(kToTracy)) tracyCounter(name, value);
    if (!timelineRuns()) return;
    const std::int64_t now = timelineNow();
    recorder().add({TimelineEvent::Kind::counter, trackOfThread(), name, now, now, value});
}

void recordGpuZone(const char* name, std::int64_t began, std::int64_t ended, int track) {
    if (zonesGoTo(kToTracy)) tracyGpuZone(name, began, ended, track);
    if (timelineRuns()) recorder().add({TimelineEvent::Kind::zone, track, name, began, ended, 0});
}

void setGpuErrorMs(double ms) {
    const std::lock_guard lock(recorder().mutex);
    recorder().gpuErrorMs = ms;
}

void startTimeline(std::size_t events) {
    {
        Recorder& r = recorder();
        const std::lock_guard lock(r.mutex);
        r.ring.assign(events, {});
        r.written = 0;
        r.began = timelineNow();
    }
    setZoneSink(kToMemory, true);
}

void stopTimeline() {
    setZoneSink(kToMemory, false);
}

Timeline copyTimeline(double seconds) {
    Recorder& r = recorder();
    Timeline copy;
    {
        const std::lock_guard lock(r.mutex);
        copy.began = r.began;
        copy.ended = timelineNow();
        copy.gpuErrorMs = r.gpuErrorMs;
        const std::uint64_t size = r.ring.size();
        copy.dropped = r.written > size ? r.written - size : 0;
        for (const Recorder::Track& track : r.tracks) copy.tracks.push_back(track.name);
        const double earliest = static_cast<double>(copy.ended) - 1e9 * seconds;
        for (std::uint64_t i = copy.dropped; i < r.written; ++i) {
            const TimelineEvent& event = r.ring[i % size];
            if (static_cast<double>(event.ended) >= earliest) copy.events.push_back(event);
        }
    }
    sortByBeginnings(copy.events);
    separateGpuZones(copy.events);
    sortByBeginnings(copy.events);
    return copy;
}

}  // namespace rayscope
