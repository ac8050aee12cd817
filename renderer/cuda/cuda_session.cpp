#include "renderer/cuda/cuda_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/choices/sources.h"
#include "renderer/core/footprint.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/isolation.h"
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

/// True for errors of a launch after which the device still works.
bool isRefusal(cudaError_t error) {
    return error == cudaErrorLaunchOutOfResources || error == cudaErrorMemoryAllocation ||
           error == cudaErrorInvalidValue || error == cudaErrorInvalidConfiguration;
}

}  // namespace

CudaSession::CudaSession(std::shared_ptr<CudaCore> core, Film& film)
    : Session(film), core_(std::move(core)) {
    core_->enter(*this);
}

CudaSession::~CudaSession() {
    warn(cudaSetDevice(core_->device.number), "use the device");
    core_->leave(*this);
}

void CudaSession::clearPixels() {
    core_->useThread();
    if (filmBytes() > 0) check(cudaMemsetAsync(film().pixels, 0, filmBytes()), "clear the film");
    film().rest = nullptr;
    apart_ = pending_ = false;
    recentSamples_ = 0;
}

size_t CudaSession::filmBytes() const {
    return size_t{1} * film().width * film().height * sizeof(Pixel);
}

void CudaSession::emptied() {
    if (film().rest == nullptr) return;
    core_->useThread();
    check(cudaMemsetAsync(film().rest, 0, filmBytes()), "clear the film");
}

/// Decides where the launches of a pass add. Where there is no memory for recent samples, and in a
/// window until their kernel is compiled, that is the film.
void CudaSession::beginSums() {
    apart_ = false;
    if (film().samples < kFewSums) return;
    if (watched() && !core_->adder().ready()) return;
    if (film().rest == nullptr) {
        if (!recent_.reserve(filmBytes()) || !rest_.reserve(filmBytes())) return;
        for (const DeviceBuffer* buffer : {&recent_, &rest_})
            check(cudaMemsetAsync(buffer->data(), 0, filmBytes()), "clear the film");
        film().rest = reinterpret_cast<Pixel*>(rest_.data());
    }
    apart_ = true;
}

/// Adds the recent samples to the film, behind the launches so far.
void CudaSession::addRecent() {
    if (!std::exchange(pending_, false)) return;
    recentSamples_ = 0;
    core_->adder().add(film().pixels, film().rest, reinterpret_cast<Pixel*>(recent_.data()),
                       film().width * film().height, true);
}

FrameStats CudaSession::advance(const Settings& settings, const Camera& camera, double budgetMs) {
    core_->useThread();
    core_->collect();
    double left = budgetMs;
    const Variant wanted = core_->derived(settings);
    packing_ = packingOf(wanted, settings);
    const bool chosen =
        hierarchyReady(left) && core_->kernels.choose(core_->requestFor(wanted, settings.source),
                                                      wishOf(settings, camera), choice_, left);
    if (choice_.compileLog.empty()) choice_.compileLog = core_->scene.problem(packing_);
    if (chosen && film().width > 0 && film().height > 0 && sceneReady(settings, left))
        launchPasses(settings, camera, left, budgetMs);
    if (watched() && pass().samples == 0) addRecent();  // to be seen
    return takeStats();
}

/// Whether the scene is packed for the kernel that is there. One that goes on only while the next
/// is compiled gets no packing of its own.
bool CudaSession::sceneReady(const Settings& settings, double leftMs) {
    const ScenePacking packing = packingOf(active().variant(), settings);
    if (packing == packing_) return true;
    if (choice_.compileLog.empty()) return core_->scene.isPacked(packing);
    const Result<bool> ready = core_->scene.ready(packing, leftMs);
    return ready && *ready;
}

KernelStore<LoadedKernel>::Wish CudaSession::wishOf(const Settings& settings,
                                                    const Camera& camera) const {
    KernelStore<LoadedKernel>::Wish wish{
        .refused = core_->unsupported(settings),
        .usable = [this, &settings](const LoadedKernel& k) { return core_->usable(k, settings); },
        .postponed = settings.source != kBuiltIn && film().width == 0};
    if (settings.source != kBuiltIn && film().width > 0)
        wish.trial = [trial = KernelTrial{core_->scene.sharedOutline(), camera, settings,
                                          film().width, film().height, core_->device.number}](
                         const std::vector<KernelSource>& sources, const GoOn& goOn) {
            return needsIsolation(sources) ? tryKernel(trial, sources, goOn) : Result<void>();
        };
    return wish;
}

/// Whether the scene is packed and the kernels that build its hierarchy are there; waits for up to
/// leftMs, from which it subtracts the time.
bool CudaSession::hierarchyReady(double& leftMs) {
    const Clock::time_point start = Clock::now();
    const Result<bool> ready = core_->scene.ready(packing_, leftMs);
    leftMs -= millisecondsSince(start);
    packingScene_ = ready && !*ready;
    if (ready && *ready) return true;
    choice_.ready = false;
    choice_.compileLog = ready ? std::string() : ready.reason();
    return false;
}

