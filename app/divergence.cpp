#include "renderer/lab/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/film/image_files.h"
#include "renderer/lab/job.h"
#include "renderer/lab/report.h"

namespace rayscope {

namespace {

/// As many as a warp has lanes: in voxel-tracer a warp traces the samples of one pixel.
constexpr int kDefaultSamples = 32;

/// Each takes a byte.
constexpr double kMostPaths = 1e9;

struct Mapping {
    std::string name, meaning;
    Divergence divergence;
};

std::vector<Mapping> mappingsOf(const PathLengths& paths, const Settings& settings) {
    Variant v = settings.variant;
    v.samplesAs = SamplesAs::threads;
    const Divergence threads = divergenceOf(paths, v, settings.depth);
    v.samplesAs = SamplesAs::loop;
    const Divergence loop = divergenceOf(paths, v, settings.depth);
    const auto value = [&](const char* axis) { return valueOf(*findAxis(axis), settings); };
    return {
        {"threads", "samples_as=threads: a warp holds samples of one pixel", threads},
        {"loop",
         fmt::format("samples_as=loop: a warp holds one sample of 32 pixels (order={} block={})",
                     value("order"), value("block")),
         loop}};
}

using Column = double DivergenceRow::*;
struct Line {
    const char* name;
    Column column;
};
constexpr Line kLines[] = {{"active", &DivergenceRow::active},
                           {"warps done", &DivergenceRow::done},
                           {"warps full", &DivergenceRow::full},
                           {"divergent", &DivergenceRow::divergent}};

void print(const Mapping& mapping) {
    const std::vector<DivergenceRow>& rows = mapping.divergence.rows;
    say("\n{}\n{:<12}", mapping.meaning, "% after");
    for (size_t depth = 1; depth <= rows.size(); ++depth) say("{:>7}", depth);
    say("  rays\n");
    for (const Line& line : kLines) {
        say("{:<12}", line.name);
        for (const DivergenceRow& row : rows) say("{:>7.1f}", row.*line.column);
        say("\n");
    }
}

void print(const std::vector<EngineLanes>& engines) {
    say("\n% of lanes that trace, by engine\n");
    for (const EngineLanes& engine : engines) {
        say("{:<22}{:>7.1f}{}{}\n", engine.name, 100 * engine.lanes.share(),
            engine.running ? "  these settings" : "", engine.counted ? "  counted" : "");
    }
}

/// Only kinds that any ray hits.
std::vector<HitKind> kindsMet(const PathLengths& paths) {
    std::vector<HitKind> kinds;
    for (int kind = 0; kind < kHitKinds; ++kind) {
        unsigned long long hits = 0;
        for (const auto& row : paths.hits) hits += row[kind];
        if (hits > 0) kinds.push_back(HitKind(kind));
    }
    return kinds;
}

void printHits(const PathLengths& paths, int maxDepth) {
    say("\n% of rays that meet\n{:<8}{:>14}", "depth", "rays");
    const std::vector<HitKind> kinds = kindsMet(paths);
    for (const HitKind kind : kinds) say("{:>9}", nameOf(kind));
    say("\n");
    for (int depth = 0; depth < maxDepth && raysAt(paths, depth) > 0; ++depth) {
        say("{:<8}{:>14}", depth + 1, raysAt(paths, depth));
        for (const HitKind kind : kinds) say("{:>9.1f}", hitShare(paths, depth, kind));
        say("\n");
    }
}

nlohmann::json toJson(const std::vector<EngineLanes>& engines) {
    nlohmann::json json = nlohmann::json::array();
    for (const EngineLanes& engine : engines) {
        json.push_back({{"engine", engine.name},
                        {"running", engine.running},
                        {"counted", engine.counted},
                        {"lane_efficiency", engine.lanes.share()}});
    }
    return json;
}

nlohmann::json hitsJson(const PathLengths& paths, int maxDepth) {
    nlohmann::json json = nlohmann::json::array();
    for (int depth = 0; depth < maxDepth; ++depth) {
        nlohmann::json row = {{"rays", raysAt(paths, depth)}};
        for (int kind = 0; kind < kHitKinds; ++kind)
            row[nameOf(HitKind(kind))] = paths.hits[depth][kind];
        json.push_back(std::move(row));
    }
    return json;
}

struct Findings {
    const PathLengths& paths;
    std::vector<Mapping> mappings;
    std::vector<EngineLanes> engines;
};

void print(const Request& request, const Findings& found) {
    const Settings& settings = request.state.settings;
    say("{}  {}x{}  {} samples a pixel  depth {}  seed {}\n", request.state.scene->name,
        request.width, request.height, found.paths.samples, settings.depth, settings.seed);
    say("{:.3f} rays a path\n", found.mappings.front().divergence.raysPerPath);
    for (const Mapping& mapping : found.mappings) print(mapping);
    print(found.engines);
    printHits(found.paths, settings.depth);
    if (const std::string warning = subnormalWarning(found.paths); !warning.empty())
        say("\n{}\n", warning);
}

nlohmann::json report(const Request& request, const Findings& found, bool complete) {
    nlohmann::json json = reportHead("divergence", request.renderer->device(), complete,
                                     request.width, request.height);
    json.update({{"scene", request.state.scene->name},
                 {"settings", rayscope::toJson(request.state.settings)},
                 {"samples", found.paths.samples},
                 {"rays_per_path", found.mappings.front().divergence.raysPerPath},
                 {"engines", toJson(found.engines)},
                 {"hits", hitsJson(found.paths, request.state.settings.depth)}});
    if (request.state.settings.backend == Backend::cpu)
        json["subnormal_paths"] = found.paths.subnormalPaths;
    for (const Mapping& mapping : found.mappings) {
        nlohmann::json& rows = json[mapping.name] = nlohmann::json::array();
        for (const DivergenceRow& row : mapping.divergence.rows) {
            rows.push_back({{"active", row.active},
                            {"done", row.done},
                            {"full", row.full},
                            {"divergent", row.divergent}});
        }
    }
    return json;
}

/// Runs a long call of the renderer on a thread of its own; returns nothing after Ctrl-C.
template <class T>
std::optional<T> recorded(const std::function<T(const std::stop_token&)>& call) {
    ThreadJob<T> job(call);
    if (!play(job, "divergence")) return {};
    return std::move(job.result());
}

/// `quiet`: standard output is for other things. Sets `made` unless Ctrl-C comes first.
Result<void> writeMap(const Request& request, const PathLengths& paths, const DivergenceOptions& o,
                      bool quiet, bool& made) {
    State state = request.state;
    state.view.shown = o.map == "time" ? Shown::time : Shown::rays;
    CostMap map;
    if (o.map == "time") {
        const auto times = recorded<PixelTimes>([&](const std::stop_token& stop) {
            return request.renderer->pixelTimes(state.settings, state.camera, request.width,
                                                request.height, paths.samples, stop);
        });
        if (!times) return {};
        map = costMap(*times);
    } else {
        map = costMap(paths);
    }
    made = true;
    if (!quiet) say("\n{}: white is {:.4g} {}\n", o.out, map.fullScale, map.unit);
    return writePng(o.out, falseColors(map), rayscope::toJson(state).dump());
}

}  // namespace

int runDivergence(const DivergenceOptions& options) {
    std::variant<Request, Refusal> made = makeRequest(options.common);
    if (Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    const Request& request = std::get<Request>(made);
    const State& state = request.state;
    const int samples = options.common.spp > 0 ? options.common.spp : kDefaultSamples;
    if (1. * request.width * request.height * samples > kMostPaths) {
        return refuse({2, fmt::format("divergence: {}x{} pixels of {} samples are more than {:.0f} "
                                      "million paths; choose a smaller --size or --spp",
                                      request.width, request.height, samples, kMostPaths / 1e6)});
    }
    const auto traced = recorded<PathLengths>([&](const std::stop_token& stop) {
        return request.renderer->pathLengths(state.settings, state.camera, request.width,
                                             request.height, samples, stop);
    });
    if (!traced) return refuse({1, "interrupted before anything was measured"});
    const PathLengths& paths = *traced;
    const Findings found{paths, mappingsOf(paths, state.settings),
                         lanesOfEngines(paths, state.settings.variant, state.settings.depth)};
    const bool quiet = options.json == "-";
    if (!quiet) print(request, found);
    bool complete = options.map.empty();
    int code = 0;
    if (!complete) {
        const auto written = writeMap(request, paths, options, quiet, complete);
        if (!written) code = refuse({1, written.reason()});
    }
    Outcome outcome;
    outcome.measured = true;
    if (!complete) outcome.interrupted = "before the map was made";
    outcome.report = report(request, found, complete);
    return std::max(code, finish(options.json, "", outcome));
}

}  // namespace rayscope
