#pragma once

#include "renderer/lab/live_simulation.h"
#include "ui/feature.h"

namespace rayscope {

struct Rows;

/// A scene that moves does so in the picture: each presented frame asks for Settings::steps, and
/// what they have led to is shown as soon as the picture before has been seen. It stands still
/// while the picture is paused, A is pinned or something is measured.
class SimulationView : public WindowFeature {
public:
    explicit SimulationView(std::function<Machine()> open) : open_(std::move(open)) {}

    /// The section of the Scene tab.
    void drawSection(const Rows& rows);
    /// Where the bodies shown stand: {"step", "time"}; nothing in a scene that does not move.
    std::optional<nlohmann::json> place(const Frame& frame) const;

    void act(Frame& frame) override;
    /// "simulation": {"step", "time", "running", "at_work", "start", "bodies",
    /// "interactions_per_second", "steps_per_second", "energy_drift" (null: not summed),
    /// "problem"}; absent in a scene that does not move
    void describe(const Frame& frame, nlohmann::json& status) const override;
    void adopted(Frame& frame, const State& before) override;
    void leaveGpu(Frame&) override { live_.reset(); }

private:
    void drawButtons(const Ui& ui);
    void drawChoices(const Rows& rows);
    void drawFigures(const Ui& ui);
    void drawFewer(const Ui& ui);
    void remake(Frame& frame);
    void begin(Frame& frame);
    void show(MovedScene scene, const SharedBvh& hierarchy, Frame& frame);
    void takeAlong(Frame& frame);
    void order(Frame& frame);
    std::string standsStill(const Frame& frame) const;
    void countSteps(double now);

    const std::function<Machine()> open_;
    std::optional<LiveSimulation> live_;  ///< none while nothing has moved
    Simulation simulation_;               ///< that runs
    bool running_ = true;
    bool once_ = false;  ///< a single step is asked for
    bool reset_ = false;
    std::optional<Simulation> wish_;   ///< asked for in the panel, not made yet
    bool making_ = false;              ///< it is being made
    std::optional<MovedScene> moved_;  ///< what is shown; none at step 0
    std::uint64_t base_ = 0;           ///< version of the scene that it was made from
    std::int64_t step_ = 0;            ///< that is shown
    std::int64_t energyAsked_ = -1;    ///< at this step, as it stood still
    std::string warned_;               ///< of this problem
    std::deque<std::pair<double, std::int64_t>> shown_;  ///< when which step, of the last second
};

}  // namespace rayscope
