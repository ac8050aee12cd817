#pragma once

#include <vector>

#include "renderer/scene/camera.h"

namespace rayscope {

/// The camera at `t`, from 0 to 1, between two: moves in a straight line and turns about one axis,
/// with a smooth start and end.
Camera between(const Camera& from, const Camera& to, double t);

/// The camera at `t`, from 0 to 1, on a smooth curve through all key frames. Position, distance of
/// the target, angle of view and focus follow centripetal Catmull-Rom splines (Yuksel, Schaefer and
/// Keyser 2011, "Parameterization and Applications of Catmull-Rom Curves"), which have no loops
/// between two keys; orientations follow a spherical cubic (Shoemake 1987, "Quaternion Calculus and
/// Fast Animation"). The further apart two keys are, the larger the share of `t` between them.
/// `keys` must not be empty.
Camera onPath(const std::vector<Camera>& keys, double t);

}  // namespace rayscope
