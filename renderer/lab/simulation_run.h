#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "renderer/backend/renderer.h"
#include "renderer/lab/job.h"

namespace rayscope {

/// What was found of a simulation that ran.
struct SimulationFigures {
    int bodies = 0;
    StepStats stats;
    ForceInfo forces;
    /// Before the first step and after the last; none where that was not asked for, or the run was
    /// cancelled.
    std::optional<Conserved> start, end;

    /// Every body with every body, once a step, over kernel time.
    double interactionsPerSecond() const;
    /// At 20 a softened interaction, as Nyland, Harris and Prins count (GPU Gems 3, chapter 31).
    double flopsPerSecond() const { return 20 * interactionsPerSecond(); }
    /// Over wall time.
    double stepsPerSecond() const;
    /// (end - start) / |start|; 0 where there is no energy. NaN without start and end, or where the
    /// bodies have left the numbers.
    double energyDrift() const;
};

/// Renderer::simulate(); fails, too, where the simulator cannot compute steps with these settings.
Result<std::unique_ptr<Simulator>> openSimulator(Renderer& renderer, const Settings& settings,
                                                 const Simulation& simulation, const Bodies& start);

/// A job that moves a scene's bodies by so many steps.
class SimulationRun : public SteppedJob {
public:
    /// The scene has a simulation. `energy`: sums what is conserved before and after.
    SimulationRun(Renderer& renderer, const Settings& settings, const Scene& scene,
                  std::int64_t steps, bool energy);

    double share() const override;
    std::string label() const override { return "simulate"; }
    const SimulationFigures& figures() const { return figures_; }
    Simulator& simulator() { return *simulator_; }

private:
    Steps run() override;
    void conserve(std::optional<Conserved>& sums);
    int stepsThatFit(double ms) const;

    Settings settings_;
    std::int64_t wanted_;
    bool energy_;
    std::unique_ptr<Simulator> simulator_;
    SimulationFigures figures_;
};

/// Of a report; what is no number is null.
nlohmann::json toJson(const SimulationFigures& figures);

}  // namespace rayscope
