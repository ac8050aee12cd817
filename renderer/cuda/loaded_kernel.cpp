#include "renderer/cuda/loaded_kernel.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "renderer/choices/sources.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/cupti.h"
#include "renderer/cuda/running_twins.h"

namespace rayscope {

static std::atomic<unsigned> nextNumber{1};

LoadedKernel::LoadedKernel(BuildResult built, const CudaDevice& device)
    : number_(nextNumber++),
      request_(std::move(built.request)),
      compiled_(*std::move(built.kernel)),
      library_(load()) {
    if (built.host) host_ = std::make_shared<LoadedObject>(*built.host, kBuiltIn);
    const BuildRequest& request = request_;
    const CompiledFunction& main = compiled_.functions.front();
    info_.variant = request.variant;
    info_.source = request.source;
    info_.sourcesVersion = request.version;
    info_.name = nameExpression(request.variant, main.stage);
    info_.registers = main.registers;
    info_.spillBytes = main.spillBytes;
    for (const CompiledFunction& f : compiled_.functions) {
        if (f.stage != Stage::whole)
            info_.stages.push_back({nameOf(f.stage), f.registers, f.spillBytes});
    }
    info_.compileMs = compiled_.compileMs;
    info_.cached = compiled_.compileMs == 0;
    readAttributes(device);
}

/// The driver translates PTX, and so applies its register cap.
LoadedLibrary LoadedKernel::load() const {
    const int cap = variant().maxRegisters;
    const std::pair<cudaJitOption, void*> registers{
        cudaJitMaxRegisters, reinterpret_cast<void*>(static_cast<std::intptr_t>(cap))};
    const size_t options = variant().code == Code::ptx && cap > 0 ? 1 : 0;
    return {compiled_, "a compiled kernel", {&registers, options}};
}

cudaError_t LoadedKernel::launch(Stage stage, dim3 grid, void** arguments) const {
    size_t i = 0;
    while (compiled_.functions.at(i).stage != stage) ++i;
    const std::string& symbol = compiled_.functions[i].loweredName;
    beforeLaunch(symbol);
    const void* const twin = twinOf(symbol, library_.get());
    const BlockShape block = blockOf(variant(), stage);
    return cudaLaunchKernel(twin != nullptr ? twin : library_.kernel(i), grid,
                            dim3(block.x, block.y), arguments, 0, nullptr);
}

void LoadedKernel::readAttributes(const CudaDevice& device) {
    const int threads = variant().blockX * variant().blockY;
    cudaFuncAttributes attributes{};
    const void* const main = library_.kernel(0);
    cudaError_t error = cudaFuncGetAttributes(&attributes, main);
    int blocks = 0;
    if (error == cudaSuccess) {
        info_.registers = attributes.numRegs;
        info_.localBytes = static_cast<int>(attributes.localSizeBytes);
        info_.sharedBytes = static_cast<int>(attributes.sharedSizeBytes);
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, main, threads, 0);
    }
    if (error != cudaSuccess) {
        cudaGetLastError();
        reject(fmt::format("the device does not take this kernel: {}", cudaGetErrorString(error)));
    } else if (blocks == 0) {
        reject(fmt::format("block={}x{}: {} threads of {} registers do not fit on a multiprocessor",
                           variant().blockX, variant().blockY, threads, info_.registers));
    }
    if (variant().path == Path::recursive && compiled_.functions.front().stackBytes < 0)
        reject("path=recursive: ptxas does not say how much stack a call takes");
    info_.residentBlocks = blocks * device.multiprocessors;
    info_.occupancy = static_cast<double>(blocks) * threads / device.threadsPerMultiprocessor;
}

Result<void> LoadedKernel::checkDepth(int depth, const CudaDevice& device) const {
    return launchable_ ? checkStack(stackFor(depth), depth, device) : launchable_;
}

size_t LoadedKernel::stackFor(int depth) const {
    if (variant().path != Path::recursive) return static_cast<size_t>(info_.localBytes);
    // a quarter and 1 KiB more than ptxas reports, for return addresses and library functions
    const CompiledFunction& main = compiled_.functions.front();
    const size_t frames = main.stackBytes + static_cast<size_t>(depth) * main.frameBytes;
    return (frames * 5 / 4 + 1024 + 255) / 256 * 256;
}

void LoadedKernel::setConstantScene(const void* bytes, size_t size) {
    void* symbol = nullptr;
    size_t room = 0;
    check(cudaLibraryGetGlobal(&symbol, &room, library_.get(), "rayscopeScene"),
          "find the scene in the kernel's constant memory");
    check(size <= room ? cudaSuccess : cudaErrorInvalidValue, "fit the scene into constant memory");
    check(cudaMemcpyAsync(symbol, bytes, size, cudaMemcpyHostToDevice),
          "copy the scene to constant memory");
}

}  // namespace rayscope
