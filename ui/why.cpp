#include "ui/why.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

#include "renderer/base/free_memory.h"
#include "renderer/base/thread_pool.h"
#include "renderer/base/timeline.h"
#include "renderer/profile/counters.h"

namespace rayscope {

namespace {

/// Of a view that shows a map.
RecordKind kindOf(const View& view) {
    return view.shown == Shown::time ? RecordKind::timeMap : RecordKind::rayMap;
}

/// The wish is what recordWish() would be.
bool isFor(const RecordWish& wish, RecordKind kind, const State& state, Size framebuffer) {
    return wish.kind == kind && wish.framebuffer == framebuffer && wish.camera == state.camera &&
           wish.settings == state.settings && wish.scene == state.scene;
}

/// The record under way is of what is seen.
bool wanted(const RecordWish& record, const Why::Wish& wish) {
    const View& view = wish.state.view;
    const bool seen = record.kind == RecordKind::divergence
                          ? wish.open
                          : wish.map && view.shown != Shown::picture && kindOf(view) == record.kind;
    return seen && wish.resting && isFor(record, record.kind, wish.state, wish.framebuffer);
}

constexpr size_t kMostCounts = 64;

/// For plots over time, in the window and in other programs.
void toTimeline(const CountedWork& work) {
    constexpr std::array<std::pair<const char*, const char*>, 5> kPlots{
        {{"issue_slots", "issue slots %"},
         {"lanes", "lanes an instruction"},
         {"achieved_occupancy", "achieved occupancy %"},
         {"eligible_warps", "eligible warps"},
         {"dram_throughput", "DRAM %"}}};
    for (const auto& [id, name] : kPlots) {
        const double value = counter(work.counters, id);
        if (std::isfinite(value)) recordCounter(name, value);
    }
}

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

/// How many paths are recorded at most. Without a hierarchy each ray meets every shape.
double mostPaths(const Settings& settings, const Scene& scene) {
    const bool gpu = settings.backend == Backend::cuda;
    const double most = gpu ? kMostPathsCuda : kMostPathsCpu;
    if (settings.variant.accel != Accel::brute) return most;
    const double shapes = static_cast<double>(shapeCount(scene));
    return std::max(gpu ? kLeastPathsCuda : kLeastPathsCpu,
                    most * kFewSpheres / std::max(kFewSpheres, shapes));
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

/// On its thread. Never throws.
Recorded Why::record(const std::stop_token& stop) {
    const RecordWish& w = recording_;
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

void Why::keep(Recorded found) {
    switch (found.wish.kind) {
        case RecordKind::divergence:
            analysis_ = std::move(found);
            break;
        case RecordKind::rayMap:
        case RecordKind::timeMap:
            map_ = std::move(found);
            ++maps_;
            break;
        case RecordKind::counters:
            if (counts_.size() == kMostCounts) counts_.erase(counts_.begin());
            toTimeline(found.counted);
            counts_.push_back({std::move(found.counted), found.wish.scene->name, {}, {}});
            counts_.back().facts = factsOf(counts_.back().work);
            counts_.back().limit = limitOf(counts_.back().work);
            countedWish_ = std::move(found.wish);
            break;
    }
}

void Why::compareWith(bool newest) {
    before_.reset();
    if (newest && !counts_.empty()) before_ = counts_.back();
}

std::string Why::step(const Wish& wish) {
    std::string problem;
    if (busy() && job_->step(0)) {
        Recorded found = std::move(job_->result());
        const bool cancelled = job_->cancelled();
        job_.reset();
        recording_ = {};
        problem = cancelled ? "" : found.problem;
        if (!problem.empty())
            failed_ = found.wish;
        else if (!cancelled)
            keep(std::move(found));
    }
    if (wish.again) {
        analysis_.reset();
        failed_.reset();
    }
    if (busy() && !counting() && !wanted(recording_, wish)) job_->cancel();
    countAsked_ |= wish.count;
    if (busy() || !wish.resting || wish.framebuffer.empty()) return problem;
    if (countAsked_) countedWish_.reset();
    if (countAsked_ || wish.follow) want(countedWish_, RecordKind::counters, wish);
    countAsked_ = false;
    const auto wishOf = [](const std::optional<Recorded>& record) {
        return record ? std::optional(record->wish) : std::nullopt;
    };
    if (wish.map && wish.state.view.shown != Shown::picture)
        want(wishOf(map_), kindOf(wish.state.view), wish);
    if (wish.open) want(wishOf(analysis_), RecordKind::divergence, wish);
    return problem;
}

void Why::want(const std::optional<RecordWish>& have, RecordKind kind, const Wish& wish) {
    if (busy()) return;
    if (have && isFor(*have, kind, wish.state, wish.framebuffer)) return;
    if (failed_ && isFor(*failed_, kind, wish.state, wish.framebuffer)) return;
    recording_ = recordWish(kind, wish.state, wish.framebuffer);
    job_ = std::make_unique<ThreadJob<Recorded>>(
        [this](const std::stop_token& stop) { return record(stop); });
}

bool Why::timing() const {
    return busy() && (counting() || (recording_.kind == RecordKind::timeMap &&
                                     recording_.settings.backend == Backend::cpu));
}

const CostMap* Why::map(const State& state, Size framebuffer) const {
    const bool wanted = state.view.shown != Shown::picture && map_ &&
                        isFor(map_->wish, kindOf(state.view), state, framebuffer);
    return wanted ? &map_->map : nullptr;
}

}  // namespace rayscope
