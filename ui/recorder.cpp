#include "ui/recorder.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

#include "renderer/base/free_memory.h"
#include "renderer/base/thread_pool.h"

namespace rayscope {

namespace {

/// About a second of a slow processor; a byte each on a GPU. Of scenes of up to so many spheres.
constexpr double kMostPathsCpu = 1.5e6, kMostPathsCuda = 32e6, kFewSpheres = 46;
/// Of any scene: fewer would tell nothing of the picture.
constexpr double kLeastPathsCpu = 2e4, kLeastPathsCuda = 1e6;
/// A warp of SamplesAs::threads; on the CPU too, where warps are what a GPU would have.
constexpr int kMostSamples = 32;
constexpr int kMapSamples = 4;

/// A recording runs beside the picture, whose threads are many where the user has asked for many:
/// it has half of the cores. While pixels are timed the picture rests; more threads than cores
/// would be timed waiting for each other.
Settings besideThePicture(const RecordWish& wish) {
    Settings settings = wish.settings;
    const bool timed = wish.kind == RecordKind::timeMap;
    settings.threads =
        timed ? std::min(settings.threads, coreCount()) : std::max(1, coreCount() / 2);
    return settings;
}

/// How many paths are recorded at most. Without a hierarchy each ray meets every sphere.
double mostPaths(const Settings& settings, const Scene& scene) {
    const bool gpu = settings.backend == Backend::cuda;
    const double most = gpu ? kMostPathsCuda : kMostPathsCpu;
    if (settings.variant.accel != Accel::brute) return most;
    const double spheres = static_cast<double>(scene.spheres.size());
    return std::max(gpu ? kLeastPathsCuda : kLeastPathsCpu,
                    most * kFewSpheres / std::max(kFewSpheres, spheres));
}

void analyse(PathLengths paths, Recorded& result) {
    const Settings& s = result.wish.settings;
    result.divergence = divergenceOf(paths, s.variant, s.depth);
    result.lanes = lanesOf(paths, s.variant, s.depth);
    result.engines = lanesOfEngines(paths, s.variant, s.depth);
    freeMemory(paths.rays);
    result.paths = std::move(paths);
}

}  // namespace

RecordWish recordWish(RecordKind kind, const State& state, Size framebuffer) {
    const bool gpu = state.settings.backend == Backend::cuda;
    RecordWish wish{kind,        state.scene, state.camera, state.settings,
                    framebuffer, framebuffer, kMostSamples};
    if (kind == RecordKind::counters) {
        wish.samples = state.settings.samples;
        return wish;  // as it is rendered
    }
    if (kind != RecordKind::divergence)
        wish.samples = kMapSamples;
    else if (gpu)
        wish.samples = std::min(state.settings.samples, kMostSamples);
    const double pixels = mostPaths(state.settings, state.scene) / wish.samples;
    const double all = 1. * framebuffer.width * framebuffer.height;
    const double smaller = all > pixels ? std::sqrt(pixels / all) : 1;
    wish.size.width = std::max(1, static_cast<int>(framebuffer.width * smaller));
    wish.size.height = std::max(1, static_cast<int>(framebuffer.height * smaller));
    return wish;
}

bool isFor(const RecordWish& wish, RecordKind kind, const State& state, Size framebuffer) {
    return wish.kind == kind && wish.framebuffer == framebuffer && wish.camera == state.camera &&
           wish.settings == state.settings && wish.scene == state.scene;
}

void Recorder::start(RecordWish wish) {
    timing_ = wish.kind == RecordKind::counters ||
              (wish.kind == RecordKind::timeMap && wish.settings.backend == Backend::cpu);
    wish_ = std::make_shared<const RecordWish>(std::move(wish));
    job_ = std::make_unique<ThreadJob<Recorded>>(
        [this](const std::stop_token& stop) { return record(*wish_, stop); });
}

std::optional<Recorded> Recorder::take() {
    if (!busy() || !job_->step(0)) return {};
    std::optional<Recorded> found;
    if (!job_->cancelled()) found = std::move(job_->result());
    job_.reset();
    wish_.reset();
    return found;
}

Recorded Recorder::record(const RecordWish& w, const std::stop_token& stop) {
    Recorded result;
    result.wish = w;
    try {
        if (!machine_ || reopen_.exchange(false)) machine_ = open_();
        Renderer* renderer = machine_->of(w.settings.backend);
        if (renderer == nullptr) throw std::runtime_error(machine_->noCuda);
        renderer->setScene(w.scene);
        const auto [width, height] = w.size;
        const Settings settings = besideThePicture(w);
        if (w.kind == RecordKind::counters) {
            CountJob job(*renderer, w.settings, w.scene, w.camera, width, height);
            if (!playWhile(job, [&] { return !stop.stop_requested(); })) return result;
            result.counted = job.result();
            result.problem = job.problem();
            return result;
        }
        if (w.kind == RecordKind::timeMap) {
            result.map =
                costMap(renderer->pixelTimes(settings, w.camera, width, height, w.samples, stop));
            return result;
        }
        PathLengths paths =
            renderer->pathLengths(settings, w.camera, width, height, w.samples, stop);
        if (stop.stop_requested()) return result;
        if (w.kind == RecordKind::rayMap)
            result.map = costMap(paths);
        else
            analyse(std::move(paths), result);
    } catch (const std::exception& error) {
        machine_.reset();
        result.problem = error.what();
    }
    return result;
}

}  // namespace rayscope
