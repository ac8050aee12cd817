#include "renderer/scene/simulation.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <random>

#include "renderer/scene/scene.h"

namespace rayscope {

namespace {

/// With these lengths a start of mass 1 has the energy -1/4, without softening. Plummer's sphere:
/// -3 pi / (64 a). A cube: -.94115632 / side. Two discs of half the mass each, of which one has
/// -m^2 / (8 a), on a parabolic orbit: -1 / (16 a), and a fifth more for what is cut off.
constexpr double kPlummerLength = 3 * M_PI / 16, kCubeSide = 4 * .94115632, kDiscLength = .3;
/// In units of the lengths above: few bodies are farther out, and a camera would lose them.
constexpr double kPlummerReach = 20, kDiscReach = 10;

constexpr double kDiscDistance = 3;     ///< of their centres at first
constexpr double kDiscPericentre = .4;  ///< of their orbit
constexpr double kDiscThickness = .02;
constexpr double kDiscHeat = .1;  ///< random part of the velocities, of the circular one
constexpr double kDiscTilts[2] = {.5, -.9};

/// The standard fixes the output of this generator, but not of distributions.
class BodyRandom {
public:
    explicit BodyRandom(int seed) : bits_(static_cast<std::uint64_t>(seed)) {}

    /// In (0, 1).
    double uniform() { return (static_cast<double>(bits_() >> 12) + .5) * 0x1p-52; }
    /// On a sphere of this radius.
    glm::dvec3 direction(double radius) {
        const double z = 2 * uniform() - 1, turn = 2 * M_PI * uniform();
        const double across = std::sqrt(1 - z * z);
        return radius * glm::dvec3(across * std::cos(turn), across * std::sin(turn), z);
    }

private:
    std::mt19937_64 bits_;
};

/// A share of the escape velocity, distributed as q^2 (1 - q^2)^(7/2).
double shareOfEscape(BodyRandom& random) {
    while (true) {
        const double q = random.uniform(), most = .1;
        if (most * random.uniform() < q * q * std::pow(1 - q * q, 3.5)) return q;
    }
}

/// Aarseth, Henon and Wielen 1974, A comparison of numerical methods for the study of star cluster
/// dynamics, Astronomy and Astrophysics 37, appendix.
void startPlummer(Bodies& bodies, BodyRandom& random) {
    for (int i = 0; i < bodies.count(); ++i) {
        double r = 0;
        do {
            r = 1 / std::sqrt(std::pow(random.uniform(), -2. / 3) - 1);
        } while (r > kPlummerReach);
        bodies.positions[i] = random.direction(kPlummerLength * r);
        const double escape = std::sqrt(2 / kPlummerLength) * std::pow(1 + r * r, -.25);
        bodies.velocities[i] = random.direction(escape * shareOfEscape(random));
    }
}

void startCube(Bodies& bodies, BodyRandom& random) {
    const auto coordinate = [&] { return kCubeSide * (random.uniform() - .5); };
    for (glm::dvec3& position : bodies.positions) {
        position.x = coordinate();
        position.y = coordinate();
        position.z = coordinate();
    }
}

glm::dvec3 tilted(glm::dvec3 v, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {v.x, c * v.y - s * v.z, s * v.y + c * v.z};
}

/// Surface density (R^2 + a^2)^(-3/2), whose circular velocity in its plane, which is y = 0 before
/// it is tilted, is known: v^2 = m R^2 (R^2 + a^2)^(-3/2) (Toomre 1963, model 1).
void startDisc(Bodies& bodies, int first, int last, double tilt, BodyRandom& random) {
    constexpr double a = kDiscLength, kMass = .5;
    const double outside = 1 / std::sqrt(1 + kDiscReach * kDiscReach);
    for (int i = first; i < last; ++i) {
        const double beyond = 1 - (1 - outside) * random.uniform();  // share of the mass
        const double radius = a * std::sqrt(1 / (beyond * beyond) - 1);
        const double turn = 2 * M_PI * random.uniform();
        const glm::dvec3 outwards{std::cos(turn), 0, std::sin(turn)};
        const glm::dvec3 ahead{-outwards.z, 0, outwards.x};
        const double speed = std::sqrt(kMass) * radius * std::pow(radius * radius + a * a, -.75);
        glm::dvec3 position = radius * outwards;
        position.y = kDiscThickness * (random.uniform() - .5);
        bodies.positions[i] = tilted(position, tilt);
        bodies.velocities[i] =
            tilted(speed * ahead, tilt) + random.direction(kDiscHeat * speed * random.uniform());
    }
}

/// The second disc has the second half of the bodies.
int bodiesOfFirst(int bodies) {
    return (bodies + 1) / 2;
}

void startDiscs(Bodies& bodies, BodyRandom& random) {
    const int half = bodiesOfFirst(bodies.count());
    startDisc(bodies, 0, half, kDiscTilts[0], random);
    startDisc(bodies, half, bodies.count(), kDiscTilts[1], random);
    // two bodies of mass 1/2: angular momentum sqrt(2 p), speed sqrt(2 / distance)
    const double across = std::sqrt(2 * kDiscPericentre) / kDiscDistance;
    const double nearer = std::sqrt(2 / kDiscDistance - across * across);
    for (int i = 0; i < bodies.count(); ++i) {
        const double side = i < half ? -.5 : .5;
        bodies.positions[i].x += side * kDiscDistance;
        bodies.velocities[i] += side * glm::dvec3(-nearer, 0, across);
    }
}

void takeOffMean(std::vector<glm::dvec3>& vectors) {
    glm::dvec3 sum{0, 0, 0};
    for (const glm::dvec3& v : vectors) sum += v;
    for (glm::dvec3& v : vectors) v -= sum / static_cast<double>(vectors.size());
}

/// Every sixteenth is metal, every sixteenth glass. The faster, the paler.
Material materialOf(int body, bool second, double speed) {
    const glm::dvec3 slow = second ? glm::dvec3(.9, .3, .1) : glm::dvec3(.15, .35, .85);
    const glm::dvec3 fast = second ? glm::dvec3(1, .85, .6) : glm::dvec3(.75, .9, 1);
    Material material;
    material.albedo = slow + std::min(speed / 2, 1.) * (fast - slow);
    if (body % 16 == 5) {
        material.kind = MaterialKind::metal;
        material.roughness = .1;
    } else if (body % 16 == 13) {
        material.kind = MaterialKind::dielectric;
        material.albedo = {1, 1, 1};
    }
    return material;
}

/// Lamps are larger, so that light finds its way to the others.
void light(Scene& scene, const Simulation& simulation) {
    constexpr double kLampSize = 3;
    const int lamps = std::min(simulation.lamps, simulation.bodies);
    for (int i = 0; i < lamps; ++i) {
        Sphere& lamp = scene.spheres[static_cast<std::int64_t>(i) * simulation.bodies / lamps];
        lamp.radius *= kLampSize;
        lamp.material.kind = MaterialKind::lambert;
        lamp.material.emission = 60. * lamp.material.albedo;
    }
}

/// False of NaN, too.
bool canBeDrawn(const glm::dvec3& position) {
    return std::abs(position.x) <= kMaxCoordinate && std::abs(position.y) <= kMaxCoordinate &&
           std::abs(position.z) <= kMaxCoordinate;
}

}  // namespace

Bodies startOf(const Simulation& simulation) {
    const std::size_t count = static_cast<std::size_t>(simulation.bodies);
    Bodies bodies{std::vector<glm::dvec3>(count, glm::dvec3(0)),
                  std::vector<glm::dvec3>(count, glm::dvec3(0)),
                  std::vector<double>(count, simulation.mass / simulation.bodies)};
    BodyRandom random(simulation.seed);
    switch (simulation.start) {
        case Start::plummer:
            startPlummer(bodies, random);
            break;
        case Start::discs:
            startDiscs(bodies, random);
            break;
        case Start::cube:
            startCube(bodies, random);
            break;
    }
    takeOffMean(bodies.positions);
    takeOffMean(bodies.velocities);
    for (glm::dvec3& velocity : bodies.velocities) velocity *= std::sqrt(simulation.mass);
    return bodies;
}

void placeBodies(Scene& scene) {
    if (!scene.simulation) return;
    const Simulation& simulation = *scene.simulation;
    const Bodies bodies = startOf(simulation);
    std::vector<Sphere> spheres(bodies.positions.size());
    for (int i = 0; i < bodies.count(); ++i) {
        const bool second =
            simulation.start == Start::discs && i >= bodiesOfFirst(simulation.bodies);
        spheres[i] = {bodies.positions[i], simulation.radius,
                      materialOf(i, second, glm::length(bodies.velocities[i]))};
    }
    spheres.insert(spheres.end(), scene.spheres.begin(), scene.spheres.end());
    scene.spheres = std::move(spheres);
    light(scene, simulation);
}

bool moveBodies(Scene& scene, const std::vector<glm::dvec3>& positions) {
    if (!std::all_of(positions.begin(), positions.end(), canBeDrawn)) return false;
    for (std::size_t i = 0; i < positions.size(); ++i) scene.spheres[i].center = positions[i];
    return true;
}

int bodyCount(const Scene& scene) {
    return scene.simulation ? scene.simulation->bodies : 0;
}

void standStill(Scene& scene, int sphere) {
    if (sphere < bodyCount(scene)) scene.simulation.reset();
}

}  // namespace rayscope
