#include "renderer/cpu/cpu_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <variant>

#include "renderer/backend/body_memory.h"
#include "renderer/base/timeline.h"
#include "renderer/choices/kernel_variant.h"
#include "renderer/choices/sources.h"
#include "renderer/compile/host_compiler.h"
#include "renderer/cpu/loaded_object.h"
#include "renderer/cpu/programs.h"

namespace rayscope {

namespace {

/// Bodies that a thread takes at a time: four of the widest vectors.
constexpr int kChunk = 64;
/// How long to wait for the compiler before asking whether to stop.
constexpr double kWaitMs = 100;

template <class Real>
struct HostBodies {
    PackedBodies<Real> packed;
    typename PackedBodies<Real>::Numbers accelerations;
    std::vector<double> potentials;

    HostBodies(const Bodies& bodies, BodyLayout layout)
        : packed(packBodies<Real>(bodies, layout)),
          accelerations(size_t{3} * packed.capacity),
          potentials(packed.count) {}
    GravityParams<Real> params(double softening) {
        GravityParams<Real> p{};
        p.bodies = packed.bodies.data();
        p.velocities = packed.velocities.data();
        p.accelerations = accelerations.data();
        p.potentials = potentials.data();
        p.count = packed.count;
        p.capacity = packed.capacity;
        p.slices = 1;
        p.softening2 = static_cast<Real>(softening * softening);
        p.mass = 1;
        return p;
    }
};

/// Tiles are for a GPU, and a product more or less is no matter here.
ForceVariant hostForces(const Settings& settings) {
    ForceVariant v = forceVariant(settings);
    v.tile = ForceVariant{}.tile;
    v.equalMasses = false;
    v.math = Math::precise;
    return v;
}

class CpuSimulator : public Simulator {
public:
    CpuSimulator(std::shared_ptr<CpuCore> core, const Simulation& simulation, const Bodies& start)
        : Simulator(simulation),
          core_(std::move(core)),
          bodies_(HostBodies<double>(start, BodyLayout::soa)) {}

    std::string unsupported(const Settings& settings) const override {
        if (settings.backend != Backend::cpu) return "backend=cuda: this is the cpu backend";
        if (settings.forces == Forces::tiled || settings.forces == Forces::slices)
            return "forces: tiles are for the shared memory of a GPU (backend=cuda)";
        return {};
    }

    void prepare(const Settings& settings) override {
        core_->usePool(settings.threads);
        const ForceVariant wanted = hostForces(settings);
        chooseKernel(wanted, settings);
        if (started_ && wanted.precision == variant_.precision && wanted.layout == variant_.layout)
            return;
        const Bodies now = bodies();
        if (wanted.precision == Precision::float64)
            bodies_.emplace<HostBodies<double>>(now, wanted.layout);
        else
            bodies_.emplace<HostBodies<float>>(now, wanted.layout);
        variant_ = wanted;
        started_ = true;
        std::visit(
            [&](auto& state) {
                share(state.params(simulation().softening), kernelOf(state, Stage::accelerate));
            },
            bodies_);
    }

    StepStats step(const Settings& settings, int steps) override {
        const Clock::time_point begun = Clock::now();
        prepare(settings);
        const BuildRequest& request = choice_.active->request();
        info_.name =
            fmt::format("forces={}", settings.forces == Forces::untiled ? "untiled" : "registers");
        for (const std::string& flag : hostFlags(request.variant)) info_.name += " " + flag;
        StepStats stats;
        stats.steps = steps;
        std::visit([&](auto& state) { run(state, steps, stats.kernelMs); }, bodies_);
        count(steps);
        stats.wallMs = millisecondsSince(begun);
        return stats;
    }

    ForceInfo info() const override { return info_; }

    Bodies bodies() const override {
        return std::visit(
            [&](const auto& state) { return unpackBodies(state.packed, variant_.layout); },
            bodies_);
    }

