#pragma once

// SceneMemory::baked: the spheres as constants in the code. This is the header of kernels without a
// baked scene; for the others bakedScene() (scene/bake.h) replaces it.

namespace rayscope {

inline constexpr int kBakedSpheres = 0;

/// The geometry as packScene writes it: centre and power, or anchor, curvature and normal.
inline constexpr double kBakedScene[1][7] = {};

/// On which PathSide of each sphere paths are, but for those that begin elsewhere (scene/bake.h).
inline constexpr int kBakedSides[1] = {};

/// Whether paths are outside of all spheres but those of glass.
inline constexpr bool kBakedOutside = false;

/// Boxes around spheres near each other (scene/baked_boxes.h): the middle and half the extent along
/// each axis; and the box of each sphere, -1 for none.
inline constexpr int kBakedBoxes = 0;
inline constexpr double kBakedBox[1][3][2] = {};
inline constexpr int kBakedBoxOf[1] = {-1};

}  // namespace rayscope