KernelInfo CudaSession::kernel() const {
    KernelInfo info;
    if (choice_.active) info = choice_.active->info();
    info.ready = choice_.ready;
    info.packing = packingScene_;
    info.compileLog = choice_.compileLog;
    return info;
}

FrameStats CudaSession::takeStats() {
    stats_.buildMs = core_->scene.buildMs(packing_);
    stats_.hierarchyBytes = core_->scene.hierarchyBytes(packing_);
    return std::exchange(stats_, {});
}

bool CudaSession::worksOn() const {
    return choice_.active && !hostWorks(active().variant());
}

double CudaSession::leftMs() {
    core_->useThread();
    core_->collect();
    return core_->ring.queuedMs();
}

FrameStats CudaSession::finish() {
    const Zone zone("finish");
    core_->useThread();
    if (!watched()) addRecent();  // a watched film may be OpenGL's now
    check(cudaDeviceSynchronize(), "finish rendering");
    core_->collect();
    return takeStats();
}

void CudaSession::wake() {
    core_->useThread();
    core_->collect();
    if (!core_->ring.full()) core_->ring.begin();  // without a launch
    check(cudaDeviceSynchronize(), "wake the device");
}

void CudaSession::releasePaths() {
    core_->useThread();
    releaseEngines();
    warn(core_->stack.release(), "free stacks");
}

void CudaSession::take(const FinishedLaunch& f) {
    stats_.rays += f.rays;
    stats_.kernelMs += f.kernelMs;
    ++stats_.launches;
    if (f.record.timed) {
        stats_.timedRays += f.rays.total();
        stats_.timedMs += f.kernelMs;
        stats_.fill = leastFill(stats_.fill, f.record.fill);
    }
    KernelSpeed& k = speeds_[f.record.kernel->number()];
    const double now = f.ms / (static_cast<double>(f.record.pixels) * f.record.samples);
    const bool replace = k.msPerPixelSample <= 0 || k.provisional;
    k.msPerPixelSample =
        replace ? now : k.msPerPixelSample + kSpeedWeight * (now - k.msPerPixelSample);
    k.provisional = replace && !f.record.fills;
    k.rows.learn(f.record.firstRow, f.record.rows, f.record.height, now, f.record.fills);
    f.record.kernel->speed = k;
}

/// What is known of the active kernel's speed: for a new film, what another film has measured;
/// nothing if that was with another scene, shorter paths or another number of host threads.
KernelSpeed& CudaSession::speedOf(const Settings& settings) {
    const LoadedKernel& kernel = active();
    KernelSpeed& known = speeds_.try_emplace(kernel.number(), kernel.speed).first->second;
    const int threads = hostThreads(kernel.variant(), settings);
    const unsigned scene = core_->scene.number();
    if (known.scene != scene || settings.depth > known.depth || known.threads != threads)
        known = {.scene = scene, .depth = settings.depth, .threads = threads};
    return known;
}

/// Waits for the oldest launch and returns the milliseconds that are left.
double CudaSession::wait(double leftMs) {
    const Zone zone("wait");
    leftMs -= core_->ring.waitForOldest(leftMs);
    core_->collect();
    return leftMs;
}

/// If there is no room, frees the path memory of other films.
Result<void> CudaSession::prepareMemory() {
    const Variant& v = active().variant();
    if (Result<void> prepared = engines_.prepare(v, film(), pass().samples)) return prepared;
    core_->releasePaths();
    return engines_.prepare(v, film(), pass().samples);
}

/// Samples of the next pass: fewer than wanted if the fewest rows of a launch would take longer
/// than drivers allow or, for a watched film, if what the device runs at once would exceed the
/// budget.
int CudaSession::samplesOfPass(const Settings& settings, double budgetMs) {
    const LoadedKernel& kernel = active();
    const Variant& v = kernel.variant();
    const KernelSpeed& speed = speedOf(settings);
    const double ms = speed.msPerPixelSample > 0
                          ? speed.msPerPixelSample
                          : guessedMs(1, core_->scene.sharedOutline(), v.accel);
    const double fewest = 1. * footprint(v).height * film().width;
    const int samples = howManyFit(settings.samples, fewest * ms, kLongestLaunchMs);
    if (!watched() || speed.provisional || !passesMayBeCut(v)) return samples;
    // elsewhere fewer samples are fewer threads, which would not fill the device
    const bool inTurn = v.samplesAs == SamplesAs::loop && !storesPaths(v);
    const double resident = inTurn ? 1. * kernel.residentBlocks() * v.blockX * v.blockY : 0;
    const double atOnce = std::max(fewest, std::min(resident, 1. * film().width * film().height));
    const bool fills = settings.launches == kAsManyAsFit;
    return howManyFit(samples, atOnce * std::max(ms, speed.rows.most()),
                      fills ? std::min(budgetMs, kFillMs) : budgetMs);
}

/// Of a sample of each pixel of a row, as a mean of the rows that a launch may have.
double CudaSession::msOfNextRows(const Settings& settings, int granule, double leftMs) {
    const KernelSpeed& speed = speedOf(settings);
    const double width = film().width, ms = std::max(kMostFillMs, leftMs) / pass().samples / width;
    const double known = speed.rows.meanWithin(ms, pass().cursor, film().height, granule);
    return width * (known > 0 ? known : speed.msPerPixelSample);
}

