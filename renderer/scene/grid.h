#pragma once

#include <vector>

#include "renderer/core/scene_view.h"
#include "renderer/scene/scene.h"

namespace rayscope {

/// A uniform grid over the spheres of a scene, which core/grid.h walks. About as many cells as
/// spheres; the few that are much larger than most are in no cell, and every ray tests them.
struct Grid {
    GridHeader header{};
    std::vector<int> begins;  ///< of each cell, in `list`, and its end
    std::vector<int> list;    ///< of spheres: first those outside, then cell by cell
};

Grid buildGrid(const Scene& scene);

/// Upper bound on the bytes of a grid in memory.
size_t mostGridBytes(int spheres);

}  // namespace rayscope
