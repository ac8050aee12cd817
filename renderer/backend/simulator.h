#pragma once

#include <cstdint>
#include <functional>
#include <glm/vec3.hpp>
#include <memory>
#include <string>
#include <utility>

#include "renderer/choices/settings.h"
#include "renderer/scene/simulation.h"

namespace rayscope {

/// What a call of Simulator::step() did.
struct StepStats {
    int steps = 0;
    double kernelMs = 0;  ///< GPU: between events around all kernels; CPU: the workers' wall time
    double wallMs = 0;    ///< of the call; kernels of a variant met for the first time are compiled
    StepStats& operator+=(const StepStats& other);
};

/// Conserved but for rounding and the finite step, except for `kinetic` and `potential` alone.
struct Conserved {
    double kinetic = 0, potential = 0;  ///< softened, each pair once
    glm::dvec3 momentum{0, 0, 0};
    double energy() const { return kinetic + potential; }
};

/// By how much the energy has changed, relative to its first.
double relativeDrift(const Conserved& first, const Conserved& now);

class PlacedBodies;

/// How a step is computed.
struct ForceInfo {
    std::string name;     ///< of the kernel, or the CPU's table entry
    int slices = 1;       ///< among which a body's sum is shared out
    int registers = -1;   ///< per thread; -1: unknown, as for the CPU
    int spillBytes = -1;  ///< per thread
};

/// Bodies under gravity, moved by a leapfrog of a fixed step: kick, drift, kick (Hockney and
/// Eastwood 1988), second order and time-reversible. The forces that end a step begin the next, so
/// they are computed once a step. Numbers follow IEEE: what overflows becomes infinite, then NaN.
class Simulator {
public:
    virtual ~Simulator() = default;

    /// Why it cannot be computed in this way, or an empty string.
    virtual std::string unsupported(const Settings& settings) const = 0;
    /// Compiles, allocates and copies what steps with these settings need, and computes the forces
    /// of the first. Throws std::runtime_error if there is not enough memory or a kernel does not
    /// compile.
    virtual void prepare(const Settings& settings) = 0;
    /// Moves the bodies by so many steps and waits for that. The settings may be others each time:
    /// between precisions and layouts the bodies are converted. Throws std::runtime_error.
    virtual StepStats step(const Settings& settings, int steps) = 0;
    /// How a step was computed last.
    virtual ForceInfo info() const = 0;

    /// The bodies as they are now, with velocities of the same time.
    virtual Bodies bodies() const = 0;
    /// A copy of where they are now, in the memory of a device; nullptr if they are in the host's.
    /// Throws std::runtime_error.
    virtual std::shared_ptr<const PlacedBodies> placed() { return nullptr; }
    /// Sums of all bodies, in double precision; takes about as long as a step in double precision.
    virtual Conserved conserved() = 0;

    /// Others wait for the device, too: no work that is given to it takes longer than about so
    /// long. 0, as at first: as is fastest.
    void setMostMs(double ms) { mostMs_ = ms; }
    /// Once this is true calls may return early, and the bodies are of no more use. Several threads
    /// ask, some hundred times a second.
    void setStop(std::function<bool()> stop) { stop_ = std::move(stop); }

    std::int64_t steps() const { return steps_; }
    const Simulation& simulation() const { return simulation_; }

protected:
    explicit Simulator(const Simulation& simulation) : simulation_(simulation) {}
    void count(int steps) { steps_ += steps; }
    bool stopped() const { return stop_ && stop_(); }
    double mostMs() const { return mostMs_; }

private:
    Simulation simulation_;
    std::int64_t steps_ = 0;
    double mostMs_ = 0;
    std::function<bool()> stop_;
};

/// The launches of so many steps of length `step`: accelerate() computes the accelerations of all
/// bodies where they are, which is what they are before; move(kick, drift) adds them to the
/// velocities for one time, and these to the positions for another.
template <class Accelerate, class Move>
void leapfrog(int steps, double step, Accelerate accelerate, Move move) {
    if (steps < 1) return;
    for (int i = 0; i < steps; ++i) {
        // the kick that ends a step and the one that begins the next are one
        move(i == 0 ? step / 2 : step, step);
        accelerate();
    }
    move(step / 2, 0.);
}

/// Kinetic energy and momentum of the bodies, and `potentials` of each, halved, as pairs count
/// once.
Conserved conservedOf(const Bodies& bodies, const double* potentials);

}  // namespace rayscope
