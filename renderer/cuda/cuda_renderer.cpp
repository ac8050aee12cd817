#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "renderer/backend/renderer.h"
#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/core/footprint.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/cupti.h"
#include "renderer/cuda/device.h"
#include "renderer/cuda/device_scene.h"
#include "renderer/cuda/engine.h"
#include "renderer/cuda/kernel_request.h"
#include "renderer/cuda/kernel_store.h"
#include "renderer/cuda/launch_plan.h"
#include "renderer/cuda/launch_ring.h"
#include "renderer/cuda/path_lengths.h"
#include "renderer/cuda/stack_limit.h"
#include "renderer/cuda/wave_memory.h"
#include "renderer/scene/bake.h"

namespace rayscope {

namespace {

/// Weight of the newest launch in a kernel's speed.
constexpr double kSpeedWeight = .5;

/// Lives as long as the program.
const char* nameOf(Engine engine) {
    static const Axis& axis = *findAxis("engine");
    return axis.values[static_cast<size_t>(engine)].id.c_str();
}

/// All work goes to the legacy default stream, in the order in which it is asked for.
class CudaRenderer : public Renderer {
public:
    explicit CudaRenderer(CudaDevice device)
        : device_(std::move(device)), stack_(StackLimit::of(device_.number)), kernels_(device_) {}

    DeviceInfo device() const override { return device_.info; }
    void setScene(const Scene& scene) override;
    void adjustSphere(int number, const Sphere& sphere) override;
    void giveHierarchy(const Bvh& built) override { scene_.giveHierarchy(built); }
    std::string unsupported(const Settings& settings) const override;
    void clear(Film& film) override;
    FrameStats advance(const Settings& settings, const Camera& camera, Film& film,
                       double budgetMs) override;
    FrameStats finish() override;
    void releasePaths() override {
        engines_.release();
        warn(stack_.release(), "give stacks back");
    }
    KernelInfo kernel() const override { return kernels_.info(); }
    PathLengths pathLengths(const Settings& settings, const Camera& camera, int width, int height,
                            int samples, const std::stop_token& stop) override {
        takeThread();
        return cudaPathLengths(device_, scene_, settings, camera, width, height, samples, stop);
    }
    PixelTimes pixelTimes(const Settings& settings, const Camera& camera, int width, int height,
                          int samples, const std::stop_token& stop) override {
        takeThread();
        return cudaPixelTimes(device_, scene_, settings, camera, width, height, samples, stop);
    }
    CounterReaderOr counterReader(const std::vector<std::string>& metrics) override {
        takeThread();
        return openCounterReader(device_.number, metrics);
    }

private:
    /// The device is the calling thread's from here on.
    void takeThread() const { check(cudaSetDevice(device_.number), "use the device"); }
    Variant derived(const Settings& settings) const {
        return kernelVariant(settings, scene_.traits(), baked_);
    }
    bool usable(const LoadedKernel& kernel, const Settings& settings) const;
    void collect();
    void learnSpeed(const FinishedLaunch& finished);
    double wait(double leftMs);
    void takeSpeed(LoadedKernel& kernel, const Settings& settings) const;
    double msPerPixelSample(const LoadedKernel& kernel) const;
    int samplesOfPass(const LoadedKernel& kernel, const Settings& settings, const Film& film,
                      double budgetMs) const;
    int nextRows(LoadedKernel& kernel, const Film& film, double leftMs);
    bool launch(LoadedKernel& kernel, const Settings& settings, const Camera& camera, Film& film,
                int rows);
    void takeScene();
    Result<void> prepareMemory(const Variant& variant, const Film& film);
    void launchPasses(LoadedKernel& kernel, const Settings& settings, const Camera& camera,
                      Film& film, double leftMs, double budgetMs);

