#pragma once

#include <glm/vec3.hpp>
#include <vector>

namespace rayscope {

struct Scene;

/// How bodies begin. plummer: a sphere in equilibrium (Plummer 1911). discs: two discs of Kuzmin
/// (1956) that turn, on a parabolic orbit of each other. cube: a homogeneous cube at rest, which
/// collapses.
enum class Start { plummer, discs, cube };

inline constexpr int kMaxBodies = 1 << 20;
/// Shorter ones make bodies that meet leave single precision.
inline constexpr double kMinSoftening = 1e-6;
/// What there is then stays far within single precision at first.
inline constexpr double kMaxTimeStep = 1e3, kMaxSoftening = 1e3;

/// Bodies that attract each other, of the same mass each. A mass m at the distance d causes the
/// acceleration m d / (d^2 + softening^2)^(3/2), in standard units (Heggie and Mathieu 1986): G is
/// 1, and so is the total mass of a start whose energy is -1/4.
struct Simulation {
    Start start = Start::plummer;
    int bodies = 1024;
    int seed = 1;
    double mass = 1;          ///< of all bodies together
    double step = 1e-3;       ///< of time
    double softening = 1e-2;  ///< length, not 0, so that bodies in one place have a force: none
    double radius = 1e-2;     ///< of a body's sphere
    int lamps = 0;            ///< so many of the bodies shine
    bool operator==(const Simulation&) const = default;
};

/// Element i of each belongs to body i.
struct Bodies {
    std::vector<glm::dvec3> positions, velocities;
    std::vector<double> masses;
    int count() const { return static_cast<int>(masses.size()); }
    bool operator==(const Bodies&) const = default;
};

/// The bodies at time 0, their centre of mass at rest in the origin. The same simulation gives the
/// same bodies.
Bodies startOf(const Simulation& simulation);

/// Puts a sphere for each body of its simulation before the scene's own spheres: body i is sphere
/// i. Materials tell galaxies apart, and fast bodies from slow ones.
void placeBodies(Scene& scene);

/// Puts the spheres of the scene's bodies there. False, and nothing moves, if one is too far away
/// to be drawn, or its position is no number.
bool moveBodies(Scene& scene, const std::vector<glm::dvec3>& positions);

/// How many of the scene's first spheres are bodies.
int bodyCount(const Scene& scene);

/// For a sphere that is edited: if it is a body, all bodies become spheres that stay where they
/// are.
void standStill(Scene& scene, int sphere);

}  // namespace rayscope