/// Where the host works between kernels, the budget alone decides on the size of bands.
double CudaSession::fillMs(const Settings& settings) {
    if (hostWorks(active().variant())) return 0;
    if (!watched()) return kLongestLaunchMs;
    return speedOf(settings).provisional ? kFirstFillMs : 0;
}

int CudaSession::nextRows(const Settings& settings, double leftMs) {
    const LoadedKernel& kernel = active();
    const BandShape shape = engines_.of(kernel.variant()).shapeOf(kernel, film(), pass().samples);
    LaunchNeeds needs;
    needs.rows = film().height;
    needs.cursor = pass().cursor;
    needs.samples = pass().samples;
    needs.granule = shape.granule;
    needs.rowsToFill = shape.rowsToFill;
    needs.mostRows = shape.mostRows;
    needs.msPerRowSample = msOfNextRows(settings, shape.granule, leftMs);
    // not 0 if launches of unknown length are queued
    needs.queuedMs = core_->ring.empty() ? 0 : std::max(1e-6, core_->ring.queuedMs());
    needs.budgetMs = leftMs;
    needs.fills = settings.launches == kAsManyAsFit;
    needs.fillMs = fillMs(settings);
    return rowsOfLaunch(needs);
}

/// Launches rows of the pass; false if the device refuses the kernel, which is then rejected.
bool CudaSession::launch(const Settings& settings, const Camera& camera, int rows) {
    LoadedKernel& kernel = active();
    const Zone zone("launch");
    const Variant& v = kernel.variant();
    CudaEngine& engine = engines_.of(v);
    const BandShape shape = engine.shapeOf(kernel, film(), pass().samples);
    Film target = film();
    if (apart_) target.pixels = reinterpret_cast<Pixel*>(recent_.data());
    LaunchRecord record;
    cudaError_t error = core_->stack.prepare(kernel.stackFor(settings.depth));
    if (error == cudaSuccess)
        error = engine.launch({kernel, core_->scene, settings, camera, target, pass(), rows},
                              core_->ring, record);
    if (isRefusal(error)) {
        cudaGetLastError();
        kernel.reject(
            fmt::format("the device does not launch this kernel: {}", cudaGetErrorString(error)));
        return false;
    }
    check(error, "launch a kernel");
    record.session = this;
    record.kernel = choice_.active;
    record.name = nameOf(v.engine);
    record.firstRow = pass().cursor;
    record.rows = rows;
    record.height = film().height;
    record.pixels = static_cast<long>(rows) * film().width;
    record.samples = pass().samples;
    // A small picture never fills the device: then all of it is what can be timed. Where the host
    // works, the budget decides the size of bands.
    record.fills =
        hostWorks(v) || rows >= std::min({shape.rowsToFill, shape.mostRows, film().height});
    record.timed = kernel.launches > 0 && record.fills;
    if (!hostWorks(v)) {
        record.fill = 1. * rows / std::max(shape.rowsToFill, 1);
        const KernelSpeed& speed = speedOf(settings);
        const double known = speed.rows.mean(record.firstRow, rows, film().height);
        record.expectedMs = (known > 0 ? known : speed.msPerPixelSample) *
                            static_cast<double>(record.pixels) * pass().samples;
    }
    core_->ring.end(record);
    ++kernel.launches;
    movePass(pass().cursor + rows, film().height);
    if (!apart_) return true;
    pending_ = true;
    if (pass().samples == 0) recentSamples_ += record.samples;
    if (done() || recentSamples_ >= kFewSums) addRecent();
    return true;
}

void CudaSession::launchPasses(const Settings& settings, const Camera& camera, double leftMs,
                               double budgetMs) {
    int passes = 0;
    bool launched = false;
    while (passes < settings.launches && !done()) {
        if (pass().samples == 0) {
            beginPass(samplesOfPass(settings, budgetMs));
            beginSums();
        }
        if (const Result<void> prepared = prepareMemory(); !prepared) {
            active().reject(prepared.reason());
            return;
        }
        const int rows = core_->ring.full() ? 0 : nextRows(settings, leftMs);
        if (rows == 0) {
            const bool busy = settings.launches == kAsManyAsFit && !core_->ring.empty();
            if (launched || leftMs <= 0 || busy) return;
            leftMs = wait(leftMs);  // for launches of earlier calls
            continue;
        }
        const Clock::time_point start = Clock::now();
        if (!launch(settings, camera, rows)) return;
        launched = true;
        if (pass().samples == 0) ++passes;
        if (hostWorks(active().variant())) {  // done already
            leftMs = wait(leftMs - millisecondsSince(start));
            if (leftMs <= 0) return;
        } else if (speedOf(settings).provisional && !done()) {
            // the next launch is sized from this one
            leftMs = wait(leftMs);
            if (leftMs <= 0) return;
        }
    }
}

}  // namespace rayscope
