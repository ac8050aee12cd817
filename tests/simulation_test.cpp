// Bodies under gravity on the CPU: their starts, orbits that are known, what is conserved.

#include "renderer/lab/simulation_run.h"
#include "tests/render_helper.h"
#include "tests/simulations.h"

namespace rayscope::bodies {
namespace {

Simulation startingAs(Start start, int bodies, int seed = 1) {
    Simulation simulation;
    simulation.start = start;
    simulation.bodies = bodies;
    simulation.seed = seed;
    return simulation;
}

/// Every choice of a simulation on the CPU.
std::vector<Settings> cpuChoices(bool optimised) {
    std::vector<Settings> all;
    for (const char* forces : {"untiled", "registers"}) {
        for (const char* layout : {"aos", "soa"}) {
            for (const char* precision : {"float", "double"}) {
                for (const char* opt : {"O0", "O1", "O2", "O3", "native"}) {
                    if (!optimised && opt != std::string("native")) continue;
                    all.push_back(movingSettings(
                        Backend::cpu,
                        {std::string("forces=") + forces, std::string("body_layout=") + layout,
                         std::string("precision=") + precision, std::string("opt=") + opt}));
                }
            }
        }
    }
    return all;
}

bool isDouble(const Settings& settings) {
    return settings.variant.precision == Precision::float64;
}

/// A start of mass 1 has the energy -1/4 in standard units.
TEST(Start, EachIsInStandardUnits) {
    const auto cpu = makeCpuRenderer();
    const Settings settings = movingSettings(Backend::cpu, {"precision=double"});
    for (const Start start : {Start::plummer, Start::discs, Start::cube}) {
        Simulation simulation = startingAs(start, 10000);
        simulation.softening = 1e-3;
        const auto simulator = begin(*cpu, simulation, startOf(simulation));
        simulator->prepare(settings);
        const Conserved sum = simulator->conserved();
        EXPECT_NEAR(sum.energy(), -.25, .0125) << static_cast<int>(start);
        EXPECT_LT(glm::length(sum.momentum), 1e-12);
        if (start == Start::cube) {
            EXPECT_EQ(sum.kinetic, 0);
        }
        if (start == Start::plummer) {
            EXPECT_NEAR(sum.kinetic / -sum.potential, .5, .02) << "in equilibrium";
        }
    }
}

/// The mass within r is r^3 (r^2 + a^2)^(-3/2) in the infinite sphere.
TEST(Start, PlummersSphereHasItsRadii) {
    const Bodies bodies = startOf(startingAs(Start::plummer, 20000));
    std::vector<double> radii;
    for (const glm::dvec3& position : bodies.positions) radii.push_back(glm::length(position));
    std::sort(radii.begin(), radii.end());
    const double a = 3 * M_PI / 16;
    EXPECT_NEAR(radii[radii.size() / 2], a / std::sqrt(std::pow(.5, -2. / 3) - 1), .03);
    EXPECT_LE(radii.back(), 21 * a);
}

TEST(Start, TheSameSimulationHasTheSameBodies) {
    for (const Start start : {Start::plummer, Start::discs, Start::cube}) {
        EXPECT_TRUE(startOf(startingAs(start, 9)) == startOf(startingAs(start, 9)));
        EXPECT_FALSE(startOf(startingAs(start, 9)) == startOf(startingAs(start, 9, 2)));
        EXPECT_EQ(startOf(startingAs(start, 1)).positions[0], glm::dvec3(0));
        Simulation heavy = startingAs(start, 9);
        heavy.mass = 4;
        const Bodies light = startOf(startingAs(start, 9)), bodies = startOf(heavy);
        EXPECT_LT(glm::distance(bodies.velocities[5], 2. * light.velocities[5]), 1e-15);
    }
}

TEST(Start, SomeBodiesShine) {
    Scene scene = sceneNamed("nbody-100");
    EXPECT_EQ(lightCount(scene), scene.simulation->lamps);
    scene.simulation->lamps = kMaxBodies;
    scene.spheres.clear();
    placeBodies(scene);
    EXPECT_EQ(lightCount(scene), 100);
}

TEST(Simulation, ChoicesComputeTheSameForces) {
    const auto cpu = makeCpuRenderer();
    for (const Settings& settings : cpuChoices(true)) {
        SCOPED_TRACE(describe(settings));
        for (const bool equal : {true, false})
            EXPECT_LT(errorOfForces(*cpu, settings, 301, equal), isDouble(settings) ? 1e-11 : 3e-5);
    }
}

TEST(Simulation, ChoicesMoveBodiesToTheSamePlaces_long) {
    const auto cpu = makeCpuRenderer();
    const Simulation simulation = startingAs(Start::plummer, 300);
    const Bodies start = startOf(simulation);
    const Settings exact = movingSettings(Backend::cpu, {"precision=double"});
    const Bodies expected = after(*cpu, exact, simulation, start, 100);
    for (const Settings& settings : cpuChoices(true)) {
        EXPECT_LT(apart(after(*cpu, settings, simulation, start, 100), expected),
                  isDouble(settings) ? 1e-11 : 1e-5)
            << describe(settings);
    }
}

TEST(Simulation, TwoBodiesGoInCircles) {
    const auto cpu = makeCpuRenderer();
    for (const Settings& settings : cpuChoices(false)) {
        SCOPED_TRACE(describe(settings));
        expectCircularOrbit(*cpu, settings);
    }
}

TEST(Simulation, ThreeBodiesKeepLagrangesTriangle) {
    const auto cpu = makeCpuRenderer();
    for (const Settings& settings : cpuChoices(false)) {
        SCOPED_TRACE(describe(settings));
        expectLagrangesTriangle(*cpu, settings);
    }
}

TEST(Simulation, MomentumStaysToRounding) {
    const auto cpu = makeCpuRenderer();
    for (const Settings& settings : cpuChoices(false)) {
        SCOPED_TRACE(describe(settings));
        expectMomentumStays(*cpu, settings, isDouble(settings) ? 1e-14 : 2e-7);
    }
}

/// Of few bodies, which meet more often than many: the shipped scene drifts less.
TEST(Simulation, EnergyDriftsLessThanAThousandthInTenThousandSteps) {
    const auto cpu = makeCpuRenderer();
    for (const char* precision : {"precision=float", "precision=double"}) {
        const double drift = driftOf(*cpu, movingSettings(Backend::cpu, {precision}),
                                     startingAs(Start::plummer, 256), 10000);
        EXPECT_LT(std::abs(drift), 1e-3) << precision;
    }
}

TEST(Simulation, TheErrorIsOfSecondOrderInTheStep) {
    const auto cpu = makeCpuRenderer();
    expectSecondOrder(*cpu, movingSettings(Backend::cpu, {"precision=double"}));
}

TEST(Simulation, OddBodiesAreDefined) {
    const auto cpu = makeCpuRenderer();
    for (const Settings& settings : cpuChoices(false)) {
        SCOPED_TRACE(describe(settings));
        expectOddBodiesAreDefined(*cpu, settings);
    }
}

/// Steps may be asked for in any portions, and settings may change between them.
TEST(Simulation, GoesOnWhereItStopped) {
    const auto cpu = makeCpuRenderer();
    const Simulation simulation = startingAs(Start::discs, 200);
    const Bodies start = startOf(simulation);
    const Settings settings = movingSettings(Backend::cpu, {"precision=double"});
    const Bodies whole = after(*cpu, settings, simulation, start, 60);
    const auto parts = begin(*cpu, simulation, start);
    for (const int steps : {1, 20, 0, 39}) parts->step(settings, steps);
    EXPECT_LT(apart(parts->bodies(), whole), 1e-12);
    const auto mixed = begin(*cpu, simulation, start);
    int turn = 0;
    for (const Settings& other : cpuChoices(false)) {
        mixed->step(other, turn++ < 4 ? 8 : 7);
        EXPECT_EQ(mixed->bodies().masses.size(), 200u);
    }
    EXPECT_EQ(mixed->steps(), 60);
    EXPECT_LT(apart(mixed->bodies(), whole), 1e-5);
    EXPECT_NE(parts->unsupported(movingSettings(Backend::cuda)), "");
}

TEST(SimulationRun, CountsWhatItDid) {
    const auto cpu = makeCpuRenderer();
    const Scene scene = sceneNamed("nbody-300");
    SimulationRun run(*cpu, movingSettings(Backend::cpu), scene, 200, true);
    EXPECT_EQ(run.problem(), "");
    playToEnd(run);
    const SimulationFigures& f = run.figures();
    EXPECT_EQ(f.stats.steps, 200);
    EXPECT_EQ(run.simulator().steps(), 200);
    EXPECT_DOUBLE_EQ(f.interactionsPerSecond(), 300. * 300 * 200 / (f.stats.kernelMs * 1e-3));
    EXPECT_LE(f.stats.kernelMs, f.stats.wallMs);
    EXPECT_LT(std::abs(f.energyDrift()), 1e-3);
    EXPECT_NE(f.energyDrift(), 0);
    const auto json = toJson(f);
    EXPECT_EQ(json["steps"], 200);
    EXPECT_EQ(json["energy"].size(), 2u);
    SimulationFigures lost = f;
    lost.end->kinetic = NAN;
    EXPECT_TRUE(toJson(lost)["energy_drift"].is_null());
    EXPECT_FALSE(toJson(SimulationFigures{}).contains("energy"));
}

}  // namespace
}  // namespace rayscope::bodies
