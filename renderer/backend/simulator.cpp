#include "renderer/backend/simulator.h"

#include <cmath>
#include <glm/geometric.hpp>

namespace rayscope {

StepStats& StepStats::operator+=(const StepStats& other) {
    steps += other.steps;
    kernelMs += other.kernelMs;
    wallMs += other.wallMs;
    return *this;
}

double relativeDrift(const Conserved& first, const Conserved& now) {
    const double change = now.energy() - first.energy();
    return change == 0 ? 0 : change / std::abs(first.energy());
}

Conserved conservedOf(const Bodies& bodies, const double* potentials) {
    Conserved sum;
    for (int i = 0; i < bodies.count(); ++i) {
        const double mass = bodies.masses[i];
        const glm::dvec3& velocity = bodies.velocities[i];
        sum.kinetic += .5 * mass * glm::dot(velocity, velocity);
        sum.potential += .5 * mass * potentials[i];
        sum.momentum += mass * velocity;
    }
    return sum;
}

}  // namespace rayscope
