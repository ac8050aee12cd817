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

/// Whether a block of the variant fits the device.
Result<void> checkBlock(const Variant& variant, const CudaDevice& device);

/// Whether the device can hold a stack of so many bytes for each thread, as paths of `depth` need.
Result<void> checkStack(size_t bytes, int depth, const CudaDevice& device);

/// Opens a device, makes its context, and makes it the calling thread's. Fails without a driver or
/// with one older than the toolkit, without a device, and without a run-time compiler that knows
/// the device.
Result<CudaDevice> openDevice(int number);

}  // namespace rayscope
