#include "renderer/cuda/path_lengths.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "renderer/cuda/cache.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/kernels/footprint.h"
#include "renderer/cuda/loaded_kernel.h"

namespace rayscope {

namespace {

struct Free {
    void operator()(void* memory) const { warn(cudaFree(memory), "free path lengths"); }
};

/// Zeroed device memory.
template <class T>
std::unique_ptr<T, Free> allocate(size_t count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)), "allocate path lengths");
    std::unique_ptr<T, Free> owner(static_cast<T*>(memory));
    check(cudaMemset(memory, 0, count * sizeof(T)), "clear path lengths");
    return owner;
}

LoadedKernel lengthKernel(const CudaDevice& device, const Scene& scene, const Variant& wish) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.accel = wish.accel;
    v.lightSampling = wish.lightSampling;
    v.recordLengths = true;
    v.traits = traitsOf(scene);
    auto compiled = compileCached(KernelCache(KernelCache::defaultFolder()), v, device.architecture,
                                  kernelSources());
    if (const std::string* log = std::get_if<std::string>(&compiled))
        throw std::runtime_error("the kernel of path lengths does not compile:\n" + *log);
    return {{v, kernelSourcesVersion(), {}}, std::get<CompiledKernel>(std::move(compiled)), device};
}

}  // namespace

PathLengths cudaPathLengths(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                            const Camera& camera, int width, int height, int samples) {
    const LoadedKernel kernel = lengthKernel(device, scene.scene(), settings.variant);
    const Variant& v = kernel.variant();
    PathLengths result{width, height, samples, {}};
    result.rays.resize(static_cast<size_t>(width) * height * samples);
    const auto pixels = allocate<Pixel>(static_cast<size_t>(width) * height);
    const auto counters = allocate<unsigned long long>(kCounters);
    const auto lengths = allocate<unsigned char>(result.rays.size());
    const Film film{width, height, pixels.get(), 0, 0, samples, 0};
    LaunchParams<float> p = launchParams<float>(settings, scene.scene(), camera, film);
    p.scene = scene.onDevice(v.precision, v.sceneLayout, v.accel);
    p.counters = counters.get();
    p.lengths = lengths.get();
    const int rows = footprint(v).height;
    const dim3 grid(blocksAcross(v, width, samples), (height + rows - 1) / rows);
    void* arguments[] = {&p};
    check(cudaLaunchKernel(kernel.function(Stage::whole), grid, dim3(v.blockX, v.blockY), arguments,
                           0, nullptr),
          "launch the kernel of path lengths");
    check(cudaMemcpy(result.rays.data(), lengths.get(), result.rays.size(), cudaMemcpyDeviceToHost),
          "copy path lengths back");
    return result;
}

}  // namespace rayscope
