#include <fmt/format.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "renderer/base/say.h"
#include "renderer/choices/axes.h"
#include "renderer/lab/report.h"
#include "renderer/lab/simulation_run.h"

namespace rayscope {

namespace {

/// "1.85 T"
std::string withPrefix(double value) {
    const char* prefix = "";
    for (const char* next : {"k", "M", "G", "T"}) {
        if (value < 1e3) break;
        value /= 1e3;
        prefix = next;
    }
    return fmt::format("{:.4g} {}", value, prefix);
}

void print(const Request& request, const SimulationFigures& f) {
    const Simulation& simulation = *request.state.scene->simulation;
    say("{}  {} bodies  step {:g}  softening {:g}  {}\n", request.state.scene->name, f.bodies,
        simulation.step, simulation.softening, request.renderer->device().name);
    say("{} steps, kernel {:.1f} ms, wall {:.1f} ms: {}interactions/s ({}flop/s at 20 each), "
        "{:.4g} steps/s\n",
        f.stats.steps, f.stats.kernelMs, f.stats.wallMs, withPrefix(f.interactionsPerSecond()),
        withPrefix(f.flopsPerSecond()), f.stepsPerSecond());
    if (!f.start || !f.end) return;
    say("energy {:.9g} to {:.9g}, drift {:.2g}; momentum {:.2g}\n", f.start->energy(),
        f.end->energy(), f.energyDrift(), glm::length(f.end->momentum));
    if (!std::isfinite(f.end->energy()))
        say("the bodies have left the range of numbers: a smaller step may keep them\n");
}

nlohmann::json report(const Request& request, const SimulationFigures& f, bool complete) {
    const Simulation& simulation = *request.state.scene->simulation;
    nlohmann::json json = reportHead("simulation", request.renderer->device(), complete);
    json.update({{"scene", request.state.scene->name},
                 {"backend", request.state.settings.backend == Backend::cpu ? "cpu" : "cuda"},
                 {"settings", toJson(request.state.settings)},
                 {"time_step", simulation.step},
                 {"softening", simulation.softening}});
    json.update(toJson(f));
    return json;
}

}  // namespace

int runSimulate(const SimulateOptions& options) {
    Options common = options.common;
    if (common.file.empty() && common.scene.empty()) common.scene = "nbody";
    std::variant<Request, Refusal> made = makeRequest(common);
    if (const Refusal* refusal = std::get_if<Refusal>(&made)) return refuse(*refusal);
    const Request& request = std::get<Request>(made);
    const State& state = request.state;
    if (!state.scene->simulation) {
        return refuse({2, fmt::format("the scene {} does not move: choose --scene nbody, or a file "
                                      "with a simulation",
                                      state.scene->name)});
    }
    SimulationRun run(*request.renderer, state.settings, state.scene, options.steps,
                      !options.noEnergy);
    const bool ended = run.problem().empty() && play(run, "simulate");
    if (!run.problem().empty()) return refuse({1, run.problem()});
    const SimulationFigures& figures = run.figures();
    Outcome outcome;
    outcome.measured = figures.stats.steps > 0;
    if (!ended)
        outcome.interrupted =
            fmt::format("after {} of {} steps", figures.stats.steps, options.steps);
    if (outcome.measured && options.json != "-") print(request, figures);
    outcome.report = report(request, figures, ended);
    return finish(options.json, "", outcome);
}

}  // namespace rayscope
