#include "ui/status.h"

#include <fmt/format.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <variant>

#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"
#include "renderer/scene/json.h"

namespace rayscope {

namespace {

constexpr double kSeconds = .05;
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

nlohmann::json pair(Size size) {
    return {size.width, size.height};
}

nlohmann::json describe(const LadderClimb& climb) {
    if (!climb.ladder()) return nlohmann::json::object();
    nlohmann::json rungs = nlohmann::json::array();
    for (size_t i = 0; i < climb.ladder()->rungs.size(); ++i) {
        const Standing& standing = climb.standings()[i];
        rungs.push_back({{"name", climb.ladder()->rungs[i].name},
                         {"value", standing.measured() ? standing.result->value.median : 0},
                         {"figure", climb.figure(static_cast<int>(i))},
                         {"reason", standing.reason},
                         {"skipped", standing.skipped()}});
    }
    return {{"name", climb.ladder()->name},
            {"rung", climb.current()},
            {"climbing", climb.climbing()},
            {"rungs", std::move(rungs)}};
}

nlohmann::json describe(const TimelineView& view) {
    return {{"shown", view.shown()},
            {"paused", view.paused()},
            {"from_ms", static_cast<double>(view.from() - view.end()) / 1e6},
            {"until_ms", static_cast<double>(view.until() - view.end()) / 1e6},
            {"events", view.timeline().events.size()}};
}

nlohmann::json describe(const Laboratory& lab) {
    size_t answered = 0;
    for (const StudyItem& item : lab.study().items)
        answered += item.result || !item.problem.empty();
    return {{"running", lab.running()},
            {"share", lab.share()},
            {"items", lab.study().items.size()},
            {"answered", answered},
            {"history", lab.history().size()}};
}

nlohmann::json describe(const SideRecord& side) {
    return {{"samples", side.samples()},
            {"kernel_ms", side.stats.kernelMs},
            {"rays_per_second", side.raysPerSecond().value_or(0)},
            {"error", side.error().value_or(0)},
            {"own_kernel", !side.foreign}};
}

nlohmann::json describe(const Why& why) {
    const Recorded* found = why.analysis();
    return {{"busy", why.busy()},
            {"maps", why.maps()},
            {"counts", why.counts().size()},
            {"before", why.before() != nullptr},
            {"lanes", found != nullptr ? found->lanes.share() : 0}};
}

nlohmann::json describe(const CodeReader& reader, const CodeTab& tab) {
    nlohmann::json json = {{"busy", reader.busy()},
                           {"pairs", reader.number()},
                           {"rows", tab.text.rows().size()},
                           {"changes", tab.text.changes()},
                           {"found", tab.text.found().size()},
                           {"first_line", tab.firstLine}};
    if (const CodePair* pair = reader.pair()) {
        json["problem"] = pair->b->problem;
        json["relation"] = nameOf(pair->verdict.relation);
        json["kernels"] = pair->kernels;
        json["architecture"] = pair->b->code.architecture;
    }
    return json;
}

/// The selected sphere and where its centre is seen.
nlohmann::json describe(const SceneEditor& editor, const StatusFacts& f) {
    const Scene& scene = f.state.scene;
    nlohmann::json json = {{"spheres", scene.spheres.size()},
                           {"selected", editor.selected()},
                           {"placing", editor.placing()}};
    if (!editor.has(scene)) return json;
    const Sphere& s = scene.spheres[editor.selected()];
    json["center"] = {s.center.x, s.center.y, s.center.z};
    json["radius"] = s.radius;
    if (const auto place = placeOf(f.state.camera, f.window, s.center))
        json["place"] = {place->x, place->y};
    return json;
}

nlohmann::json describe(const StatusFacts& f) {
    nlohmann::json drawn = nlohmann::json::object();
    for (const auto& [name, item] : f.drawn) {
        drawn[name] = {item.rect.x, item.rect.y, item.rect.width, item.rect.height, item.enabled};
    }
    const auto ratio = f.rates.ratio();
    return {
        {"frame", f.frame},
        {"fps", f.rates.framesPerSecond()},
        {"frame_ms", f.rates.frameMs()},
        {"samples", f.samples},
        {"divisor", f.divisor},
        {"budget_ms", f.budgetMs},
        {"film", pair(f.film)},
        {"window", pair(f.window)},
        {"framebuffer", pair(f.framebuffer)},
        {"settings", toJson(f.state.settings)},
        {"backend", valueOf(*findAxis("backend"), f.state.settings)},
        {"display", valueOf(*findAxis("display"), f.state.settings)},
        {"camera", toJson(f.state.camera)},
        {"scene", f.state.scene.name},
        {"editor", describe(f.editor, f)},
        {"view",
         {{"exposure", f.state.view.exposure},
          {"tone_mapper", static_cast<int>(f.state.view.toneMapper)},
          {"shown", nameOf(f.state.view.shown)}}},
        {"speed", f.flight.speed},
        {"orbit", f.flight.orbit},
        {"panels", f.panels},
        {"paused", f.paused},
        {"moving", f.moving},
        {"doing", f.doing},
        {"tour", f.tour},
        {"rays_per_second", f.rates.raysPerSecond().value_or(0)},
        {"ratio", ratio ? ratio->ratio : 0},
        {"drawn", drawn},
        {"screenshot", f.screenshot},
        {"toast", f.toast},
        {"timeline", describe(f.timeline)},
        {"trace", f.trace},
        {"tab", idOf(f.tab)},
        {"lab", describe(f.lab)},
        {"why", describe(f.why)},
        {"code", describe(f.reader, f.code)},
        {"ladder", describe(f.climb)},
        {"pinned", f.state.pinned ? describeSides(*f.state.pinned, f.versus) : nlohmann::json()}};
}

}  // namespace

nlohmann::json describeSides(const Pinned& pinned, const Versus& versus) {
    const SideRecord &a = versus.record(Side::a), &b = versus.record(Side::b);
    const std::optional<Lead> lead = leadOf(a, b);
    return {{"settings", toJson(pinned.settings)},
            {"showing", nameOf(pinned.showing)},
            {"wipe", pinned.wipe},
            {"gain", pinned.gain},
            {"with_sign", pinned.withSign},
            {"racing", versus.racing()},
            {"lead", lead ? lead->ratio : 0},
            {"lead_spread", lead ? lead->spread : 0},
            {"a", describe(a)},
            {"b", describe(b)}};
}

nlohmann::json describeMeasurements(const DeviceInfo& device, const KernelInfo& kernel,
                                    const Film& film, const Rates& rates, const std::string& gl) {
    const Rays& rays = rates.recentRays();
    nlohmann::json json = reportHead("screenshot", device);
    json.update({{"opengl", gl},
                 {"film", {film.width, film.height}},
                 {"samples", film.samples},
                 {"rays",
                  {{"camera", rays.camera},
                   {"bounce", rays.bounce},
                   {"shadow", rays.shadow},
                   {"total", rays.total()}}},
                 {"kernel", toJson(kernel)}});
    const auto put = [&](const char* key, const std::optional<double>& value) {
        if (value) json[key] = *value;
    };
    put("rays_per_second", rates.raysPerSecond());
    put("wall_rays_per_second", rates.wallRaysPerSecond());
    if (const auto spread = rates.spread()) json["kernel_rays_per_second"] = toJson(*spread);
    if (const auto ratio = rates.ratio()) {
        json["ratio"] = {{"switch", ratio->label}, {"ratio", ratio->ratio}};
    }
    return json;
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

std::optional<double> StatusFile::deviceBytes(const std::string& pciBusId) {
    if (!std::exchange(gpuTried_, true) && !pciBusId.empty()) {
        auto opened = GpuSensors::open(pciBusId);
        if (auto* sensors = std::get_if<GpuSensors>(&opened)) gpu_.emplace(std::move(*sensors));
    }
    return gpu_ ? gpu_->usedBytes() : std::nullopt;
}

void StatusFile::write(const StatusFacts& facts, double now) {
    next_ = now + kSeconds;
    nlohmann::json json = describe(facts);
    json.update({{"pid", getpid()},
                 {"time", now},
                 {"longest_frame_ms", longestFrameMs()},
                 {"memory", {{"host", residentBytes()}, {"heap", heapBytes()}}}});
    if (const auto bytes = deviceBytes(facts.pciBusId)) json["memory"]["device"] = *bytes;
    const std::string part = path_ + ".part";
    std::ofstream file(part);
    file << json.dump();
    file.close();
    if (file) std::rename(part.c_str(), path_.c_str());
}

}  // namespace rayscope
