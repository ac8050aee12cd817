#pragma once

#include "renderer/core/variant.h"

// Every choice that makes a different kernel of a simulation, as Variant has those of paths.

namespace rayscope {

/// How the accelerations of all bodies are summed. untiled: a thread a body, which reads every
/// other body from global memory, with a root and a division. tiled: blocks copy tiles of bodies to
/// shared memory. slices: tiled, and the other bodies are shared out among blocks, whose sums are
/// added later, so that few bodies fill a large device. registers: slices, and a thread has several
/// bodies, which share what it loads.
enum class Forces { untiled, tiled, slices, registers };

/// How bodies lie in memory: x, y, z and mass of one after the other, or an array of each.
enum class BodyLayout { aos, soa };

struct ForceVariant {
    Forces forces = Forces::registers;
    int tile = 256;  ///< bodies of a tile, and threads of a block
    BodyLayout layout = BodyLayout::aos;
    Precision precision = Precision::float32;
    Math math = Math::fast;
    bool equalMasses = false;  ///< derived from the bodies, not chosen: one multiplication less
    bool operator==(const ForceVariant&) const = default;
};

/// Bodies of a thread.
constexpr int bodiesOfThread(const ForceVariant& v) {
    return v.forces == Forces::registers ? 4 : 1;
}

/// True if the sum of a body's acceleration may be shared out among blocks.
constexpr bool slices(const ForceVariant& v) {
    return v.forces == Forces::slices || v.forces == Forces::registers;
}

/// The arrays of a simulation have room for a multiple of so many bodies, the most of a block.
/// Those that are too many have no mass and are so far away that even with one nothing feels them:
/// in single precision the square of kFarAway is finite, its power of -3/2 is 0.
inline constexpr int kBodyPadding = 4 * 512;
inline constexpr double kFarAway = 1e18;

/// A launch of a simulation's kernels. G is 1.
template <class Real>
struct GravityParams {
    Real* bodies;         ///< x, y, z and mass, as the layout says
    Real* velocities;     ///< x, y, z and nothing
    Real* accelerations;  ///< x, y and z have an array each, one after the other, for every slice
    double* potentials;   ///< of each body
    int count;
    int capacity;  ///< of the arrays: a multiple of kBodyPadding, at most kMaxBodies
    int slices;
    int first;        ///< `accelerate`: the body of the launch's first thread
    int from, until;  ///< `potential`: adds those of bodies from ... until - 1
    Real softening2;  ///< softening squared, above 0
    Real mass;        ///< what accelerations are to be multiplied by: ForceVariant::equalMasses
    Real kick;        ///< time for which velocities change before
    Real drift;       ///< positions do for this time
};

/// The packed scene (scene_view.h) whose first spheres are the bodies. It has no walls.
template <class Real>
struct BodySpheres {
    Real* scene;
    int padded;  ///< of its spheres
    SceneLayout layout;
};

}  // namespace rayscope
