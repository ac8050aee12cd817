#include <fmt/format.h>
#include <fmt/ranges.h>

#include <climits>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "app/commands.h"
#include "app/rendering.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/code/carried_kernels.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/group_report.h"
#include "renderer/lab/report.h"
#include "renderer/scene/json.h"
#include "renderer/scene/model.h"

namespace rayscope {

namespace fs = std::filesystem;

namespace {

/// Of a picture that a screenshot asks for, as --size and --spp have them.
constexpr int kMostSide = 16384, kMostSamples = 1000000000;

nlohmann::json reportOf(const Request& request, const Rendering& r) {
    const Rays& rays = r.stats.rays;
    const glm::dvec3& mean = r.facts.mean;
    const Settings& settings = request.state.settings;
    nlohmann::json json = reportHead("render", request.renderer->device(), !r.interrupted,
                                     request.width, request.height);
    json.update({{"scene", request.state.scene->name},
                 {"camera", toJson(request.state.camera)},
                 {"backend", valueOf(*findAxis("backend"), settings)},
                 {"settings", toJson(settings)},
                 {"spp", r.interrupted ? r.interrupted->least : request.spp},
                 {"seed", settings.seed},
                 {"rays",
                  {{"camera", rays.camera},
                   {"bounce", rays.bounce},
                   {"shadow", rays.shadow},
                   {"total", rays.total()}}},
                 {"kernel_ms", r.stats.kernelMs},
                 {"launches", r.stats.launches},
                 {"wall_ms", r.wallMs},
                 {"total_ms", r.totalMs},
                 {"rays_per_second", 1e3 * static_cast<double>(rays.total()) / r.stats.kernelMs},
                 {"mean_radiance", {mean.x, mean.y, mean.z}},
                 {"image_hash", r.facts.hash}});
    for (const FileRemark& entry : remarksOn(request.state.scene)) {
        const auto& [what, where, count] = entry.remark;
        json["remarks"].push_back({{"file", entry.file}, {"what", what}, {"count", count}});
        if (!where.empty()) json["remarks"].back()["where"] = where;
    }
    if (r.stats.fill > 0) json["device_fill"] = r.stats.fill;
    if (r.stats.processorMs > 0) {
        json["processor_ms"] = r.stats.processorMs;
        json["waited_ms"] = r.stats.waitedMs;
    }
    if (const auto& samples = r.interrupted) {
        json["interrupted"] = {{"spp_asked", request.spp},
                               {"spp_mean", samples->mean},
                               {"spp_most", samples->most},
                               {"pixels_without_samples", samples->without}};
    }
    for (size_t rank = 0; rank < r.ranks.size(); ++rank) {
        const RankReport& one = r.ranks[rank];
        nlohmann::json entry = {{"rank", rank},
                                {"host", one.host},
                                {"device", one.device},
                                {"samples", one.work.samples},
                                {"rays", one.work.stats.rays.total()},
                                {"kernel_ms", one.work.stats.kernelMs}};
        if (!one.work.problem.empty()) entry["problem"] = one.work.problem;
        json["ranks"].push_back(std::move(entry));
    }
    if (!r.ranks.empty()) json["sum_ms"] = r.sumMs;
    addGroup(json, r.work);
    if (r.conditions.samples > 0) json["conditions"] = toJson(r.conditions);
    if (r.stats.buildMs >= 0) json["build_ms"] = r.stats.buildMs;
    if (r.stats.hierarchyBytes > 0) json["hierarchy_bytes"] = r.stats.hierarchyBytes;
    const double contextMs = request.renderer->device().contextMs;
    if (contextMs >= 0) json["context_ms"] = contextMs;
    if (r.kernel.registers >= 0) {
        json["kernel"] = {{"registers", r.kernel.registers},
                          {"local_bytes", r.kernel.localBytes},
                          {"spill_bytes", r.kernel.spillBytes},
                          {"occupancy", r.kernel.occupancy}};
        for (const StageInfo& stage : r.kernel.stages) {
            json["kernel"]["stages"][stage.name] = {{"registers", stage.registers},
                                                    {"spill_bytes", stage.spillBytes}};
        }
    }
    return json;
}

/// A screenshot is rendered as large and as often as it says, unless options say otherwise.
void takeShot(const Options& options, Request& request) {
    const auto text = readPngState(options.file);
    if (!text || !options.scene.empty()) return;
    const nlohmann::json state = nlohmann::json::parse(*text, nullptr, false);
    const auto number = [&](const char* pointer, int most) {
        const nlohmann::json::json_pointer place(pointer);
        const bool there = state.contains(place) && state[place].is_number_integer();
        const auto value = there ? state[place].get<long long>() : 0;
        return value <= most ? static_cast<int>(value) : 0;
    };
    const int width = number("/info/size/0", kMostSide), height = number("/info/size/1", kMostSide);
    if (options.size.empty() && width > 0 && height > 0) {
        request.width = width;
        request.height = height;
    }
    for (const char* key : {"/info/interrupted/spp_asked", "/info/spp", "/info/samples"}) {
        const int samples = number(key, kMostSamples);
        if (options.spp > 0 || samples <= 0) continue;
        request.spp = samples;
        break;
    }
}

/// "256", or "3 to 4 of 256"
std::string samplesText(const Request& request, const Rendering& r) {
    if (!r.interrupted) return std::to_string(request.spp);
    const int least = r.interrupted->least, most = r.interrupted->most;
    const std::string range =
        least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
    return fmt::format("{} of {}", range, request.spp);
}

std::string interruption(const Request& request, const Rendering& r) {
    std::string sentence =
        fmt::format("interrupted: the pixels have {} samples", samplesText(request, r));
    if (const long long without = r.interrupted->without; without > 0)
        sentence += fmt::format("; {} have none and are black", without);
    return sentence;
}

/// "4 ranks on 2 machines, with 64, 64, 65 and 63 samples each"
std::string ranksText(const std::vector<RankReport>& ranks) {
    std::set<std::string> hosts, devices;
    int least = INT_MAX, most = 0;
    for (const RankReport& rank : ranks) {
        hosts.insert(rank.host);
        devices.insert(rank.device);
        least = std::min(least, rank.work.samples);
        most = std::max(most, rank.work.samples);
    }
    std::string text =
        fmt::format("{} ranks on {} machine{}, {} to {} samples each\n", ranks.size(), hosts.size(),
                    hosts.size() == 1 ? "" : "s", least, most);
    if (devices.size() > 1) text += fmt::format("devices: {}\n", fmt::join(devices, "; "));
    return text;
}

/// "hierarchy built in 12.300 ms, 55.8 bytes a shape"
std::string hierarchyText(const Scene& scene, const FrameStats& stats) {
    std::string text = fmt::format("hierarchy built in {:.3f} ms", stats.buildMs);
    if (stats.hierarchyBytes > 0)
        text += fmt::format(", {:.1f} bytes a shape", static_cast<double>(stats.hierarchyBytes) /
                                                          static_cast<double>(shapeCount(scene)));
    return text;
}

void printTable(const Request& request, const Rendering& r) {
    const State& state = request.state;
    const Rays& rays = r.stats.rays;
    const double total = static_cast<double>(rays.total());
    const glm::dvec3& mean = r.facts.mean;
    say("{}  {}x{}  {} samples a pixel  seed {}\n", state.scene->name, request.width,
        request.height, samplesText(request, r), state.settings.seed);
    say("{}  ({})\n", request.renderer->device().name, request.renderer->device().detail);
    if (!r.ranks.empty()) say("{}", ranksText(r.ranks));
    say("{}\n\n", describe(state.settings));
    say("{:<8} {:>16} {:>8} {:>14}\n", "rays", "count", "share", "M rays/s");
    const auto row = [&](const char* name, std::uint64_t count) {
        const double n = static_cast<double>(count);
        say("{:<8} {:>16} {:>6.1f} % {:>14.2f}\n", name, count, 100 * n / total,
            n / r.stats.kernelMs / 1e3);
    };
    row("camera", rays.camera);
    row("bounce", rays.bounce);
    row("shadow", rays.shadow);
    row("total", rays.total());
    say("\n{:.4f} rays a sample, kernel {:.1f} ms, wall {:.1f} ms, ",
        total / static_cast<double>(rays.camera), r.stats.kernelMs, r.wallMs);
    say("mean radiance {:.5f} {:.5f} {:.5f}\n", mean.x, mean.y, mean.z);
    if (r.stats.buildMs >= 0) say("{}\n", hierarchyText(state.scene, r.stats));
    if (!r.work.devices.empty()) say("\n{}", groupText(r.work));
    if (r.kernel.registers >= 0) {
        say("{} registers, {} bytes local, {} bytes spilled, occupancy {:.0f} %\n",
            r.kernel.registers, r.kernel.localBytes, r.kernel.spillBytes, 100 * r.kernel.occupancy);
    }
}

/// Sets `report`, and writes the picture if it has a name. Its mean and its hash, which cannot be
/// shared out among cores, are computed beside that.
Result<void> writePicture(const std::string& out, const Request& request, Rendering& result,
                          nlohmann::json& report) {
    auto facts = std::async(std::launch::async | std::launch::deferred,
                            [&film = result.film] { return factsOf(film); });
    const auto complete = [&] {
        if (!facts.valid()) return;
        result.facts = facts.get();
        report = reportOf(request, result);
    };
    Result<void> written;
    if (!out.empty()) {
        const DisplayTransform& display = request.state.scene->display;
        written = writeImage(out, result.film, display, request.state.view, [&] {
            complete();
            nlohmann::json state = toJson(withPatches(request.state));
            state["info"] = report;
            return state.dump();
        });
    }
    complete();
    return written;
}

/// Of a film that is whole, but could not be written as it was asked for: the checkpoint, from
/// which it is written without rendering. Returns why there is none.
std::string keepWhole(const std::string& checkpoint, const Rendering& result) {
    if (checkpoint.empty() || result.interrupted) return {};
    return writeFilmCheckpoint(checkpoint, result.shared).reason();
}

/// Renders what rank 0 asks for.
int help(const Request& request, const FilmTeamWish& wish) {
    const std::string problem = helpWithFilm(team(), *request.renderer, wish.film, goOn);
    if (!problem.empty()) complain(problem);  // the others go on
    return 0;
}

}  // namespace

int runRender(const RenderOptions& options) {
    std::string out = options.out;
    if (out.empty() && options.json.empty()) out = "rayscope.png";
    if (!out.empty()) {
        if (const auto known = checkImageName(out); !known) return refuse({2, known.reason()});
        const auto can = team().leads() ? canBeWritten(out) : Result<void>();
        if (!can) return refuse({1, can.reason()});
    }
    Options common = options.common;
    const std::string& resume = options.keep.resume;
    if (!resume.empty() && !(common.file.empty() && common.scene.empty()))
        return refuse({2, "--resume has a scene, and another one stands beside it"});
    if (!resume.empty()) common.file = fs::path(resume).is_absolute() ? resume : "./" + resume;
    auto kept = checkpointFor(options.keep, out.empty() ? options.json : out, "render");
    if (const Refusal* refusal = std::get_if<Refusal>(&kept)) return refuse(*refusal);
    const std::string& checkpoint = std::get<std::string>(kept);
    std::variant<Request, Refusal> made = makeRequest(common);
    if (Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    Request& request = std::get<Request>(made);
    takeShot(common, request);
    if (!resume.empty()) {
        if (const auto refusal = takeCheckpoint(resume, common, request)) return refuse(*refusal);
    }

    Rendering result;
    const bool shared = !team().alone() || !checkpoint.empty();
    if (shared) {
        auto wished = filmWish(request, options.keep, checkpoint);
        if (const Refusal* refusal = std::get_if<Refusal>(&wished)) return refuse(*refusal);
        const auto everybody = [](std::vector<Member>&) {};
        const nlohmann::json about = withWork(aboutDevices({request.renderer.get()}),
                                              {{"state", toJson(request.state)},
                                               {"size", {request.width, request.height}},
                                               {"spp", request.spp}});
        const auto begun = team().muster(about, everybody, goOn);
        if (!begun) return refuse({1, begun.reason()});
        if (!team().leads()) return help(request, std::get<FilmTeamWish>(wished));
        renderShared(request, std::get<FilmTeamWish>(std::move(wished)), result);
    } else if (const auto rendered = render(request, result); !rendered) {
        return refuse({1, rendered.reason()});
    }
    if (result.interrupted && result.interrupted->most == 0) {
        return refuse({1, result.problem.empty() ? "interrupted before there was a sample to write"
                                                 : result.problem});
    }
    nlohmann::json report;
    const auto written = writePicture(out, request, result, report);
    if (options.json != "-") printTable(request, result);
    int code = 0;
    if (!written)
        code = refuse({1, written.reason()});
    else if (!out.empty() && options.json != "-")
        say("wrote {}\n", out);
    for (const auto& done : {writeJson(options.json, report), writePage(report, out)}) {
        if (!done) code = refuse({1, done.reason()});
    }
    tellOfLost(*request.renderer);
    if (!result.problem.empty()) code = refuse({1, result.problem});
    if (result.interrupted) code = refuse({1, interruption(request, result)});
    if (shared)
        finishCheckpoint(checkpoint, code == 0, code == 0 ? "" : keepWhole(checkpoint, result));
    return code;
}

}  // namespace rayscope
