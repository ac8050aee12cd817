#include "renderer/machine/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <type_traits>
#include <utility>

namespace rayscope {

namespace {

// Numbers of the NVML API Reference Guide.
constexpr int kSuccess = 0;         // NVML_SUCCESS
constexpr int kClockSm = 1;         // NVML_CLOCK_SM
constexpr int kClockMemory = 2;     // NVML_CLOCK_MEM
constexpr int kTemperatureGpu = 0;  // NVML_TEMPERATURE_GPU

constexpr unsigned long long kGpuIdle = 0x1;  // nvmlClocksEventReasonGpuIdle

struct Reason {
    unsigned long long bits;
    const char* words;
};

/// nvmlClocksEventReasons*: those that slow a GPU down. Limits that somebody has set (application
/// clocks, display clocks, synchronous boost) are steady and not throttling.
constexpr Reason kReasons[] = {
    {0x4, "power cap"},          // SwPowerCap
    {0x20, "thermal slowdown"},  // SwThermalSlowdown
    {0x40, "thermal slowdown"},  // HwThermalSlowdown
    {0x80, "power brake"},       // HwPowerBrakeSlowdown
    {0x8, "hardware slowdown"},  // HwSlowdown, which comes with the two before
};
constexpr unsigned long long kHardwareSlowdown = 0x8, kItsCauses = 0x40 | 0x80;

std::vector<std::string> wordsOf(unsigned long long bits) {
    if (bits & kItsCauses) bits &= ~kHardwareSlowdown;
    std::vector<std::string> words;
    for (const Reason& reason : kReasons) {
        if (!(bits & reason.bits)) continue;
        if (words.empty() || words.back() != reason.words) words.push_back(reason.words);
    }
    return words;
}

NvmlFunctions loadFunctions() {
    NvmlFunctions f;
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return f;
    const auto find = [&](auto& function, const char* name) {
        using Function = std::remove_reference_t<decltype(function)>;
        if (function == nullptr) function = reinterpret_cast<Function>(dlsym(library, name));
    };
    find(f.init, "nvmlInit_v2");
    find(f.shutdown, "nvmlShutdown");
    find(f.errorString, "nvmlErrorString");
    find(f.driverVersion, "nvmlSystemGetDriverVersion");
    find(f.deviceByPciBusId, "nvmlDeviceGetHandleByPciBusId_v2");
    find(f.clock, "nvmlDeviceGetClockInfo");
    find(f.maxClock, "nvmlDeviceGetMaxClockInfo");
    find(f.temperature, "nvmlDeviceGetTemperature");
    find(f.power, "nvmlDeviceGetPowerUsage");
    find(f.eventReasons, "nvmlDeviceGetCurrentClocksEventReasons");
    find(f.eventReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // before driver 535
    find(f.memory, "nvmlDeviceGetMemoryInfo");
    return f;
}

/// What the function writes through its last argument; nothing if it fails or is missing.
template <class Value = unsigned, class Function, class... Arguments>
std::optional<Value> ask(Function function, Arguments... arguments) {
    Value value{};
    if (function == nullptr || function(arguments..., &value) != kSuccess) return {};
    return value;
}

std::string failure(const NvmlFunctions& nvml, const char* what, int error) {
    const char* text = nvml.errorString != nullptr ? nvml.errorString(error) : nullptr;
    return fmt::format("NVML {}: {}", what,
                       text != nullptr ? text : fmt::format("error {}", error));
}

}  // namespace

const NvmlFunctions& nvmlFunctions() {
    static const NvmlFunctions functions = loadFunctions();
    return functions;
}

std::string nvmlDriverVersion(const NvmlFunctions& nvml) {
    if (nvml.init == nullptr || nvml.shutdown == nullptr || nvml.driverVersion == nullptr)
        return {};
    if (nvml.init() != kSuccess) return {};
    char text[96] = {};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
    if (nvml.driverVersion(text, sizeof text - 1) != kSuccess) text[0] = '\0';
    nvml.shutdown();
    return text;
}

Result<GpuSensors> GpuSensors::open(const std::string& pciBusId, const NvmlFunctions& nvml) {
    if (nvml.init == nullptr || nvml.shutdown == nullptr || nvml.deviceByPciBusId == nullptr)
        return Failure{
            "clocks are not watched: there is no NVML (libnvidia-ml.so.1) of this driver"};
    const int started = nvml.init();
    if (started != kSuccess)
        return Failure{"clocks are not watched: " + failure(nvml, "does not start", started)};
    GpuSensors sensors(nvml);
    const int error = nvml.deviceByPciBusId(pciBusId.c_str(), &sensors.device_);
    if (error == kSuccess) return sensors;
    return Failure{"clocks are not watched: " + failure(nvml, "does not know the GPU", error)};
}

GpuSensors::~GpuSensors() {
    if (open_) nvml_.shutdown();
}

GpuSensors::GpuSensors(GpuSensors&& other) noexcept
    : nvml_(other.nvml_), device_(other.device_), open_(std::exchange(other.open_, false)) {}

GpuReading GpuSensors::read() const {
    GpuReading reading;
    reading.smMhz = ask(nvml_.clock, device_, kClockSm);
    reading.maxSmMhz = ask(nvml_.maxClock, device_, kClockSm);
    reading.memoryMhz = ask(nvml_.clock, device_, kClockMemory);
    reading.celsius = ask(nvml_.temperature, device_, kTemperatureGpu);
    if (const auto milliwatts = ask(nvml_.power, device_)) reading.watts = *milliwatts / 1e3;
    const auto bits = ask<unsigned long long>(nvml_.eventReasons, device_).value_or(0);
    reading.idle = (bits & kGpuIdle) != 0;
    reading.throttling = wordsOf(bits);
    return reading;
}

std::optional<double> GpuSensors::usedBytes() const {
    const auto memory = ask<NvmlFunctions::Memory>(nvml_.memory, device_);
    if (!memory) return {};
    return static_cast<double>(memory->used);
}

}  // namespace rayscope