    CudaDevice device_;
    StackLimit& stack_;
    DeviceScene scene_;
    unsigned baked_ = 0;  ///< Traits::baked of the scene; 0: it is too large for that
    KernelStore kernels_;
    Engines engines_;
    LaunchRing ring_;  ///< after kernels_: launches end before kernels are unloaded
    FrameStats stats_;
};

void CudaRenderer::setScene(const Scene& scene) {
    takeThread();
    scene_.set(scene);
    takeScene();
}

void CudaRenderer::adjustSphere(int number, const Sphere& sphere) {
    takeThread();
    scene_.adjust(number, sphere);
    takeScene();
}

/// What kernels are made for.
void CudaRenderer::takeScene() {
    const std::string text = bakedTextOf(scene_.scene());
    baked_ = text.empty() ? 0 : bakedId(text);
    kernels_.setBakedScene(text);
}

std::string CudaRenderer::unsupported(const Settings& settings) const {
    if (settings.backend != Backend::cuda) return "backend=cpu: this is the cuda backend";
    if (std::string reason = rayscope::unsupported(settings, scene_.scene()); !reason.empty()) {
        return reason;
    }
    const Variant v = derived(settings);
    if (std::string reason = problemOf(v, device_); !reason.empty()) return reason;
    if (const LoadedKernel* k = kernels_.loaded(v)) {
        return k->problemAt(settings.depth, device_);
    }
    return {};
}

/// True where the kernel computes this scene with these settings, though perhaps by another
/// variant.
bool CudaRenderer::usable(const LoadedKernel& kernel, const Settings& settings) const {
    const Variant& v = kernel.variant();
    return v.traits == kernelTraits(v.sceneMemory, scene_.traits(), baked_) &&
           (v.path != Path::stack || settings.depth <= v.stackLevels) &&
           kernel.problemAt(settings.depth, device_).empty();
}

/// The time per pixel and sample, for sizing launches.
void CudaRenderer::learnSpeed(const FinishedLaunch& f) {
    LoadedKernel* const kernel = kernels_.stillLoaded(f.record.kernel);
    if (kernel == nullptr) return;
    KernelSpeed& k = kernel->speed;
    const double now = f.ms / (static_cast<double>(f.record.pixels) * f.record.samples);
    const bool replace = k.msPerPixelSample <= 0 || k.provisional;
    k.msPerPixelSample =
        replace ? now : k.msPerPixelSample + kSpeedWeight * (now - k.msPerPixelSample);
    k.provisional = replace && !f.record.fills;
}

/// Takes the results of launches that are done.
void CudaRenderer::collect() {
    FinishedLaunch f;
    while (ring_.takeFinished(f)) {
        stats_.rays += f.rays;
        stats_.kernelMs += f.kernelMs;
        ++stats_.launches;
        if (f.record.timed) {
            stats_.timedRays += f.rays.total();
            stats_.timedMs += f.kernelMs;
        }
        learnSpeed(f);
    }
}

/// Waits for the oldest launch; returns the milliseconds that are left.
double CudaRenderer::wait(double leftMs) {
    const Zone zone("wait");
    leftMs -= ring_.waitForOldest(leftMs);
    collect();
    return leftMs;
}

/// Where there is no room, what the other of two pictures has kept gives way.
Result<void> CudaRenderer::prepareMemory(const Variant& v, const Film& film) {
    if (Result<void> prepared = engines_.prepare(v, film)) return prepared;
    releasePaths();
    return engines_.prepare(v, film);
}

/// What was measured of another scene or of shorter paths says nothing of what follows. Two
/// pictures that take turns may have one kernel and different threads of the host.
void CudaRenderer::takeSpeed(LoadedKernel& kernel, const Settings& settings) const {
    const int threads = hostThreads(kernel.variant(), settings);
    if (threads != kernel.speed.threads) std::swap(kernel.speed, kernel.otherSpeed);
    const KernelSpeed& known = kernel.speed;
    if (known.scene == scene_.version() && settings.depth <= known.depth &&
        threads == known.threads)
        return;
    kernel.speed = {.scene = scene_.version(), .depth = settings.depth, .threads = threads};
}

/// As measured, or a guess for a slow device where it has not been.
double CudaRenderer::msPerPixelSample(const LoadedKernel& kernel) const {
    if (kernel.speed.msPerPixelSample > 0) return kernel.speed.msPerPixelSample;
    return guessedMs(1, scene_.scene(), kernel.variant().accel);
}

/// Fewer than wanted where the fewest rows of a launch would take longer than a driver allows, or,
/// of a film that is watched, where what the device runs at once would take longer than the budget.
int CudaRenderer::samplesOfPass(const LoadedKernel& kernel, const Settings& settings,
                                const Film& film, double budgetMs) const {
    const Variant& v = kernel.variant();
    const double ms = msPerPixelSample(kernel);
    const double fewest = 1. * footprint(v).height * film.width;
    const int samples = howManyFit(settings.samples, fewest * ms, kLongestLaunchMs);
    if (!film.watched || kernel.speed.provisional || !passesMayBeCut(v)) return samples;
    // elsewhere fewer samples are fewer threads, and the device is not full any more
    const bool oneByOne = v.samplesAs == SamplesAs::loop && !inWaves(v);
    const double wave = oneByOne ? 1. * kernel.waveBlocks() * v.blockX * v.blockY : 0;
    const double atOnce = std::max(fewest, std::min(wave, 1. * film.width * film.height));
    return howManyFit(samples, atOnce * ms, budgetMs);
}

int CudaRenderer::nextRows(LoadedKernel& kernel, const Film& film, double leftMs) {
    const BandShape shape = engines_.of(kernel.variant()).shapeOf(kernel, film);
    LaunchNeeds needs;
    needs.rows = film.height;
    needs.cursor = film.cursor;
    needs.samples = film.passSamples;
    needs.granule = shape.granule;
    needs.waveRows = shape.waveRows;
    needs.mostRows = shape.mostRows;
    needs.msPerRowSample = kernel.speed.msPerPixelSample * film.width;
    // a launch of unknown length counts as some
    needs.queuedMs = ring_.empty() ? 0 : std::max(1e-6, ring_.queuedMs());
    needs.budgetMs = leftMs;
    return rowsOfLaunch(needs);
}

/// Launches rows of the pass; false where the device refuses the kernel, which is remembered.
bool CudaRenderer::launch(LoadedKernel& kernel, const Settings& settings, const Camera& camera,
                          Film& film, int rows) {
    const Zone zone("launch");
    CudaEngine& engine = engines_.of(kernel.variant());
    const BandShape shape = engine.shapeOf(kernel, film);
    LaunchRecord record;
    cudaError_t error = stack_.prepare(kernel.stackFor(settings.depth));
    if (error == cudaSuccess)
        error = engine.launch({kernel, scene_, settings, camera, film, rows}, ring_, record);
    if (error == cudaErrorLaunchOutOfResources || error == cudaErrorMemoryAllocation ||
        error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration) {
        cudaGetLastError();
        kernel.reject(
            fmt::format("the device does not launch this kernel: {}", cudaGetErrorString(error)));
        return false;
    }
    check(error, "launch a kernel");
    record.kernel = &kernel;
    record.name = nameOf(kernel.variant().engine);
    record.pixels = static_cast<long>(rows) * film.width;
    record.samples = film.passSamples;
    // A small picture never fills the device; the whole of it is then what there is to time. Where
    // the host works it is the budget that sizes bands.
    record.fills = hostWorks(kernel.variant()) ||
                   rows >= std::min({shape.waveRows, shape.mostRows, film.height});
    record.timed = kernel.launches > 0 && record.fills;
    if (!hostWorks(kernel.variant())) {
        record.expectedMs =
            kernel.speed.msPerPixelSample * static_cast<double>(record.pixels) * film.passSamples;
    }
    ring_.end(record);
    ++kernel.launches;
    film.cursor += rows;
    if (film.cursor >= film.height) endPass(film);
    return true;
}

void CudaRenderer::launchPasses(LoadedKernel& kernel, const Settings& settings,
                                const Camera& camera, Film& film, double leftMs, double budgetMs) {
    takeSpeed(kernel, settings);
    int passes = 0;
    bool launched = false;
    while (passes < settings.launches && !film.done()) {
        if (film.passSamples == 0) {
            beginPass(samplesOfPass(kernel, settings, film, budgetMs), film);
        }
        if (const Result<void> prepared = prepareMemory(kernel.variant(), film); !prepared) {
            kernel.reject(prepared.reason());
            return;
        }
        const int rows = ring_.full() ? 0 : nextRows(kernel, film, leftMs);
        if (rows == 0) {
            if (launched || leftMs <= 0) return;
            leftMs = wait(leftMs);  // for launches of earlier calls
            continue;
        }
        const Clock::time_point start = Clock::now();
        if (!launch(kernel, settings, camera, film, rows)) return;
        launched = true;
        if (film.passSamples == 0) ++passes;
        if (hostWorks(kernel.variant())) {  // done already
            leftMs = wait(leftMs - millisecondsSince(start));
            if (leftMs <= 0) return;
        } else if (kernel.speed.provisional && !film.done()) {
            // the next launch is sized from this one
            leftMs = wait(leftMs);
            if (leftMs <= 0) return;
        }
    }
}

FrameStats CudaRenderer::advance(const Settings& settings, const Camera& camera, Film& film,
                                 double budgetMs) {
    takeThread();
    collect();
    double left = budgetMs;
    LoadedKernel* const kernel = kernels_.choose(
        derived(settings), unsupported(settings).empty(),
        [&](const LoadedKernel& k) { return usable(k, settings); }, left);
    if (kernel != nullptr && film.width > 0 && film.height > 0) {
        launchPasses(*kernel, settings, camera, film, left, budgetMs);
    }
    return std::exchange(stats_, {});
}

FrameStats CudaRenderer::finish() {
    const Zone zone("finish");
    takeThread();
    check(cudaDeviceSynchronize(), "finish rendering");
    collect();
    return std::exchange(stats_, {});
}

void CudaRenderer::clear(Film& film) {
    takeThread();
    const size_t bytes = size_t{1} * film.width * film.height * sizeof(Pixel);
    if (bytes > 0) check(cudaMemsetAsync(film.pixels, 0, bytes), "clear the film");
    film.samples = film.skipped = film.passSamples = film.cursor = 0;
}

}  // namespace

std::variant<std::unique_ptr<Renderer>, std::string> makeCudaRenderer() {
    std::variant<CudaDevice, std::string> device = openDevice(cudaDevice());
    if (const std::string* reason = std::get_if<std::string>(&device)) return *reason;
    try {
        return std::make_unique<CudaRenderer>(std::move(std::get<CudaDevice>(device)));
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace rayscope
