#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace rayscope {

/// On which side of each sphere paths are that begin where the scene's camera is. PathSide::both
/// for glass; for a sphere on both sides of which rays of that camera start, in a picture of the
/// scene's own size; and where rays slip through because hits nearer than the scene's epsilon are
/// ignored: where opaque spheres cross, unless they are so large that next to no ray does. Spheres
/// that touch count as apart; there, less than a five-hundredth of a surface is that near.
std::vector<PathSide> sidesOf(const Scene& scene);

/// The spheres of which some camera rays, from any point of the lens to an image of this size, may
/// start on another side than sidesOf() says; the complement of a sphere's number if that is
/// inside.
std::vector<int> spheresInDoubt(const Scene& scene, const Camera& camera, int width, int height);

/// The source text that replaces core/baked_scene.h in kernels with SceneMemory::baked: the
/// spheres' geometry as packScene() writes it, in double precision, sidesOf() and, but for scenes
/// with walls, bakedBoxes(). For scenes of at most kMaxBakedSpheres.
std::string bakedScene(const Scene& scene);

/// Identifies a baked scene in Traits::baked; never 0.
unsigned bakedId(const std::string& bakedScene);

}  // namespace rayscope
