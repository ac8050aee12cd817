#include "renderer/lab/divergence.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "renderer/axes.h"

namespace rayscope {

namespace {

/// A warp of voxel-tracer holds the samples of one pixel: as many as it has lanes.
constexpr int kDefaultSamples = 32;

/// A byte each.
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
    fmt::print("\n{}\n{:<12}", mapping.meaning, "% after");
    for (size_t depth = 1; depth <= rows.size(); ++depth) fmt::print("{:>7}", depth);
    fmt::print("  rays\n");
    for (const Line& line : kLines) {
        fmt::print("{:<12}", line.name);
        for (const DivergenceRow& row : rows) fmt::print("{:>7.1f}", row.*line.column);
        fmt::print("\n");
    }
}

nlohmann::json report(const Request& request, int samples, const std::vector<Mapping>& mappings) {
    nlohmann::json json = {{"scene", request.state.scene.name},
                           {"device", request.renderer->device().name},
                           {"settings", toJson(request.state.settings)},
                           {"size", {request.width, request.height}},
                           {"samples", samples},
                           {"rays_per_path", mappings.front().divergence.raysPerPath}};
    for (const Mapping& mapping : mappings) {
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

}  // namespace

int runDivergence(const DivergenceOptions& options) {
    std::variant<Request, Refusal> understood = understand(options.common);
    if (Refusal* refusal = std::get_if<Refusal>(&understood)) return refuse(*refusal);
    const Request& request = std::get<Request>(understood);
    const State& state = request.state;
    const int samples = options.common.spp > 0 ? options.common.spp : kDefaultSamples;
    if (1. * request.width * request.height * samples > kMostPaths) {
        return refuse({2, fmt::format("divergence: {}x{} pixels of {} samples are more than {:.0f} "
                                      "million paths; choose a smaller --size or --spp",
                                      request.width, request.height, samples, kMostPaths / 1e6)});
    }
    const PathLengths paths = request.renderer->pathLengths(state.settings, state.camera,
                                                            request.width, request.height, samples);
    const std::vector<Mapping> mappings = mappingsOf(paths, state.settings);
    if (options.json != "-") {
        fmt::print("{}  {}x{}  {} samples a pixel  depth {}  seed {}\n", state.scene.name,
                   request.width, request.height, samples, state.settings.depth,
                   state.settings.seed);
        fmt::print("{:.3f} rays a path\n", mappings.front().divergence.raysPerPath);
        for (const Mapping& mapping : mappings) print(mapping);
    }
    if (options.json.empty()) return 0;
    const std::string text = report(request, samples, mappings).dump(2) + "\n";
    const std::string problem = writeText(options.json, text);
    return problem.empty() ? 0 : refuse({1, problem});
}

}  // namespace rayscope
