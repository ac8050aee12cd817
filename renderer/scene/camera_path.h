#pragma once

#include <vector>

#include "renderer/scene/camera.h"

namespace rayscope {

/// Between two cameras, with a soft start and end: in a straight line, turning at one rate about
/// one axis. `t` from 0 to 1.
Camera between(const Camera& from, const Camera& to, double t);

/// On a smooth curve through all cameras, each a key frame. Position, distance of the target, angle
/// of view and focus follow centripetal Catmull-Rom splines (Yuksel, Schaefer and Keyser 2011,
/// "Parameterization and Applications of Catmull-Rom Curves"), which have no loops between two
/// keys; orientations follow a spherical cubic (Shoemake 1987, "Quaternion Calculus and Fast
/// Animation"). `t` from 0 at the first to 1 at the last; between keys a share of it that grows
/// with their distance. `keys` is not empty.
Camera onPath(const std::vector<Camera>& keys, double t);

}  // namespace rayscope
