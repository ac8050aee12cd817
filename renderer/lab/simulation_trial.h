#pragma once

#include <memory>
#include <vector>

#include "renderer/lab/measure.h"

namespace rayscope {

struct SimulationWish {
    Settings settings;
    double seconds = .5;
    /// After every Settings::steps steps the bodies are copied to the host, which stands for the
    /// hand-over to whatever shows them. Else a pass has many steps in one.
    bool presents = false;
};

/// Measures the steps of a scene's simulation. Pass::launches are steps, and there are no rays.
class SimulationTrial : public MeasuringJob {
public:
    /// The scene has a simulation.
    SimulationTrial(Renderer& renderer, const Scene& scene, const SimulationWish& wish);

    bool step(double budgetMs) override;
    double share() const override;
    Measurement measurement() const override;

private:
    void warmUp();
    Pass pass(int steps);

    SimulationWish wish_;
    std::unique_ptr<Simulator> simulator_;
    DeviceInfo device_;
    std::vector<Pass> passes_;
    int steps_ = 0;       ///< of a pass; 0: it is not warm yet
    double seconds_ = 0;  ///< of all passes
};

}  // namespace rayscope
