#pragma once

#include <vector>

#include "renderer/scene/bvh.h"

namespace rayscope {

/// Spheres near each other and a box around them, which a warp tests before it tests these. It is
/// larger than they are by what rounding may do to the planes a ray meets.
struct BakedBox {
    Box box;
    std::vector<int> spheres;
};

/// The boxes of Search::boxed. A sphere is in one of them at most; in none, if it dwarfs the others
/// or a box would not save enough tests.
std::vector<BakedBox> bakedBoxes(const Scene& scene);

}  // namespace rayscope
