#include <backends/imgui_impl_opengl3.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "renderer/base/own_files.h"
#include "renderer/base/say.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/axes.h"
#include "renderer/devices/starting.h"
#include "renderer/lab/group_report.h"
#include "renderer/lab/report.h"
#include "renderer/scene/json.h"
#include "ui/gl_zones.h"
#include "ui/viewer_class.h"

namespace rayscope {

namespace {

/// Where OpenGL runs on the CPU, larger films would take longer to show than to trace.
constexpr double kSoftwareGlPixels = 1920 * 1080;
/// And a picture that only loses noise is renewed this often.
constexpr double kSoftwareGlSeconds = .12;
/// Where the GPU traces meanwhile, as no kernel runs beside: every second frame of 60 a second, and
/// later, as the picture hardly changes any more.
constexpr double kFilledSeconds = .025, kSettledSeconds = .1, kSettledAfterSeconds = 1;

/// Without input for so long the window is left alone.
constexpr double kUntouchedSeconds = 1;

/// Of a frame's budget while a feature has a job.
constexpr double kPictureShare = .3;

nlohmann::json pair(Size size) {
    return {size.width, size.height};
}

constexpr double kStatusSeconds = .05;
/// Between questions to the driver for its memory in use.
constexpr double kMemorySeconds = .5;
constexpr double kLongestSeconds = 1;

/// The second number of /proc/self/statm is the resident set, in pages; 0 where there is none.
double residentBytes() {
    std::ifstream file("/proc/self/statm");
    double all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// What malloc() has given out and not taken back; 0 where that is not known.
double heapBytes() {
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
#else
    return 0;
#endif
}

}  // namespace

/// The part of the frame that is a job's; the picture's has been traced.
void Viewer::goOnWithJob() {
    const auto job = std::find_if(features_.begin(), features_.end(),
                                  [](const WindowFeature* feature) { return feature->working(); });
    if (job == features_.end() || anyOf(&WindowFeature::needsSilence, *job)) return;
    const bool shared = (*job)->processor(frame_) == Backend::cuda && !window_.softwareGl();
    const double ms = (1 - kPictureShare) * budget_.milliseconds(shared);
    if (!budget_.affordsJob(ms)) return;
    const Zone zone("lab step");
    if (shared) glFinish();  // what is still being drawn is no part of what is measured
    budget_.begin(now());
    (*job)->work(frame_, ms);
    budget_.endJob(now(), ms);
}

/// Meanwhile the window shows what it has, and then a coarse picture first.
bool Viewer::hierarchyReady() {
    if (!walksSahTree(state_.settings) && !(state_.pinned && walksSahTree(state_.pinned->settings)))
        return true;
    const bool ready = hierarchy_.ready(
        frame_.shown(), 0, [this](const SharedBvh& built) { backends_.giveHierarchy(built); });
    if (!ready) steering_.noteMove(frame_.now);
    return ready;
}

void Viewer::trace() {
    // The scene may have been its last.
    if (usesCuda(state_) && !backends_.has(Backend::cuda))
        frame_.warn(goOnWithoutCuda(backends_.noCuda()));
    if (frame_.paused || anyOf(&WindowFeature::needsSilence) || !hierarchyReady()) return;
    const Zone zone("trace");
    frame_.rates.look(state_.camera, steering_.moving(frame_.now));
    versus_.prepare(frame_);
    const bool onGpu = usesCuda(state_) && !window_.softwareGl();
    const Display wanted = state_.settings.display;
    std::string message;
    FrameStats stats;
    const double budgetMs = fillsFrames()
                                ? steering_.moving(frame_.now) ? budget_.wholeMs() : kFedMs
                            : working()     ? kPictureShare * budget_.milliseconds(onGpu)
                            : isLeftAlone() ? budget_.millisecondsAtRest()
                                            : budget_.milliseconds(onGpu);
    budget_.begin(now());
    try {
        stats = traceFor(budgetMs, onGpu, &message);
    } catch (const std::runtime_error& error) {
        message = goOnAfter(error);
    }
    budget_.endTrace(now(), budgetMs);
    frame_.warn(message);
    tellOfLost();
    if (state_.settings.display != wanted) measured_.display = state_.settings.display;
    const bool settled = !steering_.moving(frame_.now) && kernel().ready;
    recordRate(stats.timedRays, stats.timedMs);
    const std::pair<long, int> seen{tracer_.films(), tracer_.film().samples};
    // a film that has only begun has no whole pass
    const bool whole = std::exchange(seen_, seen) != seen && seen.second > 0;
    frame_.rates.add(stats, frame_.now, frame_.seconds, settled, state_.pinned || whole);
}

/// The device traces whenever the window does not.
bool Viewer::fillsFrames() const {
    return state_.settings.pace == Pace::fill && !state_.pinned && !frame_.paused && !working() &&
           !anyOf(&WindowFeature::needsSilence) && tracer_.worksOn();
}

/// The picture is at rest, nothing else goes on, and drawing takes time from what traces.
bool Viewer::isLeftAlone() const {
    return window_.softwareGl() && !usesCuda(state_) && !steering_.moving(frame_.now) &&
           frame_.now - touched_ > kUntouchedSeconds;
}

/// After a swap, of what the device was given before.
void Viewer::seeWhatIsLeft() {
    if (steering_.moving(now())) return;
    try {
        budget_.swapped(tracer_.leftMs());
    } catch (const std::runtime_error& error) {
        frame_.warn(goOnAfter(error));
    }
}

void Viewer::keepBusy(double ms) {
    if (!fillsFrames() || steering_.moving(frame_.now)) return;
    const Zone zone("keep busy");
    try {
        tracer_.keepBusy(ms);
    } catch (const std::runtime_error& error) {
        frame_.warn(goOnAfter(error));
    }
}

/// After what tracing has thrown.
std::string Viewer::goOnAfter(const std::runtime_error& error) {
    if (!usesCuda(state_)) return goOnWithFewerThreads(error.what());
    const std::string rest = goOnWithOtherGpus(error.what());
    return rest.empty() ? goOnWithoutCuda(error.what()) : rest;
}

/// Of several GPUs, that of the film has failed. Empty where there are no others.
std::string Viewer::goOnWithOtherGpus(const std::string& reason) {
    if (!backends_.has(Backend::cuda)) return {};
    if (state_.settings.backend == Backend::cuda) tracer_.forget();
    const std::string unpinned = versus_.forget(frame_);
    if (!backends_.goOnWithout(reason)) return {};
    lost_ = backends_.get(Backend::cuda).lost();
    return fmt::format("{}: going on with {}{}{}", lost_,
                       backends_.get(Backend::cuda).device().name, unpinned.empty() ? "" : ". ",
                       unpinned);
}

/// Of several devices, another one than the film's has failed since the last call.
void Viewer::tellOfLost() {
    const std::string lost = backends_.get(state_.settings.backend).lost();
    if (std::exchange(lost_, lost) == lost || lost.empty()) return;
    frame_.warn(fmt::format("{}: going on without it", lost));
}

double Viewer::filledSeconds() const {
    return tracer_.age(frame_.now) > kSettledAfterSeconds ? kSettledSeconds : kFilledSeconds;
}

FrameStats Viewer::traceFor(double budgetMs, bool onGpu, std::string* message) {
    const Tracer::Wish wish{.camera = state_.camera,
                            .settings = &state_.settings,
                            .framebuffer = frame_.framebuffer,
                            .mostPixels = window_.softwareGl() ? kSoftwareGlPixels : 0,
                            .uploadSeconds = window_.softwareGl() ? kSoftwareGlSeconds

                                             : fillsFrames() ? filledSeconds()
                                                             : 0,
                            .moving = steering_.moving(frame_.now),
                            .budgetMs = budgetMs,
                            .now = frame_.now};
    if (state_.pinned) return versus_.trace(frame_, wish, message);
    FrameStats stats = tracer_.step(backends_, wish, message);
    // Kernels that are measured have the GPU for themselves. Sides wait at the end of a turn.
    if ((lab_.working() || ladder_.working()) && onGpu) stats += tracer_.finish();
    return stats;
}

/// The system may refuse as many as were asked for. Throws what is being handled where they are
/// few.
std::string Viewer::goOnWithFewerThreads(const std::string& reason) {
    bool fewer = false;
    for (Settings* s : {&state_.settings, state_.pinned ? &state_.pinned->settings : nullptr}) {
        if (s != nullptr) fewer |= std::exchange(s->threads, 0) != 0;
    }
    if (!fewer) throw;
    return fmt::format("{}: going on with one for each core", reason);
}

std::string Viewer::goOnWithoutCuda(const std::string& reason) {
    Settings& settings = state_.settings;
    if (settings.backend == Backend::cuda) tracer_.forget();
    backends_.loseCuda(reason);
    const std::string unpinned = versus_.forget(frame_);
    settings = switchedTo(Backend::cpu, settings, state_.scene);
    return fmt::format("CUDA has failed ({}): going on with the CPU{}{}", reason,
                       unpinned.empty() ? "" : ". ", unpinned);
}

void Viewer::present() {
    const Zone zone("present");
    collectGlZones();
    drawPicture();
    {
        const Zone drawing("draw panels");
        const GlZone gl("draw panels");
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    }
    screenshots_.windowDrawn(frame_, [this] { return caption(); });
    if (fillsFrames()) glFlush();  // what is drawn does not wait for what is traced from here on
    keepBusy(budget_.aheadMs());
    budget_.begin(now());
    {
        const Zone swapping("swap");
        window_.swap();
    }
    budget_.endSwap(now(), !window_.softwareGl());
}

void Viewer::drawPicture() {
    const Zone zone("draw picture");
    const GlZone gl("draw picture");
    bool filmAlone = false;
    if (state_.pinned) {
        versus_.present(frame_, presenter_, layout_);
    } else if (!why_.present(frame_, presenter_)) {
        presenter_.draw(tracer_.view(frame_.now), state_.scene->display, state_.view,
                        frame_.framebuffer);
        filmAlone = true;
    }
    screenshots_.pictureDrawn(frame_, filmAlone, [this] { return caption(); });
}

/// What was measured, for whoever reads a screenshot: what every report begins with, then
/// {"opengl", "film": [w, h], "samples", "rays_per_second", "wall_rays_per_second",
/// "kernel_rays_per_second" (over the frames averaged: {"median", "lower", "upper"}), "rays":
/// {"camera", "bounce", "shadow", "total"} (of these frames), "kernel": {"name", "registers",
/// "local_bytes", "spill_bytes", "occupancy"}, "ratio": {"switch", "ratio"}, "conditions",
/// "versus"}. What is not known is left out.
Caption Viewer::caption() {
    const DeviceInfo device = backends_.get(state_.settings.backend).device();
    const Film& film = tracer_.film();
    const Rays& rays = frame_.rates.recentRays();
    nlohmann::json info = reportHead("screenshot", device, true, film.width, film.height);
    info.update({{"opengl", window_.glName()},
                 {"film", {film.width, film.height}},
                 {"samples", film.samples},
                 {"rays",
                  {{"camera", rays.camera},
                   {"bounce", rays.bounce},
                   {"shadow", rays.shadow},
                   {"total", rays.total()}}},
                 {"kernel", toJson(kernel())}});
    addGroup(info, tracer_.work());
    if (const auto rate = frame_.rates.raysPerSecond()) info["rays_per_second"] = *rate;
    if (const auto rate = frame_.rates.wallRaysPerSecond()) info["wall_rays_per_second"] = *rate;
    if (const auto spread = frame_.rates.spread()) info["kernel_rays_per_second"] = toJson(*spread);
    if (const auto ratio = frame_.rates.ratio())
        info["ratio"] = {{"switch", ratio->label}, {"ratio", ratio->ratio}};
    ConditionsWatch& watch = watches_.of(state_.settings.backend, device);
    watch.look();
    info["conditions"] = toJson(watch.summary());
    if (const auto place = simulation_.place(frame_)) info["simulation"] = *place;
    if (state_.pinned) info["versus"] = versus_.sides(*state_.pinned);
    return {state_, std::move(info), lab_.lab().history()};
}

void Viewer::writeStatus() {
    if (!status_.due(frame_.now)) return;
    const Zone zone("status");
    const Film& film = tracer_.film();
    const Settings& settings = state_.settings;
    nlohmann::json drawn = nlohmann::json::object();
    for (const auto& [name, item] : drawn_)
        drawn[name] = {item.rect.x, item.rect.y, item.rect.width, item.rect.height, item.enabled};
    nlohmann::json status{{"frame", frame_.number},
                          {"samples", film.samples},
                          {"divisor", tracer_.divisor()},
                          {"budget_ms", budget_.lastMilliseconds()},
                          {"film", {film.width, film.height}},
                          {"window", pair(frame_.window)},
                          {"framebuffer", pair(frame_.framebuffer)},
                          {"settings", toJson(settings)},
                          {"backend", valueOf(*findAxis("backend"), settings)},
                          {"display", valueOf(*findAxis("display"), settings)},
                          {"camera", toJson(state_.camera)},
                          {"scene", state_.scene->name},
                          {"speed", steering_.flight.speed},
                          {"orbit", steering_.flight.orbit},
                          {"through", steering_.flight.through},
                          {"keyboard", frame_.keyboard},
                          {"focused", frame_.focused},
                          {"fullscreen", window_.fullscreen()},
                          {"panels", preferences_.panels},
                          {"paused", frame_.paused},
                          {"moving", steering_.moving(frame_.now)},
                          {"doing", doing()},
                          {"drawn", std::move(drawn)},
                          {"toast", frame_.toasts.last},
                          {"tab", frame_.tab}};
    for (const WindowFeature* feature : features_) feature->describe(frame_, status);
    const bool cuda = backends_.has(Backend::cuda);
    status_.write(std::move(status),
                  cuda ? backends_.get(Backend::cuda).device().pciBusId : std::string(),
                  frame_.now);
}

StatusFile::StatusFile() {
    if (const char* path = std::getenv("RAYSCOPE_STATUS")) path_ = path;
}

void StatusFile::beginFrame(double now) {
    if (path_.empty()) return;
    frames_.push_back(now);
    while (frames_.size() > 2 && frames_[1] < now - kLongestSeconds) frames_.pop_front();
}

double StatusFile::longestFrameMs() const {
    double longest = 0;
    for (std::size_t i = 1; i < frames_.size(); ++i)
        longest = std::max(longest, frames_[i] - frames_[i - 1]);
    return longest * 1e3;
}

std::optional<double> StatusFile::deviceBytes(const std::string& pciBusId, double now) {
    if (!std::exchange(gpuTried_, true) && !pciBusId.empty()) {
        auto opened = GpuSensors::open(pciBusId);
        if (opened) gpu_.emplace(*std::move(opened));
    }
    if (!gpu_) return {};
    using namespace std::chrono_literals;
    if (asked_.valid() && asked_.wait_for(0s) == std::future_status::ready) bytes_ = asked_.get();
    if (!asked_.valid() && now >= nextBytes_) {
        nextBytes_ = now + kMemorySeconds;
        asked_ = std::async(std::launch::async, [this] { return gpu_->usedBytes(); });
    }
    return bytes_;
}

void StatusFile::write(nlohmann::json status, const std::string& pciBusId, double now) {
    next_ = now + kStatusSeconds;
    status.update({{"pid", getpid()},
                   {"time", now},
                   {"longest_frame_ms", longestFrameMs()},
                   {"memory", {{"host", residentBytes()}, {"heap", heapBytes()}}}});
    if (const auto bytes = deviceBytes(pciBusId, now)) status["memory"]["device"] = *bytes;
    const std::string unsafe = whyUnsafe(path_);
    if (!unsafe.empty() && !std::exchange(refused_, true))
        complain(fmt::format("the status is not written: {}", unsafe));
    if (!unsafe.empty()) return;
    // not writeFile(), which waits for the disk: this is a frame
    const std::string part = path_ + ".part", text = status.dump();
    unlink(part.c_str());
    const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return;
    const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(file);
    if (whole) std::rename(part.c_str(), path_.c_str());
}

}  // namespace rayscope
