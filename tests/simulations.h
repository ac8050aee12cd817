#pragma once

// What is known of bodies under gravity, for every backend: orbits, what is conserved, and forces
// in double precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>

#include "renderer/backend/renderer.h"
#include "renderer/choices/axes.h"
#include "renderer/scene/scene.h"

namespace rayscope::bodies {

/// Settings for a scene that moves.
inline Settings movingSettings(Backend backend, const std::vector<std::string>& assignments = {}) {
    Scene scene;
    scene.simulation.emplace();
    placeBodies(scene);
    Settings settings = defaultSettings(backend, scene);
    assignAll(settings, assignments);
    EXPECT_EQ(unsupported(settings, scene), "");
    return settings;
}

inline std::unique_ptr<Simulator> begin(Renderer& renderer, const Simulation& simulation,
                                        const Bodies& start) {
    auto made = renderer.simulate(simulation, start);
    if (!made) throw std::runtime_error(made.reason());
    return *std::move(made);
}

/// Where the bodies are after so many steps.
inline Bodies after(Renderer& renderer, const Settings& settings, const Simulation& simulation,
                    const Bodies& start, int steps) {
    const auto simulator = begin(renderer, simulation, start);
    const StepStats stats = simulator->step(settings, steps);
    EXPECT_EQ(stats.steps, steps);
    EXPECT_EQ(simulator->steps(), steps);
    return simulator->bodies();
}

/// Two bodies of masses .75 and .25 on circles, at the distance 1: the period is 2 pi.
inline Bodies pair() {
    const double heavy = .75, light = .25;
    return {{{-light, 0, 0}, {heavy, 0, 0}}, {{0, -light, 0}, {0, heavy, 0}}, {heavy, light}};
}

inline Simulation orbit(double period, int stepsOfPeriod) {
    Simulation simulation;
    simulation.softening = kMinSoftening;
    simulation.step = period / stepsOfPeriod;
    return simulation;
}

/// After its period the pair is where it began, to 1e-4 of a turn and of the distance.
inline void expectCircularOrbit(Renderer& renderer, const Settings& settings) {
    constexpr int kSteps = 1000;
    const Bodies end = after(renderer, settings, orbit(2 * M_PI, kSteps), pair(), kSteps);
    const glm::dvec3 between = end.positions[1] - end.positions[0];
    EXPECT_LT(std::abs(std::atan2(between.y, between.x)) / (2 * M_PI), 1e-4);
    EXPECT_NEAR(glm::length(between), 1, 1e-4);
    EXPECT_NEAR(between.z, 0, 1e-6);
}

/// Three bodies at the corners of a triangle of equal sides turn as one, whatever their masses
/// (Lagrange 1772): side 1, masses 1, 2 and 3, angular velocity sqrt(6).
inline void expectLagrangesTriangle(Renderer& renderer, const Settings& settings) {
    Bodies start{{{0, 0, 0}, {1, 0, 0}, {.5, std::sqrt(.75), 0}}, {}, {1, 2, 3}};
    glm::dvec3 middle{0, 0, 0};
    for (int i = 0; i < 3; ++i) middle += start.masses[i] / 6 * start.positions[i];
    for (glm::dvec3& position : start.positions) {
        position -= middle;
        start.velocities.push_back(std::sqrt(6.) * glm::dvec3(-position.y, position.x, 0));
    }
    constexpr int kSteps = 2000;
    const Simulation simulation = orbit(2 * M_PI / std::sqrt(6.), kSteps);
    const Bodies end = after(renderer, settings, simulation, start, kSteps);
    for (int i = 0; i < 3; ++i) {
        EXPECT_LT(glm::distance(end.positions[i], start.positions[i]), 1e-3) << i;
        EXPECT_NEAR(glm::distance(end.positions[i], end.positions[(i + 1) % 3]), 1, 1e-3) << i;
    }
}

/// Bodies of a Plummer sphere; `equal`: or of masses that differ.
inline Bodies plummer(const Simulation& simulation, bool equal = true) {
    Bodies bodies = startOf(simulation);
    for (int i = 0; !equal && i < bodies.count(); ++i) bodies.masses[i] *= .5 + i % 3 * .5;
    return bodies;
}

/// The acceleration of each body, as Newton has it.
inline std::vector<glm::dvec3> accelerationsOf(const Bodies& bodies, double softening) {
    std::vector<glm::dvec3> result(bodies.positions.size(), glm::dvec3(0));
    for (size_t i = 0; i < result.size(); ++i) {
        for (size_t j = 0; j < result.size(); ++j) {
            const glm::dvec3 d = bodies.positions[j] - bodies.positions[i];
            const double square = glm::dot(d, d) + softening * softening;
            result[i] += bodies.masses[j] / (square * std::sqrt(square)) * d;
        }
    }
    return result;
}

/// The relative error that 99.9 % of the forces stay below. Of bodies at rest the velocity after a
/// step is half of it times the accelerations before and after.
inline double errorOfForces(Renderer& renderer, const Settings& settings, int count, bool equal) {
    Simulation simulation;
    simulation.bodies = count;
    simulation.step = 1e-4;  // they move by 1e-8, where they are
    Bodies start = plummer(simulation, equal);
    for (glm::dvec3& velocity : start.velocities) velocity = {0, 0, 0};
    const Bodies end = after(renderer, settings, simulation, start, 1);
    const std::vector<glm::dvec3> before = accelerationsOf(start, simulation.softening);
    const std::vector<glm::dvec3> then = accelerationsOf(end, simulation.softening);
    std::vector<double> errors;
    for (int i = 0; i < count; ++i) {
        const glm::dvec3 expected = .5 * (before[i] + then[i]);
        const glm::dvec3 found = end.velocities[i] / simulation.step;
        errors.push_back(glm::distance(found, expected) / glm::length(expected));
    }
    std::sort(errors.begin(), errors.end());
    return errors[static_cast<size_t>(.999 * (count - 1))];
}

/// The largest distance between bodies after 100 steps of both, in units of the whole.
inline double apart(const Bodies& a, const Bodies& b) {
    double most = 0;
    for (int i = 0; i < a.count(); ++i)
        most = std::max(most, glm::distance(a.positions[i], b.positions[i]));
    return most;
}

inline double driftOf(Renderer& renderer, const Settings& settings, const Simulation& simulation,
                      int steps) {
    const auto simulator = begin(renderer, simulation, startOf(simulation));
    simulator->prepare(settings);
    const double before = simulator->conserved().energy();
    simulator->step(settings, steps);
    return simulator->conserved().energy() / before - 1;
}

inline void expectMomentumStays(Renderer& renderer, const Settings& settings, double rounding) {
    Simulation simulation;
    simulation.bodies = 500;
    const auto simulator = begin(renderer, simulation, startOf(simulation));
    simulator->step(settings, 100);
    EXPECT_LT(glm::length(simulator->conserved().momentum), rounding);
}

/// Half the step has a quarter of the error.
inline void expectSecondOrder(Renderer& renderer, const Settings& settings) {
    Bodies start = pair();
    for (glm::dvec3& velocity : start.velocities) velocity *= .8;  // an ellipse
    const auto at = [&](int steps) {
        return after(renderer, settings, orbit(3, steps), start, steps).positions[1];
    };
    const glm::dvec3 exact = at(20000);
    const double whole = glm::distance(at(300), exact), half = glm::distance(at(600), exact);
    EXPECT_NEAR(whole / half, 4, .1) << whole;
}

inline bool finite(const glm::dvec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// What bodies may be, and still nothing is undefined.
inline void expectOddBodiesAreDefined(Renderer& renderer, const Settings& settings) {
    Simulation simulation;
    const glm::dvec3 still{0, 0, 0}, there{1, 2, 3}, speed{1, 0, -1};
    const Bodies one = after(renderer, settings, simulation, {{there}, {speed}, {1}}, 10);
    EXPECT_LT(glm::distance(one.positions[0], there + 10 * simulation.step * speed), 1e-6);
    // in one place: no force between them, and the same from elsewhere
    const Bodies same = after(renderer, settings, simulation,
                              {{there, there, still}, {still, still, still}, {1, 1, 1}}, 10);
    EXPECT_EQ(same.positions[0], same.positions[1]);
    EXPECT_TRUE(finite(same.positions[0]) && same.positions[0] != there);
    simulation.bodies = 100;
    simulation.mass = 0;
    const auto massless = begin(renderer, simulation, startOf(simulation));
    massless->step(settings, 10);
    EXPECT_EQ(massless->conserved().energy(), 0);
    EXPECT_LT(apart(massless->bodies(), startOf(simulation)), 1e-6);
    simulation.mass = 1;
    Bodies wrong = startOf(simulation);
    wrong.positions[7].x = NAN;
    const Bodies spread = after(renderer, settings, simulation, wrong, 3);
    EXPECT_TRUE(std::isnan(spread.positions[7].x));
    EXPECT_EQ(spread.count(), 100);
    simulation.step = 1e3;
    simulation.mass = 1e6;
    simulation.softening = kMinSoftening;
    const auto thrown = begin(renderer, simulation, startOf(simulation));
    EXPECT_EQ(thrown->step(settings, 50).steps, 50);
    EXPECT_EQ(thrown->bodies().count(), 100);
    thrown->conserved();
}

}  // namespace rayscope::bodies
