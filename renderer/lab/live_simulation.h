#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "renderer/devices/machine.h"
#include "renderer/lab/simulation_run.h"

namespace rayscope {

/// What some steps have led to.
struct SimulatedScene {
    MovedScene scene;
    std::int64_t step = 0;
    /// For settings that walk a hierarchy that takes longer to build than a frame.
    SharedBvh hierarchy{};
};

/// Simulates a scene's bodies on a thread and with renderers of its own, so that a window never
/// waits for a step. All calls return at once but for the destructor, which waits until a step
/// under way has noticed that it is given up.
class LiveSimulation {
public:
    /// Figures are of the steps of about the last half second of kernel time.
    struct Figures {
        std::int64_t step = 0;
        double interactionsPerSecond = 0;  ///< 0: not known yet
        /// Relative, since step 0, as of this step; none where it was not summed.
        std::optional<double> energyDrift{};
        std::int64_t driftStep = 0;
        std::string problem{};  ///< why nothing moves; empty if it does
    };

    explicit LiveSimulation(std::function<Machine()> open);
    ~LiveSimulation();
    LiveSimulation(const LiveSimulation&) = delete;
    LiveSimulation& operator=(const LiveSimulation&) = delete;

    /// From step 0. What is under way is given up.
    void restart();
    /// Asks for so many steps of the scene's simulation, the same until restart(); with 0, for the
    /// energy. No effect while it is at work. Settings may change: on another backend the bodies
    /// go on from where they are.
    void step(const SharedScene& scene, const Settings& settings, int steps);
    bool atWork() const;
    /// What steps have led to since the last call.
    std::optional<SimulatedScene> take();
    Figures figures() const;

private:
    struct Order {
        SharedScene scene;
        Settings settings;
        int steps = 0;
        bool anew = false;
        std::stop_token stop{};
    };
    void run(const std::stop_token& closing);
    std::optional<SimulatedScene> carryOut(const Order& order);
    void open(const Order& order);
    void learn(const StepStats& stats, int bodies);
    void sumEnergy(const Settings& settings, bool wished);

    mutable std::mutex mutex_;
    std::condition_variable_any asked_;
    std::optional<Order> order_;
    bool atWork_ = false, anew_ = true;
    std::stop_source stop_;
    std::optional<SimulatedScene> done_;
    Figures figures_;

    // The thread's own.
    const std::function<Machine()> open_;
    std::optional<Machine> machine_;
    std::unique_ptr<Simulator> simulator_;
    Backend backend_ = Backend::cpu;
    std::int64_t step_ = 0;
    double pairs_ = 0, pairsMs_ = 0;  ///< of the latest steps
    std::optional<Conserved> start_;
    double energyMs_ = 0;  ///< that summing it took
    Clock::time_point summed_{};

    std::jthread thread_;
};

}  // namespace rayscope
