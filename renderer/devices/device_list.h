#pragma once

#include <optional>
#include <string>
#include <vector>

#include "renderer/devices/device_group.h"

namespace rayscope {

/// The devices that somebody has named, by CUDA's numbers or kHost; GPUs come first.
struct DeviceList {
    std::vector<int> numbers;  ///< empty: none are named, the first GPU will do and so will none
    bool allGpus = false;      ///< and these, as many as there are

    bool any() const { return numbers.empty() && !allGpus; }
    bool several() const { return numbers.size() + (allGpus ? 2 : 0) > 1; }
    bool wantsGpu() const;
    bool operator==(const DeviceList&) const = default;
};

inline DeviceList oneGpu(int number) {
    return {{number}, false};
}

/// Reads "0", "0,2", "all", "cpu", "0,cpu". A device may be named twice.
Result<DeviceList> deviceListFrom(const std::string& text);
std::string textOf(const DeviceList& list);

/// The list by its numbers: with all GPUs in place of "all".
DeviceList resolved(const DeviceList& list);

/// Opens the devices: of several, a group. A list of CPUs alone is of the CPU backend, any other of
/// CUDA's. Fails if a device is missing.
Result<std::unique_ptr<Renderer>> openDevices(const DeviceList& list);

/// A renderer of each backend.
struct OpenedDevices {
    std::unique_ptr<Renderer> cpu, cuda;
    std::string noCuda;  ///< why there is no CUDA; empty if there is
};

/// The listed devices, of whose backend they are, and the CPU or nothing of the other.
OpenedDevices openBoth(const DeviceList& list);

}  // namespace rayscope
