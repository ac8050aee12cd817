#pragma once

#include <cstddef>
#include <string>

#include "renderer/backend/renderer.h"

namespace rayscope {

/// The device that renders and its limits on launches.
struct CudaDevice {
    DeviceInfo info;
    int number = 0;        ///< CUDA's
    int architecture = 0;  ///< of the machine code made for it, 90 for sm_90
    int multiprocessors = 0;
    int threadsPerMultiprocessor = 0;
    int threadsPerBlock = 0;
    int registersPerBlock = 0;
    std::size_t memory = 0;  ///< bytes
};

/// Why the device can have no kernel of the variant, or an empty string.
std::string problemOf(const Variant& variant, const CudaDevice& device);
/// Why it cannot hold a stack of so many bytes for each thread, or an empty string.
std::string stackProblem(size_t bytes, int depth, const CudaDevice& device);

/// Opens a device and makes its context, or says in one sentence why it cannot: no driver, a driver
/// older than the toolkit, no device, no run-time compiler or one that does not know the device.
/// The device becomes the calling thread's.
Result<CudaDevice> openDevice(int number);

}  // namespace rayscope
