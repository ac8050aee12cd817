// Bodies under gravity on the GPU: every choice against double precision on the CPU.

#include "tests/gpu/gpu_fixture.h"
#include "tests/simulations.h"

#ifdef RAYSCOPE_CUDA

#include "renderer/cuda/cuda_simulator.h"

namespace rayscope::bodies {
namespace {

Settings choice(const std::string& forces, int tile, std::vector<std::string> others = {}) {
    others.push_back("forces=" + forces);
    if (forces != "untiled") others.push_back("body_tile=" + std::to_string(tile));
    return movingSettings(Backend::cuda, others);
}

/// Every choice of a simulation but for the tile's size.
std::vector<Settings> choicesOf(int tile) {
    std::vector<Settings> all;
    for (const char* forces : {"untiled", "tiled", "slices", "registers"}) {
        for (const char* layout : {"body_layout=aos", "body_layout=soa"}) {
            for (const char* precision : {"precision=float", "precision=double"}) {
                for (const char* math : {"math=precise", "math=intrinsics", "math=fast"})
                    all.push_back(choice(forces, tile, {layout, precision, math}));
            }
        }
    }
    return all;
}

/// The same, and every size of tiles.
std::vector<Settings> everyChoice() {
    std::vector<Settings> all = choicesOf(64);
    for (const char* forces : {"tiled", "slices", "registers"}) {
        for (const int tile : {32, 128, 256, 512}) all.push_back(choice(forces, tile));
    }
    return all;
}

bool isDouble(const Settings& settings) {
    return settings.variant.precision == Precision::float64;
}

class NbodyGpu : public testing::Test {
protected:
    void SetUp() override {
        auto made = makeCudaRenderer();
        if (!made) GTEST_SKIP() << made.reason();
        gpu = *std::move(made);
    }
    template <class Expect>
    void forEach(const std::vector<Settings>& choices, Expect expect) {
        for (const Settings& settings : choices) {
            SCOPED_TRACE(describe(settings));
            expect(settings);
        }
    }

