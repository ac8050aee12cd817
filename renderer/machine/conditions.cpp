#include "renderer/machine/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <thread>

namespace rayscope {

namespace fs = std::filesystem;

namespace {

constexpr auto kBetweenSamples = std::chrono::milliseconds(100);
/// A clock that varies by more changes rates by more than comparisons resolve.
constexpr double kSteadyClock = .02;
/// Load per core above which other programs compete for the cores.
constexpr double kCrowded = 1.25;
/// Cores whose frequency is read. The others have about the same, and each read is a system call.
constexpr int kCoresRead = 8;

std::optional<double> numberIn(const fs::path& file) {
    double value = 0;
    if (!(std::ifstream(file) >> value)) return {};
    return value;
}

/// In MHz, from `file` in cpufreq, which has kHz.
std::optional<double> meanFrequency(const fs::path& cpus, int cores, const char* file) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < std::min(cores, kCoresRead); ++i) {
        const auto kHz = numberIn(cpus / fmt::format("cpu{}", i) / "cpufreq" / file);
        if (!kHz) continue;
        sum += *kHz / 1e3;
        ++count;
    }
    if (count == 0) return {};
    return sum / count;
}

Conditions conditionsOf(GpuReading reading) {
    Conditions c;
    c.clockMhz = reading.smMhz;
    c.maxClockMhz = reading.maxSmMhz;
    c.memoryMhz = reading.memoryMhz;
    c.celsius = reading.celsius;
    c.watts = reading.watts;
    c.idle = reading.idle;
    c.throttling = std::move(reading.throttling);
    return c;
}

using Value = std::optional<double> Conditions::*;

std::optional<Extremes> spanOf(const std::vector<Conditions>& samples, Value value) {
    std::optional<Extremes> span;
    for (const Conditions& sample : samples) {
        if (!(sample.*value)) continue;
        const double v = *(sample.*value);
        if (!span) span = Extremes{v, v};
        span->lowest = std::min(span->lowest, v);
        span->highest = std::max(span->highest, v);
    }
    return span;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string warningOf(const ConditionsSummary& s, int cores) {
    const std::string clock = s.clockMhz ? fmt::format("between {:.0f} and {:.0f} MHz",
                                                       s.clockMhz->lowest, s.clockMhz->highest)
                                         : "lower than it could be";
    if (s.throttled())
        return fmt::format("the processor was throttled ({}), its clock {}", joined(s.throttling),
                           clock);
    if (s.clockMoved) return fmt::format("the clock moved {}", clock);
    if (cores > 0 && s.load && s.load->highest > kCrowded * cores) {
        return fmt::format("other programs share the {} cores: the load average was {:.1f}", cores,
                           s.load->highest);
    }
    return {};
}

}  // namespace

Sensors sensorsOf(Backend backend, const DeviceInfo& device) {
    // the load is that of all cores, also where this process may use a few
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return backend == Backend::cuda ? gpuSensors(device) : cpuSensors(cores);
}

Sensors gpuSensors(const DeviceInfo& device, const NvmlFunctions& nvml) {
    Result<GpuSensors> opened = GpuSensors::open(device.pciBusId, nvml);
    if (!opened) return {{}, opened.reason()};
    // std::function must be copyable
    const auto gpu = std::make_shared<GpuSensors>(*std::move(opened));
    return {[gpu] { return conditionsOf(gpu->read()); }, {}};
}

Sensors cpuSensors(int cores, const fs::path& root) {
    const fs::path load = root / "proc/loadavg", cpus = root / "sys/devices/system/cpu";
    const auto limit = meanFrequency(cpus, cores, "cpuinfo_max_freq");
    const auto read = [=] {
        Conditions c;
        c.load = numberIn(load);
        c.clockMhz = meanFrequency(cpus, cores, "scaling_cur_freq");
        c.maxClockMhz = limit;
        return c;
    };
    const Conditions first = read();
    if (first.load || first.clockMhz) return {read, {}, cores};
    return {{}, "the system tells neither the load nor the frequency of the cores"};
}

void ConditionsWatch::restart() {
    samples_.clear();
    last_ = {};
}

void ConditionsWatch::look(Clock::time_point now) {
    if (!sensors_.read || now - last_ < kBetweenSamples) return;
    last_ = now;
    samples_.push_back(sensors_.read());
}

ConditionsSummary ConditionsWatch::summary() const {
    std::vector<Conditions> busy;
    std::copy_if(samples_.begin(), samples_.end(), std::back_inserter(busy),
                 [](const Conditions& c) { return !c.idle; });
    ConditionsSummary s;
    s.missing = sensors_.missing;
    s.samples = static_cast<int>(busy.size());
    s.clockMhz = spanOf(busy, &Conditions::clockMhz);
    s.memoryMhz = spanOf(busy, &Conditions::memoryMhz);
    s.celsius = spanOf(busy, &Conditions::celsius);
    s.watts = spanOf(busy, &Conditions::watts);
    s.load = spanOf(busy, &Conditions::load);
    for (const Conditions& c : busy) {
        if (c.maxClockMhz) s.maxClockMhz = c.maxClockMhz;
        for (const std::string& word : c.throttling) {
            if (std::find(s.throttling.begin(), s.throttling.end(), word) == s.throttling.end())
                s.throttling.push_back(word);
        }
    }
    s.clockMoved =
        s.clockMhz && s.clockMhz->highest - s.clockMhz->lowest > kSteadyClock * s.clockMhz->highest;
    s.warning = warningOf(s, sensors_.cores);
    return s;
}

nlohmann::json toJson(const ConditionsSummary& s) {
    nlohmann::json json = {{"samples", s.samples}};
    const auto put = [&](const char* key, const std::optional<Extremes>& span) {
        if (span) json[key] = {span->lowest, span->highest};
    };
    put("clock_mhz", s.clockMhz);
    put("memory_mhz", s.memoryMhz);
    put("celsius", s.celsius);
    put("watts", s.watts);
    put("load", s.load);
    if (s.maxClockMhz) json["max_clock_mhz"] = *s.maxClockMhz;
    if (s.clockMhz) json["clock_moved"] = s.clockMoved;
    if (s.samples > 0) json["throttling"] = s.throttling;
    if (!s.warning.empty()) json["warning"] = s.warning;
    if (!s.missing.empty()) json["missing"] = s.missing;
    return json;
}

std::string describe(const Conditions& c) {
    std::vector<std::string> parts;
    const std::string limit = c.maxClockMhz ? fmt::format(" of {:.0f}", *c.maxClockMhz) : "";
    if (c.clockMhz) parts.push_back(fmt::format("{:.0f}{} MHz", *c.clockMhz, limit));
    if (c.memoryMhz) parts.push_back(fmt::format("memory {:.0f} MHz", *c.memoryMhz));
    if (c.celsius) parts.push_back(fmt::format("{:.0f} \u00b0C", *c.celsius));
    if (c.watts) parts.push_back(fmt::format("{:.0f} W", *c.watts));
    if (c.load) parts.push_back(fmt::format("load {:.2f}", *c.load));
    if (!c.throttling.empty()) parts.push_back("throttled: " + joined(c.throttling));
    return joined(parts);
}

ConditionsWatch& Watches::of(Backend backend, const DeviceInfo& device) {
    auto found = watches_.find(backend);
    if (found == watches_.end())
        found = watches_.emplace(backend, ConditionsWatch(sensorsOf(backend, device))).first;
    found->second.restart();
    return found->second;
}

}  // namespace rayscope
