#include "renderer/cuda/path_lengths.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "renderer/choices/axes.h"
#include "renderer/core/footprint.h"
#include "renderer/core/variant_members.h"
#include "renderer/cuda/kernel_request.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/isolation.h"
#include "renderer/cuda/launch_plan.h"
#include "renderer/cuda/loaded_kernel.h"

namespace rayscope {

namespace {

struct Free {
    void operator()(void* memory) const { warn(cudaFree(memory), "free a record"); }
};

/// Zeroed device memory.
template <class T>
std::unique_ptr<T, Free> allocate(size_t count) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)), "allocate a record");
    std::unique_ptr<T, Free> owner(static_cast<T*>(memory));
    check(cudaMemset(memory, 0, count * sizeof(T)), "clear a record");
    return owner;
}

LoadedKernel load(const CudaDevice& device, const Scene& scene, Variant v, int source) {
    v.traits = traitsOf(scene);
    const BuildRequest request = requestOf(v, source, device.architecture, {});
    Result<CompiledKernel> compiled =
        compileCached(KernelCache::common(), request.program, sourcesOf(request));
    if (!compiled)
        throw std::runtime_error("the recording kernel does not compile:\n" + compiled.reason());
    if (const auto tried = tryOtherKernels(OtherKernels::recording, source, device.number); !tried)
        throw std::runtime_error(tried.reason());
    return {BuildResult{request, *std::move(compiled)}, device};
}

/// Renders the whole picture, in bands if it might take long. `p` says where the kernel records.
void launch(const LoadedKernel& kernel, DeviceScene& scene, const Settings& settings,
            LaunchParams<float> p, const std::stop_token& stop) {
    const Variant& v = kernel.variant();
    const auto pixels = allocate<Pixel>(static_cast<size_t>(p.width) * p.height);
    const auto counters = allocate<unsigned long long>(kCounters);
    p.film = pixels.get();
    p.counters = counters.get();
    const ScenePacking packing = packingOf(v, settings);
    p.scene = scene.onDevice(packing);
    if (v.nodeMemory == NodeMemory::texture) scene.setTexels(packing, p.params);
    const int granule = footprint(v).height;
    const double ms = guessedMs(1. * granule * p.width * p.samples, scene.scene(), v.accel);
    const int granules = (p.height + granule - 1) / granule;
    const int rows = granule * howManyFit(granules, ms, kLongestLaunchMs);
    void* arguments[] = {&p};
    for (p.y0 = 0; p.y0 < p.height && !stop.stop_requested(); p.y0 = p.y1) {
        p.y1 = std::min(p.y0 + rows, p.height);
        const dim3 grid(blocksAcross(v, p.width, p.samples), (p.y1 - p.y0 + granule - 1) / granule);
        check(kernel.launch(Stage::whole, grid, arguments), "launch the recording kernel");
        check(cudaDeviceSynchronize(), "run the recording kernel");
    }
}

template <class T>
void copyBack(T* to, const T* from, size_t count) {
    check(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost), "copy a record back");
}

}  // namespace

Variant lengthVariant(const Variant& wish) {
    Variant v;
    v.sceneLayout = SceneLayout::aos;
    v.sceneMemory = SceneMemory::global;
    v.accel = wish.accel;
    v.traversal = wish.traversal;
    v.triangle = wish.triangle;
    v.vertexLayout = wish.vertexLayout;
    v.vertexPrecision = wish.vertexPrecision;
    v.lightSampling = wish.lightSampling;
    v.recordLengths = true;
    return v;
}

Variant timeVariant(const Variant& wish) {
    // of a scene that may have triangles, whose choices are then kept
    Settings s{.backend = Backend::cuda, .variant = wish, .triangles = true};
    Variant& v = s.variant;
    if (v.engine != Engine::regeneration) v.engine = Engine::megakernel;
    const Variant twin = lengthVariant(wish);
    v.precision = twin.precision;  // of launch()
    v.sceneLayout = twin.sceneLayout;
    v.sceneMemory = twin.sceneMemory;
    // a pixel's time is that of one thread, which takes all its samples
    v.path = twin.path;
    v.random = twin.random;
    v.samplesAs = twin.samplesAs;
    v.regeneration = twin.regeneration;
    v.samplesFrom = twin.samplesFrom;
    v.begin = twin.begin;
    v.maxRegisters = twin.maxRegisters;  // reading the clock takes a few more registers
    v.code = twin.code;
    visitDerived([&](const char*, auto member) { v.*member = Variant{}.*member; });
    v.recordTime = true;
    return canonical(s).variant;
}

PathLengths cudaPathLengths(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                            const Camera& camera, int width, int height, int samples,
                            const std::stop_token& stop) {
    const LoadedKernel kernel =
        load(device, scene.scene(), lengthVariant(settings.variant), settings.source);
    PathLengths result{.width = width, .height = height, .samples = samples, .rays = {}};
    result.rays.resize(static_cast<size_t>(width) * height * samples);
    const auto lengths = allocate<unsigned char>(result.rays.size());
    const auto hits = allocate<unsigned long long>(kMaxDepth * kHitKinds);
    const Film film{width, height};
    LaunchParams<float> p = launchParams<float>(settings, scene.scene(), camera, film, {samples});
    p.lengths = lengths.get();
    p.hits = hits.get();
    launch(kernel, scene, settings, p, stop);
    copyBack(result.rays.data(), lengths.get(), result.rays.size());
    copyBack(result.hits[0].data(), hits.get(), kMaxDepth * kHitKinds);
    return result;
}

PixelTimes cudaPixelTimes(const CudaDevice& device, DeviceScene& scene, const Settings& settings,
                          const Camera& camera, int width, int height, int samples,
                          const std::stop_token& stop) {
    const LoadedKernel kernel =
        load(device, scene.scene(), timeVariant(settings.variant), settings.source);
    PixelTimes result{width, height, samples, {}, "clock cycles"};
    result.ticks.resize(static_cast<size_t>(width) * height);
    const auto ticks = allocate<unsigned>(result.ticks.size());
    const Film film{width, height};
    LaunchParams<float> p = launchParams<float>(settings, scene.scene(), camera, film, {samples});
    p.ticks = ticks.get();
    launch(kernel, scene, settings, p, stop);
    copyBack(result.ticks.data(), ticks.get(), result.ticks.size());
    return result;
}

}  // namespace rayscope
