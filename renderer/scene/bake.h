#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace rayscope {

/// Whether paths can get inside a sphere: into glass always, and into an opaque one where the
/// surface of another crosses it, because hits nearer than the scene's epsilon are ignored. Spheres
/// that touch count as apart: less than a five-hundredth of either's surface is that near.
std::vector<bool> spheresEntered(const Scene& scene);

/// The opaque spheres in which camera rays may start, for any point of the lens and of an image of
/// this size.
std::vector<int> spheresAroundCamera(const Scene& scene, const Camera& camera, int width,
                                     int height);

/// The source text that replaces core/baked_scene.h in kernels with SceneMemory::baked: the
/// spheres' geometry as packScene() writes it, in double precision, and spheresEntered(). For
/// scenes of at most kMaxBakedSpheres.
std::string bakedScene(const Scene& scene);

/// Identifies a baked scene in Traits::baked; never 0.
unsigned bakedId(const std::string& bakedScene);

}  // namespace rayscope
