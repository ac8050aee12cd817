#include "renderer/profile/chrome_trace.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "renderer/base/files.h"

namespace rayscope {

namespace {

constexpr int kProcess = 1;

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

/// From 1: viewers take 0 for the idle thread.
int threadOf(int track) {
    return track + 1;
}

void addName(std::string& out, const char* what, int track, const std::string& name) {
    out += fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}},)"
                       "\n",
                       what, kProcess, threadOf(track), quoted(name));
}

std::string eventText(const TimelineEvent& e, std::int64_t origin) {
    const auto microseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
    const std::string head =
        fmt::format(R"("name":{},"pid":{},"tid":{},"ts":{:.3f})", quoted(e.name), kProcess,
                    threadOf(e.track), microseconds(e.began - origin));
    switch (e.kind) {
        case TimelineEvent::Kind::zone:
            return fmt::format(R"({{"ph":"X","cat":"{}",{},"dur":{:.3f}}})",
                               ofGpu(e.track) ? "gpu" : "cpu", head,
                               microseconds(e.ended - e.began));
        case TimelineEvent::Kind::frame:
            return fmt::format(R"({{"ph":"i","s":"p",{}}})", head);
        case TimelineEvent::Kind::counter:
            return fmt::format(R"({{"ph":"C",{},"args":{{{}:{}}}}})", head, quoted(e.name),
                               std::isfinite(e.value) ? e.value : 0.);
    }
    return {};
}

}  // namespace

std::string chromeTrace(const Timeline& timeline) {
    std::string out = "{\"displayTimeUnit\":\"ms\",\n";
    out += fmt::format(R"("otherData":{{"dropped":{})", timeline.dropped);
    if (timeline.gpuErrorMs >= 0) out += fmt::format(R"(,"gpu_error_ms":{})", timeline.gpuErrorMs);
    out += "},\n\"traceEvents\":[\n";
    std::vector<bool> used(timeline.tracks.size());
    for (const TimelineEvent& e : timeline.events) used[e.track] = true;
    for (size_t track = 0; track < used.size(); ++track) {
        if (used[track])
            addName(out, "thread_name", static_cast<int>(track), timeline.tracks[track]);
    }
    for (const TimelineEvent& e : timeline.events) out += eventText(e, timeline.began) + ",\n";
    addName(out, "process_name", kGpuTrack, "rayscope");
    out.erase(out.size() - 2);  // the last comma
    out += "\n]}\n";
    return out;
}

Result<void> writeChromeTrace(const std::string& path, const Timeline& timeline) {
    return writeTextFile(path, chromeTrace(timeline));
}

}  // namespace rayscope
