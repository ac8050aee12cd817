#include "renderer/backend/body_memory.h"

namespace rayscope {

namespace {

/// Where number `part` of body i is: x, y, z, mass.
size_t placeIn(BodyLayout layout, int capacity, int i, int part) {
    const size_t body = static_cast<size_t>(i);
    return layout == BodyLayout::aos ? 4 * body + part
                                     : static_cast<size_t>(part) * capacity + body;
}

}  // namespace

int bodyCapacity(int count) {
    return (count + kBodyPadding - 1) / kBodyPadding * kBodyPadding;
}

template <class Real>
PackedBodies<Real> packBodies(const Bodies& bodies, BodyLayout layout) {
    PackedBodies<Real> packed;
    packed.count = bodies.count();
    packed.capacity = bodyCapacity(bodies.count());
    packed.bodies.assign(size_t{4} * packed.capacity, Real(0));
    packed.velocities = packed.bodies;
    for (int i = packed.count; i < packed.capacity; ++i)
        packed.bodies[placeIn(layout, packed.capacity, i, 0)] = static_cast<Real>(kFarAway);
    for (int i = 0; i < packed.count; ++i) {
        const auto at = [&](int part) { return placeIn(layout, packed.capacity, i, part); };
        for (int part = 0; part < 3; ++part) {
            packed.bodies[at(part)] = static_cast<Real>(bodies.positions[i][part]);
            packed.velocities[at(part)] = static_cast<Real>(bodies.velocities[i][part]);
        }
        packed.bodies[at(3)] = static_cast<Real>(bodies.masses[i]);
    }
    return packed;
}

template <class Real>
Bodies unpackBodies(const PackedBodies<Real>& packed, BodyLayout layout) {
    const size_t count = static_cast<size_t>(packed.count);
    Bodies bodies{std::vector<glm::dvec3>(count), std::vector<glm::dvec3>(count),
                  std::vector<double>(count)};
    for (int i = 0; i < packed.count; ++i) {
        const auto at = [&](int part) { return placeIn(layout, packed.capacity, i, part); };
        for (int part = 0; part < 3; ++part) {
            bodies.positions[i][part] = packed.bodies[at(part)];
            bodies.velocities[i][part] = packed.velocities[at(part)];
        }
        bodies.masses[i] = packed.bodies[at(3)];
    }
    return bodies;
}

template PackedBodies<float> packBodies(const Bodies&, BodyLayout);
template PackedBodies<double> packBodies(const Bodies&, BodyLayout);
template Bodies unpackBodies(const PackedBodies<float>&, BodyLayout);
template Bodies unpackBodies(const PackedBodies<double>&, BodyLayout);

}  // namespace rayscope
