#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "renderer/backend/renderer.h"
#include "renderer/machine/nvml.h"

// The conditions of a measurement: clocks, temperature, power, other load.

namespace rayscope {

/// One sample; without the values that the system does not provide.
struct Conditions {
    std::optional<double> clockMhz;     ///< GPU: of the multiprocessors; CPU: mean of its cores
    std::optional<double> maxClockMhz;  ///< highest clock of the processor
    std::optional<double> memoryMhz, celsius, watts;
    std::optional<double> load;  ///< CPU: load average of the last minute, 1 for each busy core
    bool idle = false;           ///< GPU: nothing runs on it, so its clock says nothing
    std::vector<std::string> throttling;  ///< reasons in words, "power cap"
};

/// A way to take samples, or the reason why there is none.
struct Sensors {
    std::function<Conditions()> read;  ///< empty if there is a reason
    std::string missing;               ///< the reason, one sentence; empty if there is none
    int cores = 0;                     ///< CPU: how many share the load
};

/// The sensors of the processor that a renderer of `backend` uses.
Sensors sensorsOf(Backend backend, const DeviceInfo& device);
/// Reads NVML, for the GPU at the device's PCI address.
Sensors gpuSensors(const DeviceInfo& device, const NvmlFunctions& nvml = nvmlFunctions());

/// Reads Linux's files below `root`.
Sensors cpuSensors(int cores, const std::filesystem::path& root = "/");

/// The lowest and the highest sample.
struct Extremes {
    double lowest = 0, highest = 0;
};

/// What the samples of a measurement say together.
struct ConditionsSummary {
    int samples = 0;
    std::optional<Extremes> clockMhz, memoryMhz, celsius, watts, load;
    std::optional<double> maxClockMhz;
    std::vector<std::string> throttling;  ///< every reason that was seen
    bool clockMoved = false;              ///< by more than 2 %
    std::string warning;  ///< why the figure may not be repeatable, one sentence; or empty
    std::string missing;  ///< why there are no samples, one sentence; or empty
    bool throttled() const { return !throttling.empty(); }
};

/// The values that are known, with units in the keys.
nlohmann::json toJson(const ConditionsSummary& summary);

/// One line, "1980 of 1980 MHz, memory 3201 MHz, 45 °C, 320 W"; empty if nothing is known.
std::string describe(const Conditions& conditions);

/// Takes samples while something is measured.
class ConditionsWatch {
public:
    using Clock = std::chrono::steady_clock;

    explicit ConditionsWatch(Sensors sensors) : sensors_(std::move(sensors)) {}

    /// Discards the samples so far.
    void restart();
    /// Takes a sample if the last one is at least 0.1 s old; may be called often.
    void look(Clock::time_point now = Clock::now());
    ConditionsSummary summary() const;

private:
    Sensors sensors_;
    Clock::time_point last_{};
    std::vector<Conditions> samples_;
};

/// The watches of a machine's processors. Sensors are opened only once, because that loads a
/// library.
class Watches {
public:
    /// The processor's watch, restarted.
    ConditionsWatch& of(Backend backend, const DeviceInfo& device);

private:
    std::map<Backend, ConditionsWatch> watches_;
};

}  // namespace rayscope
