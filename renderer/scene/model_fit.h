#pragma once

#include "renderer/scene/model.h"

namespace rayscope {

/// The fit of a model with these bounds, which are in the file's coordinates: around the origin and
/// 1 to 10 units in radius if it is far away, small or large; else as it is.
Fit fitFor(const glm::dvec3& low, const glm::dvec3& high);

/// Moves the mesh and the camera of a model to another fit. What stands in several places moves
/// there.
void refit(Model& model, const Fit& wanted);

/// The same, to the fit for its own bounds.
void fitAlone(Model& model);

}  // namespace rayscope
