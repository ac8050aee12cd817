#pragma once

#include "renderer/scene/scene.h"

namespace rayscope {

/// The tree for packets of a scene packed with Accel::bvh, whose header, list and nodes begin at
/// `structure`. All rays of a packet wait while one visits a node, so leaves are larger here: two
/// become one where that lowers the cost of the surface area heuristic.
PackedScene packetTree(const void* structure, int padded);

}  // namespace rayscope
