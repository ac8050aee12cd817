#include "renderer/cuda/pass_launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/core/footprint.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/launch_plan.h"
#include "renderer/cuda/wave_memory.h"

namespace rayscope {

namespace {

/// Weight of the newest launch in a kernel's speed.
constexpr double kSpeedWeight = .5;

/// Lives as long as the program.
const char* nameOf(Engine engine) {
    static const Axis& axis = *findAxis("engine");
    return axis.values[static_cast<size_t>(engine)].id.c_str();
}

/// Errors of a launch that leave the device as it was.
bool isRefusal(cudaError_t error) {
    return error == cudaErrorLaunchOutOfResources || error == cudaErrorMemoryAllocation ||
           error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration;
}

}  // namespace

PassLauncher::PassLauncher(const CudaDevice& device, DeviceScene& scene, const KernelStore& kernels)
    : stack_(StackLimit::of(device.number)), scene_(scene), kernels_(kernels) {}

FrameStats PassLauncher::takeStats() {
    return std::exchange(stats_, {});
}

void PassLauncher::releasePaths() {
    engines_.release();
    warn(stack_.release(), "give stacks back");
}

/// What was measured of another scene or of shorter paths says nothing of what follows.
KernelSpeed& PassLauncher::speedOf(LoadedKernel& kernel, const Settings& settings) const {
    KernelSpeed& known = kernel.speeds[hostThreads(kernel.variant(), settings)];
    if (known.scene != scene_.version() || settings.depth > known.depth)
        known = {.scene = scene_.version(), .depth = settings.depth};
    return known;
}

/// The time per pixel and sample, for sizing launches.
void PassLauncher::learnSpeed(const FinishedLaunch& f) {
    LoadedKernel* const kernel = kernels_.stillLoaded(f.record.kernel);
    if (kernel == nullptr) return;
    KernelSpeed& k = kernel->speeds[f.record.hostThreads];
    const double now = f.ms / (static_cast<double>(f.record.pixels) * f.record.samples);
    const bool replace = k.msPerPixelSample <= 0 || k.provisional;
    k.msPerPixelSample =
        replace ? now : k.msPerPixelSample + kSpeedWeight * (now - k.msPerPixelSample);
    k.provisional = replace && !f.record.fills;
}

void PassLauncher::collect() {
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
double PassLauncher::wait(double leftMs) {
    const Zone zone("wait");
    leftMs -= ring_.waitForOldest(leftMs);
    collect();
    return leftMs;
}

/// Where there is no room, what the other of two pictures has kept gives way.
Result<void> PassLauncher::prepareMemory(const Variant& v, const Film& film) {
    if (Result<void> prepared = engines_.prepare(v, film)) return prepared;
    releasePaths();
    return engines_.prepare(v, film);
}

/// Fewer than wanted where the fewest rows of a launch would take longer than a driver allows, or,
/// of a film that is watched, where what the device runs at once would take longer than the budget.
int PassLauncher::samplesOfPass(LoadedKernel& kernel, const Settings& settings, const Film& film,
                                double budgetMs) const {
    const Variant& v = kernel.variant();
    const KernelSpeed& speed = speedOf(kernel, settings);
    const double ms =
        speed.msPerPixelSample > 0 ? speed.msPerPixelSample : guessedMs(1, scene_.scene(), v.accel);
    const double fewest = 1. * footprint(v).height * film.width;
    const int samples = howManyFit(settings.samples, fewest * ms, kLongestLaunchMs);
    if (!film.watched || speed.provisional || !passesMayBeCut(v)) return samples;
    // elsewhere fewer samples are fewer threads, and the device is not full any more
    const bool oneByOne = v.samplesAs == SamplesAs::loop && !inWaves(v);
    const double wave = oneByOne ? 1. * kernel.waveBlocks() * v.blockX * v.blockY : 0;
    const double atOnce = std::max(fewest, std::min(wave, 1. * film.width * film.height));
    return howManyFit(samples, atOnce * ms, budgetMs);
}

int PassLauncher::nextRows(LoadedKernel& kernel, const Settings& settings, const Film& film,
                           double leftMs) {
    const BandShape shape = engines_.of(kernel.variant()).shapeOf(kernel, film);
    LaunchNeeds needs;
    needs.rows = film.height;
    needs.cursor = film.cursor;
    needs.samples = film.passSamples;
    needs.granule = shape.granule;
    needs.waveRows = shape.waveRows;
    needs.mostRows = shape.mostRows;
    needs.msPerRowSample = speedOf(kernel, settings).msPerPixelSample * film.width;
    // a launch of unknown length counts as some
    needs.queuedMs = ring_.empty() ? 0 : std::max(1e-6, ring_.queuedMs());
    needs.budgetMs = leftMs;
    return rowsOfLaunch(needs);
}

/// Launches rows of the pass; false where the device refuses the kernel, which is remembered.
bool PassLauncher::launch(LoadedKernel& kernel, const Settings& settings, const Camera& camera,
                          Film& film, int rows) {
    const Zone zone("launch");
    const Variant& v = kernel.variant();
    CudaEngine& engine = engines_.of(v);
    const BandShape shape = engine.shapeOf(kernel, film);
    LaunchRecord record;
    cudaError_t error = stack_.prepare(kernel.stackFor(settings.depth));
    if (error == cudaSuccess)
        error = engine.launch({kernel, scene_, settings, camera, film, rows}, ring_, record);
    if (isRefusal(error)) {
        cudaGetLastError();
        kernel.reject(
            fmt::format("the device does not launch this kernel: {}", cudaGetErrorString(error)));
        return false;
    }
    check(error, "launch a kernel");
    record.kernel = &kernel;
    record.hostThreads = hostThreads(v, settings);
    record.name = nameOf(v.engine);
    record.pixels = static_cast<long>(rows) * film.width;
    record.samples = film.passSamples;
    // A small picture never fills the device; the whole of it is then what there is to time. Where
    // the host works it is the budget that sizes bands.
    record.fills = hostWorks(v) || rows >= std::min({shape.waveRows, shape.mostRows, film.height});
    record.timed = kernel.launches > 0 && record.fills;
    if (!hostWorks(v)) {
        record.expectedMs = speedOf(kernel, settings).msPerPixelSample *
                            static_cast<double>(record.pixels) * film.passSamples;
    }
    ring_.end(record);
    ++kernel.launches;
    film.cursor += rows;
    if (film.cursor >= film.height) endPass(film);
    return true;
}

void PassLauncher::advance(LoadedKernel& kernel, const Settings& settings, const Camera& camera,
                           Film& film, double leftMs, double budgetMs) {
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
        const int rows = ring_.full() ? 0 : nextRows(kernel, settings, film, leftMs);
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
        } else if (speedOf(kernel, settings).provisional && !film.done()) {
            // the next launch is sized from this one
            leftMs = wait(leftMs);
            if (leftMs <= 0) return;
        }
    }
}

}  // namespace rayscope
