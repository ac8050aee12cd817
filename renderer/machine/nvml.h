#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/base/result.h"

// NVML, NVIDIA's management library, which comes with the driver. It is loaded at run time, without
// its header: names, numbers and signatures are those of the NVML API Reference Guide,
// https://docs.nvidia.com/deploy/nvml-api.

namespace rayscope {

/// The functions used here; nullptr where the library lacks one.
struct NvmlFunctions {
    using Device = void*;  ///< nvmlDevice_t
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    const char* (*errorString)(int error) = nullptr;
    int (*driverVersion)(char* text, unsigned length) = nullptr;
    int (*deviceByPciBusId)(const char* pciBusId, Device* device) = nullptr;
    int (*clock)(Device device, int type, unsigned* mhz) = nullptr;
    int (*maxClock)(Device device, int type, unsigned* mhz) = nullptr;
    int (*temperature)(Device device, int sensor, unsigned* celsius) = nullptr;
    int (*power)(Device device, unsigned* milliwatts) = nullptr;
    int (*eventReasons)(Device device, unsigned long long* bits) = nullptr;
    struct Memory {  ///< nvmlMemory_t, bytes
        unsigned long long total, free, used;
    };
    int (*memory)(Device device, Memory* memory) = nullptr;
};

/// The library's functions, all nullptr if there is no library; it stays loaded.
const NvmlFunctions& nvmlFunctions();

/// The driver's version, "580.159.04"; empty if NVML does not say.
std::string nvmlDriverVersion(const NvmlFunctions& nvml = nvmlFunctions());

/// A GPU's state at one moment; without the values that it does not report.
struct GpuReading {
    std::optional<double> smMhz, maxSmMhz, memoryMhz, celsius, watts;
    bool idle = false;  ///< nothing runs on it, so its clocks may fall
    /// Why its clocks are lower than they could be: "thermal slowdown", "power cap".
    std::vector<std::string> throttling;
};

/// One GPU, seen through NVML.
class GpuSensors {
public:
    /// `pciBusId`: as CUDA gives it, "0000:1b:00.0".
    static Result<GpuSensors> open(const std::string& pciBusId,
                                   const NvmlFunctions& nvml = nvmlFunctions());
    ~GpuSensors();
    GpuSensors(GpuSensors&& other) noexcept;
    GpuSensors(const GpuSensors&) = delete;
    GpuSensors& operator=(const GpuSensors&) = delete;

    /// Takes well under a millisecond for each value.
    GpuReading read() const;

    /// Bytes of its memory in use by all programs together.
    std::optional<double> usedBytes() const;

private:
    explicit GpuSensors(const NvmlFunctions& nvml) : nvml_(nvml) {}

    NvmlFunctions nvml_;
    NvmlFunctions::Device device_ = nullptr;
    bool open_ = true;  ///< false where it was moved from
};

}  // namespace rayscope
