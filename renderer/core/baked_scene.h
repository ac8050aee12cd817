#pragma once

// SceneMemory::baked: the spheres as constants in the code. This is the header of kernels without a
// baked scene; for the others bakedScene() (scene/bake.h) replaces it.

namespace rayscope {

inline constexpr int kBakedSpheres = 0;

/// The geometry as packScene writes it: centre and power, or anchor, curvature and normal.
inline constexpr double kBakedScene[1][7] = {};

/// Whether paths can be inside a sphere and meet it from there. False only for spheres that no
/// path enters (scene/bake.h), unless it starts there.
inline constexpr bool kBakedFar[1] = {};

}  // namespace rayscope
