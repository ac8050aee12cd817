#include "renderer/lab/live_simulation.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "renderer/base/elapsed.h"
#include "renderer/base/timeline.h"
#include "renderer/scene/bvh_build.h"

namespace rayscope {

namespace {

/// Figures are of about so long.
constexpr double kRecentMs = 500;
/// The window's frames wait for no more.
constexpr double kMostMs = 4;
/// The energy is summed not more often than this, and takes no more than this share of the time.
constexpr double kEnergyEveryMs = 2000, kEnergyShare = .05;
/// Of more bodies the sum takes seconds, in which nothing would move: of a million, 15 on an H100.
constexpr int kMostSummedByCpu = 1 << 16, kMostSummedByGpu = 1 << 18;

/// Whether a renderer needs nothing of bodies that have moved on its device. The others are spared
/// waiting for what they need.
bool readOnDevice(const Settings& settings) {
    const Variant& v = settings.variant;
    const bool moves =
        v.accel == Accel::brute || (v.accel == Accel::bvh && settings.hierarchy != Hierarchy::sah);
    return settings.backend == Backend::cuda && moves && !v.lightSampling;
}

bool canSum(const Settings& settings, int bodies) {
    return bodies <= (settings.backend == Backend::cuda ? kMostSummedByGpu : kMostSummedByCpu);
}

}  // namespace

LiveSimulation::LiveSimulation(std::function<Machine()> open)
    : open_(std::move(open)), thread_([this](const std::stop_token& closing) { run(closing); }) {}

LiveSimulation::~LiveSimulation() {
    {
        const std::lock_guard lock(mutex_);
        stop_.request_stop();
        thread_.request_stop();
    }
    asked_.notify_all();
}

void LiveSimulation::restart() {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
    stop_ = {};
    if (order_) atWork_ = false;
    order_.reset();
    done_.reset();
    figures_ = {};
    anew_ = true;
}

void LiveSimulation::step(const SharedScene& scene, const Settings& settings, int steps) {
    {
        const std::lock_guard lock(mutex_);
        if (atWork_) return;
        order_ = Order{scene, settings, steps, std::exchange(anew_, false), stop_.get_token()};
        atWork_ = true;
    }
    asked_.notify_all();
}

bool LiveSimulation::atWork() const {
    const std::lock_guard lock(mutex_);
    return atWork_;
}

std::optional<SimulatedScene> LiveSimulation::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(done_, std::nullopt);
}

LiveSimulation::Figures LiveSimulation::figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

void LiveSimulation::run(const std::stop_token& closing) {
    nameThread("simulation");
    while (true) {
        Order order;
        {
            std::unique_lock lock(mutex_);
            if (!asked_.wait(lock, closing, [this] { return order_.has_value(); })) return;
            order = *std::exchange(order_, std::nullopt);
        }
        std::optional<SimulatedScene> done;
        std::string problem;
        try {
            done = carryOut(order);
        } catch (const std::exception& error) {
            problem = error.what();
            simulator_.reset();
            machine_.reset();
        }
        const std::lock_guard lock(mutex_);
        atWork_ = false;
        if (order.stop.stop_requested()) continue;
        if (done) done_ = std::move(done);
        figures_.problem = std::move(problem);
    }
}

std::optional<SimulatedScene> LiveSimulation::carryOut(const Order& order) {
    open(order);
    StepStats stats;
    if (order.steps > 0) {
        const Zone zone("step");
        stats = simulator_->step(order.settings, order.steps);
    }
    if (order.stop.stop_requested()) return std::nullopt;
    step_ += order.steps;
    learn(stats, order.scene->simulation->bodies);
    sumEnergy(order.settings, order.steps == 0);
    if (order.steps == 0) return std::nullopt;
    std::optional<MovedScene> moved = movedBy(*simulator_, order.scene);
    if (!moved)
        throw std::runtime_error(
            "bodies have left the scene: choose a smaller time step, or more softening");
    if (!readOnDevice(order.settings)) moved->now();
    const bool builds = walksSahTree(order.settings) && order.settings.hierarchy == Hierarchy::sah;
    if (!builds || order.scene->spheres.size() <= kSpheresInAFrame)
        return SimulatedScene{*moved, step_};
    const Zone zone("build hierarchy");
    return SimulatedScene{*moved, step_,
                          std::make_shared<const Bvh>(buildBvh(boxesOf(moved->now())))};
}

/// The simulator of this order, with the bodies of the one before.
void LiveSimulation::open(const Order& order) {
    const Settings& settings = order.settings;
    const bool goesOn = simulator_ != nullptr && !order.anew;
    const auto stop = [token = order.stop] { return token.stop_requested(); };
    if (goesOn && backend_ == settings.backend) return simulator_->setStop(stop);
    if (!machine_) machine_ = open_();
    Renderer* renderer = machine_->of(settings.backend);
    if (renderer == nullptr) throw std::runtime_error(machine_->noCuda);
    const Simulation& simulation = *order.scene->simulation;
    auto made = openSimulator(*renderer, settings, simulation,
                              goesOn ? simulator_->bodies() : startOf(simulation));
    if (!made) throw std::runtime_error(made.reason());
    simulator_ = *std::move(made);
    simulator_->setMostMs(kMostMs);
    backend_ = settings.backend;
    pairs_ = pairsMs_ = 0;
    simulator_->setStop(stop);
    if (goesOn) return;
    step_ = 0;
    start_.reset();
    energyMs_ = 0;
    simulator_->prepare(settings);
    if (!canSum(settings, simulation.bodies)) return;
    const Zone zone("energy");
    start_ = simulator_->conserved();
    summed_ = Clock::now();
}

void LiveSimulation::learn(const StepStats& stats, int bodies) {
    if (pairsMs_ > kRecentMs) {
        pairs_ /= 2;
        pairsMs_ /= 2;
    }
    pairs_ += 1. * bodies * bodies * stats.steps;
    pairsMs_ += stats.kernelMs;
    const double latest = 1e3 * bodies * bodies * stats.steps;
    if (stats.kernelMs > 0) recordCounter("interactions/s", latest / stats.kernelMs);
    const std::lock_guard lock(mutex_);
    if (stop_.stop_requested() || anew_) return;
    figures_.step = step_;
    figures_.interactionsPerSecond = pairsMs_ > 0 ? 1e3 * pairs_ / pairsMs_ : 0;
}

void LiveSimulation::sumEnergy(const Settings& settings, bool wished) {
    if (!start_ || !canSum(settings, simulator_->simulation().bodies)) return;
    if (!wished && millisecondsSince(summed_) < std::max(kEnergyEveryMs, energyMs_ / kEnergyShare))
        return;
    const Zone zone("energy");
    const Clock::time_point began = Clock::now();
    const double drift = relativeDrift(*start_, simulator_->conserved());
    energyMs_ = millisecondsSince(began);
    summed_ = Clock::now();
    const std::lock_guard lock(mutex_);
    if (anew_) return;
    figures_.energyDrift = drift;
    figures_.driftStep = step_;
}

}  // namespace rayscope
