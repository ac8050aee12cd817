#include "renderer/lab/simulation_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rayscope {

using nlohmann::json;

double SimulationFigures::interactionsPerSecond() const {
    if (stats.kernelMs <= 0) return 0;
    return 1e3 * static_cast<double>(bodies) * bodies * stats.steps / stats.kernelMs;
}

double SimulationFigures::stepsPerSecond() const {
    return stats.wallMs > 0 ? 1e3 * stats.steps / stats.wallMs : 0;
}

double SimulationFigures::energyDrift() const {
    if (!start || !end) return std::numeric_limits<double>::quiet_NaN();
    return relativeDrift(*start, *end);
}

Result<std::unique_ptr<Simulator>> openSimulator(Renderer& renderer, const Settings& settings,
                                                 const Simulation& simulation,
                                                 const Bodies& start) {
    auto made = renderer.simulate(simulation, start);
    if (!made) return made;
    if (const std::string why = (*made)->unsupported(settings); !why.empty()) return Failure{why};
    return made;
}

SimulationRun::SimulationRun(Renderer& renderer, const Settings& settings, const Scene& scene,
                             std::int64_t steps, bool energy)
    : settings_(settings), wanted_(steps), energy_(energy) {
    auto made = openSimulator(renderer, settings, *scene.simulation, startOf(*scene.simulation));
    if (made)
        simulator_ = *std::move(made);
    else
        problem_ = made.reason();
    figures_.bodies = scene.simulation->bodies;
}

/// What is given up in the middle of a step leaves the figures as they were.
Steps SimulationRun::run() {
    simulator_->setStop([this] { return !wanted(); });
    try {
        simulator_->prepare(settings_);
    } catch (const std::runtime_error&) {
        if (wanted()) throw;
    }
    while (!wanted()) co_await kPause;
    if (energy_) conserve(figures_.start);
    while (figures_.stats.steps < wanted_) {
        const StepStats stats = simulator_->step(settings_, stepsThatFit(leftMs()));
        while (!wanted()) co_await kPause;
        figures_.stats += stats;
        figures_.forces = simulator_->info();
        co_await kPause;
    }
    if (energy_) conserve(figures_.end);
}

void SimulationRun::conserve(std::optional<Conserved>& sums) {
    const Conserved now = simulator_->conserved();
    if (wanted()) sums = now;
}

/// At the rate so far, one at first.
int SimulationRun::stepsThatFit(double ms) const {
    const StepStats& done = figures_.stats;
    if (done.steps == 0 || done.wallMs <= 0) return 1;
    const double fit = std::max(1., ms * done.steps / done.wallMs);
    return static_cast<int>(std::min(fit, static_cast<double>(wanted_ - done.steps)));
}

double SimulationRun::share() const {
    return static_cast<double>(figures_.stats.steps) / static_cast<double>(wanted_);
}

json toJson(const SimulationFigures& f) {
    const auto number = [](double value) { return std::isfinite(value) ? json(value) : json(); };
    json kernel{{"name", f.forces.name}, {"slices", f.forces.slices}};
    if (f.forces.registers >= 0) {
        kernel["registers"] = f.forces.registers;
        kernel["spill_bytes"] = f.forces.spillBytes;
    }
    json object{{"bodies", f.bodies},
                {"steps", f.stats.steps},
                {"kernel_ms", f.stats.kernelMs},
                {"wall_ms", f.stats.wallMs},
                {"interactions_per_second", f.interactionsPerSecond()},
                {"flops_per_second", f.flopsPerSecond()},
                {"steps_per_second", f.stepsPerSecond()},
                {"kernel", std::move(kernel)}};
    if (!f.start || !f.end) return object;
    const glm::dvec3& momentum = f.end->momentum;
    object["energy"] = {number(f.start->energy()), number(f.end->energy())};
    object["energy_drift"] = number(f.energyDrift());
    object["momentum"] = {number(momentum.x), number(momentum.y), number(momentum.z)};
    return object;
}

}  // namespace rayscope
