#include "renderer/lab/simulation_trial.h"

#include <algorithm>

#include "renderer/base/elapsed.h"
#include "renderer/lab/simulation_run.h"

namespace rayscope {

namespace {

constexpr int kFewestPasses = 5;
/// Of a pass that is only timed: enough that what begins and ends it does not count.
constexpr double kPassMs = 20;
constexpr int kMostSteps = 1000;

}  // namespace

SimulationTrial::SimulationTrial(Renderer& renderer, const Scene& scene, const SimulationWish& wish)
    : wish_(wish), device_(renderer.device()) {
    auto made =
        openSimulator(renderer, wish.settings, *scene.simulation, startOf(*scene.simulation));
    if (made)
        simulator_ = *std::move(made);
    else
        problem_ = made.reason();
}

/// Compiles, and learns how long a step takes when clocks have risen.
void SimulationTrial::warmUp() {
    simulator_->prepare(wish_.settings);
    steps_ = wish_.settings.steps;
    if (wish_.presents) {
        pass(steps_);
        return;
    }
    StepStats stats;
    for (int more = 1; stats.kernelMs < 2 * kPassMs && stats.steps < kMostSteps; more *= 2)
        stats = simulator_->step(wish_.settings, more);
    const double fit = kPassMs * stats.steps / std::max(stats.kernelMs, 1e-3);
    steps_ = std::clamp(static_cast<int>(fit), 1, kMostSteps);
}

Pass SimulationTrial::pass(int steps) {
    const Clock::time_point begun = Clock::now();
    Pass pass;
    pass.kernelMs = simulator_->step(wish_.settings, steps).kernelMs;
    if (wish_.presents) simulator_->bodies();
    pass.loopMs = millisecondsSince(begun);
    pass.launches = steps;
    return pass;
}

bool SimulationTrial::step(double budgetMs) {
    if (!problem_.empty()) return true;
    const Clock::time_point begun = Clock::now();
    if (steps_ == 0) {
        warmUp();
        return false;
    }
    while (share() < 1) {
        passes_.push_back(pass(steps_));
        seconds_ += 1e-3 * passes_.back().loopMs;
        if (millisecondsSince(begun) >= budgetMs) break;
    }
    return share() >= 1;
}

double SimulationTrial::share() const {
    const double time = seconds_ / wish_.seconds,
                 number = static_cast<double>(passes_.size()) / kFewestPasses;
    return std::clamp(std::min(time, number), 0., 1.);
}

Measurement SimulationTrial::measurement() const {
    Measurement m = measurementOf(passes_, 0);
    m.device = device_;
    const ForceInfo forces = simulator_->info();
    m.kernel.name = forces.name;
    m.kernel.registers = forces.registers;
    m.kernel.spillBytes = forces.spillBytes;
    return m;
}

}  // namespace rayscope