    std::unique_ptr<Renderer> gpu;
    std::unique_ptr<Renderer> cpu = makeCpuRenderer();
};

TEST_F(NbodyGpu, EveryChoiceComputesTheSameForces) {
    forEach(everyChoice(), [&](const Settings& settings) {
        for (const bool equal : {true, false}) {
            EXPECT_LT(errorOfForces(*gpu, settings, 1500, equal),
                      isDouble(settings) ? 1e-11 : 3e-5);
        }
    });
}

TEST_F(NbodyGpu, EveryChoiceMovesBodiesToTheSamePlaces) {
    Simulation simulation;
    simulation.bodies = 3000;
    const Bodies start = startOf(simulation);
    const Settings exact = movingSettings(Backend::cpu, {"precision=double"});
    const Bodies expected = after(*cpu, exact, simulation, start, 100);
    forEach(everyChoice(), [&](const Settings& settings) {
        EXPECT_LT(apart(after(*gpu, settings, simulation, start, 100), expected),
                  isDouble(settings) ? 1e-10 : 3e-5);
    });
}

TEST_F(NbodyGpu, TwoBodiesGoInCircles) {
    forEach(choicesOf(64), [&](const Settings& s) { expectCircularOrbit(*gpu, s); });
}

TEST_F(NbodyGpu, ThreeBodiesKeepLagrangesTriangle) {
    forEach(choicesOf(64), [&](const Settings& s) { expectLagrangesTriangle(*gpu, s); });
}

TEST_F(NbodyGpu, MomentumStaysToRounding) {
    forEach(choicesOf(64), [&](const Settings& settings) {
        expectMomentumStays(*gpu, settings, isDouble(settings) ? 1e-14 : 2e-7);
    });
}

/// The Plummer sphere of as many bodies as the shipped scene has, at the default step.
TEST_F(NbodyGpu, EnergyDriftsLessThanAThousandthInTenThousandSteps) {
    Simulation simulation;
    simulation.bodies = 16384;
    EXPECT_LT(std::abs(driftOf(*gpu, movingSettings(Backend::cuda), simulation, 10000)), 1e-3);
}

TEST_F(NbodyGpu, TheErrorIsOfSecondOrderInTheStep) {
    expectSecondOrder(*gpu, movingSettings(Backend::cuda, {"precision=double"}));
}

TEST_F(NbodyGpu, OddBodiesAreDefined) {
    forEach(choicesOf(64), [&](const Settings& s) { expectOddBodiesAreDefined(*gpu, s); });
}

/// What is conserved is summed alike on both.
TEST_F(NbodyGpu, EnergyIsThatOfTheCpu) {
    Simulation simulation;
    simulation.bodies = 2000;
    const Bodies start = startOf(simulation);
    const auto mine = begin(*gpu, simulation, start), other = begin(*cpu, simulation, start);
    mine->prepare(movingSettings(Backend::cuda, {"precision=double"}));
    other->prepare(movingSettings(Backend::cpu, {"precision=double"}));
    EXPECT_NEAR(mine->conserved().energy(), other->conserved().energy(), 1e-12);
    EXPECT_NEAR(mine->conserved().potential, other->conserved().potential, 1e-12);
}

/// A window's simulation: kernels in parts compute what whole ones do.
TEST_F(NbodyGpu, PartsAreTheWhole) {
    Simulation simulation;
    simulation.bodies = 50000;
    const Bodies start = startOf(simulation);
    forEach({choice("registers", 128), choice("untiled", 0), choice("slices", 64)},
            [&](const Settings& s) {
                const auto whole = begin(*gpu, simulation, start),
                           cut = begin(*gpu, simulation, start);
                cut->setMostMs(.05);
                whole->step(s, 3);
                EXPECT_GT(cut->step(s, 3).kernelMs, 0);
                EXPECT_EQ(cut->bodies(), whole->bodies());
                EXPECT_NEAR(cut->conserved().energy(), whole->conserved().energy(), 1e-12);
            });
}

/// The scene on the device becomes the one that the host would pack of the moved spheres.
template <class Real>
void expectPlaced(Renderer& gpu, const Settings& settings, SceneLayout layout) {
    Scene scene;
    scene.simulation.emplace();
    scene.simulation->bodies = 333;
    scene.spheres.push_back({{0, -9, 0}, 8, {}});
    placeBodies(scene);
    PackedScene packed = packScene<Real>(scene, layout);
    const auto simulator = begin(gpu, *scene.simulation, startOf(*scene.simulation));
    simulator->step(settings, 50);
    void* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, packed.size()), cudaSuccess);
    cudaMemcpy(device, packed.data(), packed.size(), cudaMemcpyHostToDevice);
    const int padded =
        (static_cast<int>(scene.spheres.size()) + kPadding - 1) / kPadding * kPadding;
    const auto placed = simulator->placed();
    ASSERT_TRUE(placed && placed->canBeDrawn());
    simulator->step(settings, 3);  // moves them, not what was placed
    const Precision precision =
        sizeof(Real) == sizeof(float) ? Precision::float32 : Precision::float64;
    const Precision other = sizeof(Real) == sizeof(float) ? Precision::float64 : Precision::float32;
    EXPECT_FALSE(placed->place(static_cast<unsigned char*>(device), other, layout, padded));
    ASSERT_TRUE(placed->place(static_cast<unsigned char*>(device), precision, layout, padded));
    cudaMemcpy(packed.data(), device, packed.size(), cudaMemcpyDeviceToHost);
    cudaFree(device);
    ASSERT_TRUE(moveBodies(scene, placed->positions()));
    EXPECT_NE(placed->positions(), simulator->bodies().positions);
    const PackedScene expected = packScene<Real>(scene, layout);
    ASSERT_EQ(packed.size(), expected.size());
    const size_t count = size_t{4} * padded;  // numbers of geometry
    const Real* const a = reinterpret_cast<const Real*>(packed.data());
    const Real* const b = reinterpret_cast<const Real*>(expected.data());
    for (size_t i = 0; i < count; ++i)
        EXPECT_NEAR(a[i], b[i], 4 * std::numeric_limits<Real>::epsilon() * std::abs(b[i])) << i;
    EXPECT_EQ(std::memcmp(a + count, b + count, packed.size() - count * sizeof(Real)), 0);
}

TEST_F(NbodyGpu, SpheresFollowTheirBodiesOnTheDevice) {
    for (const SceneLayout layout : {SceneLayout::aos, SceneLayout::soa}) {
        for (const Settings& settings : choicesOf(64)) {
            SCOPED_TRACE(describe(settings));
            if (isDouble(settings))
                expectPlaced<double>(*gpu, settings, layout);
            else
                expectPlaced<float>(*gpu, settings, layout);
        }
    }
}

/// Choices may change between steps; the bodies go on from where they are.
TEST_F(NbodyGpu, GoesOnAfterEverySwitch) {
    Simulation simulation;
    simulation.bodies = 1000;
    const Bodies start = startOf(simulation);
    const auto switched = begin(*gpu, simulation, start);
    int steps = 0;
    for (const Settings& settings : everyChoice()) {
        switched->step(settings, 1);
        ++steps;
    }
    const Settings exact = movingSettings(Backend::cpu, {"precision=double"});
    EXPECT_EQ(switched->steps(), steps);
    EXPECT_LT(apart(switched->bodies(), after(*cpu, exact, simulation, start, steps)), 3e-5);
}

}  // namespace
}  // namespace rayscope::bodies

#endif
