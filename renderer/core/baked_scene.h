#pragma once

// SceneMemory::baked: the spheres as constants of the code. This is the scene of all kernels that
// have none baked in; for the others scene/bake.h writes a file of this name.

namespace rayscope {

inline constexpr int kBakedSpheres = 0;

/// The geometry as packScene writes it: centre and power, or anchor, curvature and normal.
inline constexpr double kBakedScene[1][7] = {};

}  // namespace rayscope
