#pragma once

#include "renderer/core/half.h"
#include "renderer/scene/scene.h"

// VertexPrecision::half: scenes whose corners are rounded to half precision.

namespace rayscope {

/// The frame of a scene's corners.
HalfFrame halfFrame(const Scene& scene);

/// The scene with its corners rounded. Triangles keep their numbers; some may lose their area.
Scene withHalfCorners(const Scene& scene, const HalfFrame& frame);

}  // namespace rayscope