    Conserved conserved() override {
        core_->usePool(core_->threads);
        if (!choice_.active) {
            Settings settings;
            settings.variant.precision = variant_.precision;
            settings.bodyLayout = variant_.layout;
            chooseKernel(hostForces(settings), settings);
        }
        return std::visit([&](auto& state) { return conservedOf(state); }, bodies_);
    }

private:
    /// The kernels of the settings; while others wait for this, those before go on meanwhile.
    /// Throws std::runtime_error where they do not compile.
    void chooseKernel(const ForceVariant& wanted, const Settings& settings) {
        const BuildRequest request = hostForceRequest(settings);
        if (const std::string problem = editedProblem(request.program, settings.source);
            !problem.empty())
            throw std::runtime_error(problem);
        const auto fits = [&](const HostKernel& k) {
            return k.variant().precision == wanted.precision &&
                   k.variant().stateLayout == request.variant.stateLayout;
        };
        do {
            double left = kWaitMs;
            kernels_.choose(request, {.usable = fits}, choice_, left);
            if (!choice_.compileLog.empty())
                throw std::runtime_error("the simulation's kernels do not compile:\n" +
                                         choice_.compileLog);
        } while (!stopped() && (!choice_.active || (mostMs() <= 0 && !choice_.ready)));
        if (!choice_.active) throw std::runtime_error("the simulation was stopped");
        ++choice_.active->launches;
    }
    template <class Real>
    ForceKernel<Real> kernelOf(const HostBodies<Real>&, Stage stage) const {
        return choice_.active->object().function<ForceKernel<Real>>(stage);
    }

    template <class Real>
    void run(HostBodies<Real>& state, int steps, double& ms) {
        const auto accelerate = kernelOf(state, Stage::accelerate);
        const auto move = kernelOf(state, Stage::move);
        GravityParams<Real> p = state.params(simulation().softening);
        leapfrog(
            steps, simulation().step,
            [&] {
                const Zone zone("force");
                ms += share(p, accelerate);
            },
            [&](double kick, double drift) {
                const Zone zone("integrate");
                p.kick = static_cast<Real>(kick);
                p.drift = static_cast<Real>(drift);
                ms += share(p, move, p.count);
            });
    }

    template <class Real>
    Conserved conservedOf(HostBodies<Real>& state) {
        const GravityParams<Real> p = state.params(simulation().softening);
        share(p, kernelOf(state, Stage::potential), p.count);
        return rayscope::conservedOf(bodies(), state.potentials.data());
    }

    /// Shares bodies out among the threads, those before `end`; milliseconds. Accelerations may be
    /// computed of whole vectors: there is room for bodies up to a multiple of a chunk.
    template <class Real>
    double share(const GravityParams<Real>& p, ForceKernel<Real> kernel,
                 int end = kMaxBodies + kChunk) {
        std::atomic<int> next = 0;
        return core_->pool
            ->run([&](int) {
                for (int chunk = next++; chunk * kChunk < p.count && !stopped(); chunk = next++)
                    kernel(p, chunk * kChunk, std::min((chunk + 1) * kChunk, end));
            })
            .wallMs;
    }

    const std::shared_ptr<CpuCore> core_;
    ForceVariant variant_{Forces::registers, 256, BodyLayout::soa, Precision::float64};
    std::variant<HostBodies<float>, HostBodies<double>> bodies_;
    bool started_ = false;
    ForceInfo info_;
    KernelStore<HostKernel> kernels_{
        [](BuildResult built) { return std::make_shared<HostKernel>(std::move(built)); }};
    KernelStore<HostKernel>::Choice choice_;
};

}  // namespace

BuildRequest hostForceRequest(const Settings& settings) {
    const ForceVariant wanted = hostForces(settings);
    Settings options;
    options.backend = Backend::cpu;
    options.variant = settings.variant;
    options.variant.engine = Engine::megakernel;
    Variant flags = kernelVariant(options, {}, 0);
    BuildRequest request{forceProgram(wanted, flags), flags, kBuiltIn, 0, {}};
    // what decides where bodies lie
    request.variant.precision = wanted.precision;
    request.variant.stateLayout =
        wanted.layout == BodyLayout::aos ? StateLayout::aos : StateLayout::soa;
    return request;
}

std::unique_ptr<Simulator> makeCpuSimulator(std::shared_ptr<CpuCore> core,
                                            const Simulation& simulation, const Bodies& start) {
    return std::make_unique<CpuSimulator>(std::move(core), simulation, start);
}

}  // namespace rayscope
