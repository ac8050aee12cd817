#include "renderer/cuda/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "renderer/base/elapsed.h"
#include "renderer/cuda/compiler.h"
#include "renderer/machine/nvml.h"

namespace rayscope {

namespace {

/// CUDA's own limit on the stack of a thread, bytes.
constexpr size_t kMaxStack = 512 * 1024;

/// "13.0" from 13000, as CUDA writes versions.
std::string versionText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Failure whyNoDevice(cudaError_t error) {
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
    cudaGetLastError();
    if (driver == 0)
        return {"no NVIDIA driver is loaded: install one, or use the CPU (backend=cpu)"};
    if (error == cudaErrorInsufficientDriver) {
        return {
            fmt::format("the NVIDIA driver knows CUDA {} and this program needs {}: update the "
                        "driver, or use the CPU (backend=cpu)",
                        versionText(driver), versionText(CUDART_VERSION))};
    }
    if (error == cudaErrorNoDevice) {
        return {
            "the NVIDIA driver shows no GPU: check CUDA_VISIBLE_DEVICES, or use the CPU "
            "(backend=cpu)"};
    }
    return {fmt::format("CUDA does not start: {} ({})", cudaGetErrorString(error),
                        cudaGetErrorName(error))};
}

/// Where the device sits, "0000:1B:00.0".
std::string pciBusId(int device) {
    char text[32] = {};
    return cudaDeviceGetPCIBusId(text, sizeof text, device) == cudaSuccess ? text : "";
}

std::string detailOf(const cudaDeviceProp& p, const CompilerInfo& compiler,
                     const std::string& release) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    return fmt::format("driver {}CUDA {}, sm_{}{}, {} multiprocessors, {:.0f} GiB, NVRTC {}.{}",
                       release.empty() ? "for " : release + ", ", versionText(driver), p.major,
                       p.minor, p.multiProcessorCount,
                       static_cast<double>(p.totalGlobalMem) / (1 << 30), compiler.major,
                       compiler.minor);
}

DeviceLimits limitsOf(int device, const cudaDeviceProp& p) {
    const auto attribute = [device](cudaDeviceAttr which) {
        int value = 0;
        return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
    };
    DeviceLimits limits;
    limits.multiprocessors = p.multiProcessorCount;
    limits.warps = p.maxThreadsPerMultiProcessor / 32;
    limits.clock = 1e3 * attribute(cudaDevAttrClockRate);
    // two transfers per memory clock, over a bus of so many bits
    limits.bytesPerSecond = 2e3 * attribute(cudaDevAttrMemoryClockRate) *
                            attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    return limits;
}

}  // namespace

Result<void> checkBlock(const Variant& v, const CudaDevice& device) {
    const int threads = v.blockX * v.blockY;
    if (threads > device.threadsPerBlock) {
        return Failure{fmt::format("block={}x{}: a block has at most {} threads on this device",
                                   v.blockX, v.blockY, device.threadsPerBlock)};
    }
    if (v.maxRegisters * threads > device.registersPerBlock) {
        return Failure{
            fmt::format("max_registers={} times {} threads is more than the {} registers that a "
                        "block gets on this device",
                        v.maxRegisters, threads, device.registersPerBlock)};
    }
    return {};
}

Result<void> checkStack(size_t bytes, int depth, const CudaDevice& device) {
    const size_t threads = static_cast<size_t>(device.multiprocessors) *
                           static_cast<size_t>(device.threadsPerMultiprocessor);
    if (bytes <= kMaxStack && bytes * threads <= device.memory / 2) return {};
    return Failure{fmt::format(
        "depth={}: {} bytes of stack for each of {} threads are more than this device gives; "
        "choose a smaller depth",
        depth, bytes, threads)};
}

std::vector<std::string> cudaDevices() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        return {};
    }
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp p{};
        names.emplace_back(cudaGetDeviceProperties(&p, i) == cudaSuccess ? p.name : "");
    }
    return names;
}

Result<CudaDevice> openDevice(int number) {
    int count = 0;
    const Clock::time_point start = Clock::now();
    cudaError_t error = cudaGetDeviceCount(&count);
    double contextMs = millisecondsSince(start);
    if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
    if (error != cudaSuccess) return whyNoDevice(error);
    if (number < 0 || number >= count) {
        return Failure{
            fmt::format("there is no GPU {}: CUDA numbers them from 0 to {} (rayscope info)",
                        number, count - 1)};
    }
    const Result<CompilerInfo> compiler = compilerInfo();
    if (!compiler) return compiler.failure();
    const CompilerInfo& info = *compiler;

    const Clock::time_point found = Clock::now();
    cudaDeviceProp p{};
    error = cudaGetDeviceProperties(&p, number);
    if (error == cudaSuccess) error = cudaSetDevice(number);
    if (error == cudaSuccess) error = cudaFree(nullptr);  // makes the context
    if (error != cudaSuccess) return whyNoDevice(error);
    contextMs += millisecondsSince(found);

    CudaDevice device;
    device.number = number;
    device.architecture = architectureFor(p.major * 10 + p.minor, info);
    if (device.architecture == 0) {
        return Failure{
            fmt::format("NVRTC {}.{} makes no code for {} (sm_{}{}): install a CUDA toolkit that "
                        "does, or use the CPU (backend=cpu)",
                        info.major, info.minor, p.name, p.major, p.minor)};
    }
    const std::string release = nvmlDriverVersion();
    device.info = {p.name, detailOf(p, info, release), contextMs, release, pciBusId(number)};
    device.info.limits = limitsOf(number, p);
    device.info.architecture = device.architecture;
    device.info.number = device.number;
    device.multiprocessors = p.multiProcessorCount;
    device.threadsPerMultiprocessor = p.maxThreadsPerMultiProcessor;
    device.threadsPerBlock = p.maxThreadsPerBlock;
    device.registersPerBlock = p.regsPerBlock;
    device.memory = p.totalGlobalMem;
    return device;
}

}  // namespace rayscope
