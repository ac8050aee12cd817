#include "renderer/cuda/cuda_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "renderer/backend/body_memory.h"
#include "renderer/cuda/check.h"
#include "renderer/cuda/device_clock.h"

namespace rayscope {

namespace {

size_t bytesOf(Precision precision) {
    return precision == Precision::float64 ? sizeof(double) : sizeof(float);
}

/// Steps of a call whose kernels have zones of their own: more would push out all others.
constexpr int kMostZones = 100;

template <class Real>
void copy(Real* to, const Real* from, size_t count, cudaMemcpyKind kind) {
    check(cudaMemcpy(to, from, count * sizeof(Real), kind), "copy bodies");
}

}  // namespace

CudaSimulator::CudaSimulator(std::shared_ptr<CudaCore> core, const Simulation& simulation,
                             const Bodies& start)
    : Simulator(simulation), core_(std::move(core)), count_(start.count()), start_(start) {
    const double first = start.count() > 0 ? start.masses.front() : 0;
    equalMasses_ = std::all_of(start.masses.begin(), start.masses.end(),
                               [&](double mass) { return mass == first; });
    if (equalMasses_) mass_ = first;
}

int CudaSimulator::capacity() const {
    return bodyCapacity(count_);
}

std::string CudaSimulator::unsupported(const Settings& settings) const {
    return settings.backend == Backend::cuda ? "" : "backend=cpu: this is the cuda backend";
}

void CudaSimulator::prepare(const Settings& settings) {
    core_->useThread();
    ForceVariant wanted = forceVariant(settings);
    wanted.equalMasses = equalMasses_;
    const unsigned sources = kernelSourcesVersion(settings.source);
    if (kernels_ && kernels_->variant() == wanted && kernels_->sources() == sources) return;
    auto next = std::make_shared<const LoadedForces>(wanted, settings.source, core_->device);
    const bool same =
        kernels_ && wanted.precision == variant().precision && wanted.layout == variant().layout;
    if (!same) upload(wanted, kernels_ ? bodies() : start_);
    start_ = {};
    kernels_ = std::move(next);
    plan_ = forcePlan(wanted, count_, core_->device.multiprocessors);
    reserve();
    forceParts_ = potentialParts_ = {};
    each_ = false;
    if (wanted.precision == Precision::float64)
        accelerate(params<double>());
    else
        accelerate(params<float>());
    kernelMs_ = 0;
}

void CudaSimulator::reserve() {
    const size_t real = bytesOf(variant().precision), room = static_cast<size_t>(capacity());
    if (accelerations_.reserve(3 * real * room * plan_.slices) &&
        potentials_.reserve(room * sizeof(double)))
        return;
    throw std::runtime_error(fmt::format(
        "the GPU has no room for {} bodies in {} slices: choose fewer bodies or forces=tiled",
        count_, plan_.slices));
}

void CudaSimulator::upload(const ForceVariant& variant, const Bodies& bodies) {
    const auto copyAll = [&](auto packed) {
        const size_t count = packed.bodies.size(), bytes = count * sizeof(packed.bodies[0]);
        if (!bodies_.reserve(bytes) || !velocities_.reserve(bytes))
            throw std::runtime_error(
                fmt::format("the GPU has no room for {} bodies: choose fewer", count_));
        using Real = typename decltype(packed.bodies)::value_type;
        copy(reinterpret_cast<Real*>(bodies_.data()), packed.bodies.data(), count,
             cudaMemcpyHostToDevice);
        copy(reinterpret_cast<Real*>(velocities_.data()), packed.velocities.data(), count,
             cudaMemcpyHostToDevice);
    };
    if (variant.precision == Precision::float64)
        copyAll(packBodies<double>(bodies, variant.layout));
    else
        copyAll(packBodies<float>(bodies, variant.layout));
}

template <class Real>
GravityParams<Real> CudaSimulator::params() const {
    GravityParams<Real> p{};
    p.bodies = reinterpret_cast<Real*>(bodies_.data());
    p.velocities = reinterpret_cast<Real*>(velocities_.data());
    p.accelerations = reinterpret_cast<Real*>(accelerations_.data());
    p.potentials = reinterpret_cast<double*>(potentials_.data());
    p.count = count_;
    p.capacity = capacity();
    p.slices = plan_.slices;
    p.softening2 = static_cast<Real>(simulation().softening * simulation().softening);
    p.mass = static_cast<Real>(mass_);
    return p;
}

void CudaSimulator::Parts::learn(int launched, double ms, double mostMs) {
    const double fit = launched * mostMs / std::max(ms, 1e-3);
    units = static_cast<int>(std::clamp(fit, 1., 4. * launched));
}

int CudaSimulator::blocksOfUnit() const {
    return ceilDivide(2 * core_->device.multiprocessors, plan_.slices);
}

int CudaSimulator::units() const {
    return ceilDivide(plan_.blocks, blocksOfUnit());
}

template <class Launch>
void CudaSimulator::timed(const char* zone, const Launch& launch) {
    if (each_) timer_.begin(zone);
    launch();
    if (each_) timer_.end();
}

/// launch(first, last), once for all units or part after part, each done before the next.
template <class Launch>
void CudaSimulator::inParts(const char* zone, int units, Parts& parts, const Launch& launch) {
    if (mostMs() <= 0 || parts.units >= units) return timed(zone, [&] { launch(0, units); });
    for (int first = 0; first < units && !stopped();) {
        const int now = std::min(units - first, parts.units);
        timer_.begin(zone);
        launch(first, first + now);
        timer_.end();
        const double ms = timer_.take();
        kernelMs_ += ms;
        parts.learn(now, ms, mostMs());
        first += now;
    }
}

template <class Real>
void CudaSimulator::accelerate(GravityParams<Real> p) {
    const int bodiesOfBlock = variant().tile * bodiesOfThread(variant()), unit = blocksOfUnit();
    inParts("force", units(), forceParts_, [&](int first, int last) {
        const int blocks = std::min(last * unit, plan_.blocks) - first * unit;
        p.first = first * unit * bodiesOfBlock;
        void* arguments[] = {&p};
        kernels_->launch(Stage::accelerate, dim3(blocks, plan_.slices), variant().tile, arguments);
    });
}

template <class Real>
void CudaSimulator::run(int steps) {
    GravityParams<Real> p = params<Real>();
    void* arguments[] = {&p};
    leapfrog(
        steps, simulation().step, [&] { accelerate(p); },
        [&](double kick, double drift) {
            p.kick = static_cast<Real>(kick);
            p.drift = static_cast<Real>(drift);
            timed("integrate", [&] { kernels_->launchEach(Stage::move, count_, arguments); });
        });
}

StepStats CudaSimulator::step(const Settings& settings, int steps) {
    const Clock::time_point begun = Clock::now();
    prepare(settings);
    StepStats stats;
    stats.steps = steps;
    const bool cuts = mostMs() > 0 && forceParts_.units < units();
    each_ = cuts || (wantsDeviceZones() && steps <= kMostZones);
    if (!each_) timer_.begin("simulate");
    if (variant().precision == Precision::float64)
        run<double>(steps);
    else
        run<float>(steps);
    if (!each_) timer_.end();
    stats.kernelMs = timer_.take() + std::exchange(kernelMs_, 0.);
    count(steps);
    stats.wallMs = millisecondsSince(begun);
    return stats;
}

ForceInfo CudaSimulator::info() const {
    if (!kernels_) return {};
    return {nameExpression(variant(), Stage::accelerate), plan_.slices, kernels_->facts().registers,
            kernels_->facts().spillBytes};
}

template <class Real>
Bodies CudaSimulator::download() const {
    PackedBodies<Real> packed;
    packed.count = count_;
    packed.capacity = capacity();
    const size_t numbers = size_t{4} * packed.capacity;
    packed.bodies.resize(numbers);
    packed.velocities.resize(numbers);
    copy(packed.bodies.data(), reinterpret_cast<const Real*>(bodies_.data()), numbers,
         cudaMemcpyDeviceToHost);
    copy(packed.velocities.data(), reinterpret_cast<const Real*>(velocities_.data()), numbers,
         cudaMemcpyDeviceToHost);
    return unpackBodies(packed, variant().layout);
}

Bodies CudaSimulator::bodies() const {
    if (!kernels_) return start_;
    core_->useThread();
    return variant().precision == Precision::float64 ? download<double>() : download<float>();
}

template <class Real>
std::vector<double> CudaSimulator::potentials() {
    GravityParams<Real> p = params<Real>();
    constexpr int kUnit = 256;  // bodies that attract all: a few blocks fill no device, but all do
    each_ = false;
    inParts("energy", ceilDivide(count_, kUnit), potentialParts_, [&](int first, int last) {
        p.from = first * kUnit;
        p.until = std::min(last * kUnit, count_);
        void* arguments[] = {&p};
        kernels_->launchEach(Stage::potential, count_, arguments);
    });
    kernelMs_ = 0;
    std::vector<double> result(count_);
    copy(result.data(), reinterpret_cast<const double*>(potentials_.data()), result.size(),
         cudaMemcpyDeviceToHost);
    return result;
}

std::shared_ptr<const PlacedBodies> CudaSimulator::placed() {
    if (!kernels_) throw std::logic_error("placed() comes after prepare()");
    core_->useThread();
    const auto free =
        std::ranges::find_if(placed_, [](const auto& bodies) { return bodies.use_count() == 1; });
    const std::shared_ptr<DeviceBodies> bodies =
        free != placed_.end() ? *free : placed_.emplace_back(std::make_shared<DeviceBodies>());
    if (variant().precision == Precision::float64)
        bodies->copy(kernels_, params<double>());
    else
        bodies->copy(kernels_, params<float>());
    return bodies;
}

Conserved CudaSimulator::conserved() {
    if (!kernels_) throw std::logic_error("conserved() comes after prepare()");
    core_->useThread();
    const std::vector<double> each =
        variant().precision == Precision::float64 ? potentials<double>() : potentials<float>();
    return conservedOf(bodies(), each.data());
}

std::unique_ptr<Simulator> makeCudaSimulator(std::shared_ptr<CudaCore> core,
                                             const Simulation& simulation, const Bodies& start) {
    return std::make_unique<CudaSimulator>(std::move(core), simulation, start);
}

}  // namespace rayscope
